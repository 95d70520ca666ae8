import type { Patient } from './patient.ts';
import { Flag } from './survey.ts';

/**
 * Where the last entry hides newer work on another branch, one entry below that work makes it the leaf again. It says
 * nothing to the model and stays out of every context.
 */
export function settleLeaf(patient: Patient, parents: Int32Array): void {
  const { survey } = patient;
  let last = survey.size - 1;
  while (last >= 0 && patient.isDropped(last)) last--;
  if (last < 0 || patient.has(last, Flag.frozen)) return;
  let leaf = last;
  const tried = new Set<number>();
  while (!tried.has(leaf)) {
    tried.add(leaf);
    const newer = newerThan(patient, parents, leaf);
    if (newer === undefined) break;
    leaf = newer;
  }
  const parentId = leaf === last ? undefined : patient.idOf(leaf);
  if (parentId === undefined) return;
  const id = patient.mint(survey.size + 1);
  const entry = {
    type: 'custom',
    id,
    parentId,
    timestamp: survey.lastTimestamp ?? '',
    customType: 'sessionctl/settle-leaf',
    data: { leafBefore: patient.idOf(last) ?? null },
  };
  patient.insertAfter(last, {
    text: JSON.stringify(entry),
    rule: 'stale-leaf',
    words: `appended an entry below '${parentId}', which is the leaf again`,
    idAfter: id,
  });
}

/**
 * The newest entry beside the branch of a leaf, where the leaf hides it: nothing on the way up to the first entry with
 * another child is shown to the model, and another branch from there holds a message.
 */
function newerThan(patient: Patient, parents: Int32Array, leaf: number): number | undefined {
  const children = new Uint32Array(parents.length);
  for (let entry = 0; entry < parents.length; entry++) {
    const parent = parents[entry] as number;
    if (parent >= 0 && !patient.isDropped(entry)) children[parent] = Math.min(2, (children[parent] as number) + 1);
  }
  let own = leaf;
  let fork = parents[own] as number;
  while (!patient.has(own, Flag.spoken) && fork >= 0 && (children[fork] as number) < 2) {
    own = fork;
    fork = parents[own] as number;
  }
  if (fork < 0 || patient.has(own, Flag.spoken)) return undefined;
  return newestBeside(patient, parents, fork, own);
}

const UNKNOWN = 0;
const BESIDE = 1;
const ELSEWHERE = 2;

function newestBeside(patient: Patient, parents: Int32Array, fork: number, own: number): number | undefined {
  const where = new Uint8Array(parents.length);
  where[fork] = ELSEWHERE;
  where[own] = ELSEWHERE;
  let newest: number | undefined;
  let holdsMessage = false;
  for (let entry = 0; entry < parents.length; entry++) {
    if (patient.isDropped(entry)) continue;
    let top = entry;
    while (where[top] === UNKNOWN && parents[top] !== fork && (parents[top] as number) >= 0) top = parents[top] as number;
    const place = where[top] !== UNKNOWN ? (where[top] as number) : parents[top] === fork ? BESIDE : ELSEWHERE;
    for (let at = entry; at >= 0 && where[at] === UNKNOWN; at = at === top ? -1 : (parents[at] as number)) where[at] = place;
    if (place !== BESIDE) continue;
    newest = entry;
    if (patient.has(entry, Flag.message)) holdsMessage = true;
  }
  return holdsMessage ? newest : undefined;
}
