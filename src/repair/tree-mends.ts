import type { Patient } from './patient.ts';
import { ABSENT, Flag, NO_PARENT, REFERENCES } from './survey.ts';

/** A root, for the tree. */
export const ROOT = -1;
/** Its parent is lost, or runs in a circle. */
const LOST = -2;

/**
 * Ids that repeat, parents that are lost, and circles. Gives the tree as it will be: the parent of each entry, -1 for a
 * root. A reference means the nearest definition before it in the file, else the first after it.
 */
export async function mendTree(patient: Patient): Promise<Int32Array> {
  const definitions = new Definitions(patient);
  await definitions.findCopies();
  const parents = new Int32Array(patient.survey.size).fill(ROOT);
  follow(patient, definitions, parents);
  cutCircles(patient, parents);
  hangLost(patient, definitions, parents);
  return parents;
}

/** Which entry an id means at a place of the file. */
class Definitions {
  readonly #patient: Patient;
  /** By id: the first entry that has it, or -1. */
  readonly first: Int32Array;
  /** By id: the last entry so far. */
  readonly #current: Int32Array;
  /** By entry that has the id of another one: what it holds. */
  readonly #digests = new Map<number, string>();
  /** What the entries with an id that repeats hold, by id and digest. */
  readonly #originals = new Map<string, number>();

  constructor(patient: Patient) {
    this.#patient = patient;
    const { survey } = patient;
    this.first = new Int32Array(survey.symbols.size).fill(-1);
    this.#current = new Int32Array(survey.symbols.size).fill(-1);
    this.#findFirst();
  }

  #findFirst(): void {
    const { survey } = this.#patient;
    for (let entry = survey.size - 1; entry >= 0; entry--) if (this.has(entry)) this.first[survey.ids.at(entry)] = entry;
  }

  /** Whether the entry stays and has an id of its own. */
  has(entry: number): boolean {
    return this.#patient.survey.ids.at(entry) >= 0 && !this.#patient.idless.has(entry) && !this.#patient.isDropped(entry);
  }

  /** Reads what the entries hold whose ids repeat: only an exact copy may leave. */
  async findCopies(): Promise<void> {
    const { survey, options } = this.#patient;
    const repeated = new Set<number>();
    for (let entry = 0; entry < survey.size; entry++) {
      const first = this.has(entry) ? (this.first[survey.ids.at(entry)] as number) : entry;
      if (first === entry) continue;
      repeated.add(first);
      repeated.add(entry);
    }
    if (repeated.size === 0) return;
    const entries = [...repeated].sort((a, b) => a - b);
    const ranges = entries.map((entry) => ({ offset: survey.offsets.at(entry), length: survey.lengths.at(entry) }));
    const digests = await options.digests(ranges);
    entries.forEach((entry, at) => {
      this.#digests.set(entry, digests[at] ?? '');
    });
    this.#dropBehindMark(entries);
  }

  /** Agents cannot read an entry behind a byte order mark, so it is the copy, and the healthy one later in the file stays. */
  #dropBehindMark([first, ...others]: readonly number[]): void {
    const { survey } = this.#patient;
    if (first !== 0 || !survey.keepsMark || survey.lines.at(0) !== 1 || this.#patient.has(0, Flag.inRegion)) return;
    const key = this.#keyOf(0);
    const healthy = others.find((entry) => this.#keyOf(entry) === key && !this.#patient.has(entry, Flag.frozen));
    if (healthy === undefined || !this.#patient.options.wants('duplicate-id')) return;
    dropCopy(this.#patient, 0, healthy);
    this.#findFirst();
  }

  #keyOf(entry: number): string | undefined {
    const digest = this.#digests.get(entry);
    return digest === undefined ? undefined : `${this.#patient.survey.ids.at(entry)} ${digest}`;
  }

  /** The entry before this one, with the same id, of which it is an exact copy; -1 where there is none. */
  original(entry: number): number {
    const key = this.#keyOf(entry);
    if (key === undefined) return -1;
    const original = this.#originals.get(key);
    if (original === undefined || this.isWorse(original, entry)) this.#originals.set(key, entry);
    return original ?? -1;
  }

  /** Whether the line of one of two copies stays damaged, and that of the other is healthy. */
  isWorse(one: number, other: number): boolean {
    return this.#patient.has(one, Flag.frozen) && !this.#patient.has(other, Flag.frozen);
  }

  /** The entry that an id means for whoever names it next. */
  resolve(id: number): number {
    const current = this.#current[id] ?? -1;
    return current >= 0 ? current : (this.first[id] ?? -1);
  }

  isTaken(id: number): boolean {
    return (this.#current[id] ?? -1) >= 0;
  }

  define(id: number, entry: number): void {
    if (id < this.#current.length) this.#current[id] = entry;
  }
}

/** Goes through the file once: new ids where they repeat or lack, and whoever names such an entry follows. */
function follow(patient: Patient, definitions: Definitions, parents: Int32Array): void {
  const { survey, idless } = patient;
  let position = 0;
  let reference = 0;
  let last = ROOT;
  for (let entry = 0; entry < survey.size; entry++) {
    const firstReference = reference;
    while (reference < survey.referenceEntries.size && survey.referenceEntries.at(reference) === entry) reference++;
    if (patient.isDropped(entry)) continue;
    const original = definitions.has(entry) ? definitions.original(entry) : -1;
    const copy = original >= 0 && definitions.isWorse(original, entry) ? original : entry;
    if (original >= 0 && patient.mayMend(copy, 'duplicate-id')) {
      dropCopy(patient, copy, original);
      definitions.define(survey.ids.at(entry), original);
      continue;
    }
    position++;
    parents[entry] = parentOf(patient, definitions, entry, last);
    for (let at = firstReference; at < reference; at++) {
      const key = REFERENCES[survey.referenceKeys.at(at)] as string;
      followRenamed(patient, entry, key, survey.referenceIds.at(at), definitions.resolve(survey.referenceIds.at(at)));
    }
    if (idless.has(entry)) {
      const id = rename(patient, entry, position);
      patient.setMember(entry, {
        key: 'id',
        json: JSON.stringify(id),
        rule: idRule(patient, entry),
        words: `gave the entry the id '${id}'`,
        idAfter: id,
      });
    } else if (definitions.has(entry)) nameOnce(patient, definitions, entry, position, original >= 0);
    last = entry;
  }
}

function dropCopy(patient: Patient, copy: number, original: number): void {
  patient.drop(copy, 'duplicate-id', `took out an exact copy of line ${patient.survey.lines.at(original)}`);
}

function idRule(patient: Patient, entry: number): string {
  return patient.survey.ids.at(entry) === ABSENT ? 'missing-field' : 'wrong-type';
}

function nameOnce(patient: Patient, definitions: Definitions, entry: number, position: number, isLeft: boolean): void {
  const symbol = patient.survey.ids.at(entry);
  if (definitions.isTaken(symbol) && !isLeft && patient.mayMend(entry, 'duplicate-id')) {
    const idBefore = patient.survey.symbols.text(symbol);
    const id = rename(patient, entry, position);
    const words = `gave the second entry with the id '${idBefore}' the id '${id}'`;
    patient.setMember(entry, { key: 'id', json: JSON.stringify(id), rule: 'duplicate-id', words, idBefore, idAfter: id });
  }
  definitions.define(symbol, entry);
}

function rename(patient: Patient, entry: number, position: number): string {
  const id = patient.mint(position);
  patient.newIds.set(entry, patient.survey.symbols.find(id));
  return id;
}

/** The parent that the entry names; -2 where it is lost. */
function parentOf(patient: Patient, definitions: Definitions, entry: number, last: number): number {
  const { survey, orphans } = patient;
  if (orphans.has(entry)) return LOST;
  const symbol = survey.parents.at(entry);
  // In version 1 the order of the lines is the tree where nothing else is said.
  if (symbol === ABSENT && patient.version === 1) return last;
  if (symbol < 0) return ROOT;
  const parent = definitions.resolve(symbol);
  if (parent >= 0) {
    followRenamed(patient, entry, 'parentId', symbol, parent);
    return parent;
  }
  // A line that could not be read may hold any id.
  const hidden = survey.firstOversizeLine > 0 && survey.firstOversizeLine < survey.lines.at(entry);
  if (hidden || survey.symbols.text(symbol) === patient.headerId) return ROOT;
  if (!patient.mayMend(entry, 'dangling-parent')) return ROOT;
  orphans.set(entry, 'dangling-parent');
  return LOST;
}

function followRenamed(patient: Patient, entry: number, key: string, symbol: number, target: number): void {
  if (target < 0 || target === entry || !patient.newIds.has(target) || patient.has(entry, Flag.frozen)) return;
  const idBefore = patient.survey.symbols.text(symbol);
  const idAfter = patient.idOf(target);
  const words = `updated ${key} to '${idAfter}'`;
  patient.setMember(entry, { key, json: JSON.stringify(idAfter), rule: 'duplicate-id', words, idBefore, idAfter });
}

/** In each circle the earliest entry of the file has lost its parent. */
function cutCircles(patient: Patient, parents: Int32Array): void {
  let circular = false;
  for (let entry = 0; entry < parents.length && !circular; entry++) circular = (parents[entry] as number) >= entry;
  if (!circular) return;
  /** 0 not seen; else the number of the walk that saw it. */
  const seen = new Int32Array(parents.length);
  for (let start = 0; start < parents.length; start++) {
    const walk = start + 1;
    let at = start;
    while (at >= 0 && seen[at] === 0) {
      seen[at] = walk;
      at = parents[at] as number;
    }
    if (at < 0 || seen[at] !== walk) continue;
    let earliest = at;
    for (let member = parents[at] as number; member !== at; member = parents[member] as number) earliest = Math.min(earliest, member);
    if (!patient.mayMend(earliest, 'parent-cycle')) {
      parents[earliest] = ROOT;
      continue;
    }
    patient.orphans.set(earliest, 'parent-cycle');
    parents[earliest] = LOST;
  }
}

/** Finds a new parent for those that lost theirs, in file order. */
function hangLost(patient: Patient, definitions: Definitions, parents: Int32Array): void {
  const { survey, orphans } = patient;
  const lost = [...orphans.keys()].filter((entry) => parents[entry] === LOST).sort((a, b) => a - b);
  if (lost.length === 0) return;
  const tops = new Tops(parents);
  const before = new Before(patient);
  for (const entry of lost) {
    const chain = survivor(patient, definitions, entry);
    let parent = chain ?? before.last(entry);
    // Its own descendants cannot be above it; such an entry starts a tree.
    if (chain !== undefined && parent >= 0 && tops.of(parent) === entry) parent = before.last(entry);
    if (parent >= 0 && tops.of(parent) === entry) parent = ROOT;
    parents[entry] = parent;
    tops.hang(entry, parent);
    const symbol = survey.parents.at(entry);
    const idBefore = symbol >= 0 ? survey.symbols.text(symbol) : undefined;
    const idAfter = parent < 0 ? undefined : patient.idOf(parent);
    const words = idAfter === undefined ? 'made the entry a root' : `reattached the entry to '${idAfter}'`;
    const rule = orphans.get(entry) ?? 'dangling-parent';
    patient.setMember(entry, { key: 'parentId', json: JSON.stringify(idAfter ?? null), rule, words, idBefore, idAfter });
  }
}

/**
 * The nearest entry that survived along the chain of parents which damaged lines still show; -1 where the chain leads to a
 * root, undefined where nothing shows it.
 */
function survivor(patient: Patient, definitions: Definitions, entry: number): number | undefined {
  const { survey, orphans } = patient;
  if (orphans.get(entry) !== 'dangling-parent') return undefined;
  const met = new Set<number>();
  let symbol = survey.shown.get(survey.parents.at(entry));
  while (symbol !== undefined && symbol !== NO_PARENT && !met.has(symbol)) {
    met.add(symbol);
    const found = nearest(patient, definitions, symbol, entry);
    if (found >= 0) return found;
    symbol = survey.shown.get(symbol);
  }
  return symbol === NO_PARENT ? ROOT : undefined;
}

/** Only what stands before the entry: agents write a parent first. */
function nearest(patient: Patient, definitions: Definitions, symbol: number, entry: number): number {
  const last = definitions.resolve(symbol);
  if (last < 0) return -1;
  if (last < entry) return last;
  const first = definitions.first[symbol] ?? -1;
  if (first < 0 || first >= entry || patient.isDropped(first)) return -1;
  return first;
}

/** The last entry before a place that others can hang from; asked for in file order. */
class Before {
  readonly #patient: Patient;
  #seen = 0;
  #last = ROOT;

  constructor(patient: Patient) {
    this.#patient = patient;
  }

  last(entry: number): number {
    for (; this.#seen < entry; this.#seen++) if (this.#isNamed(this.#seen)) this.#last = this.#seen;
    return this.#last;
  }

  #isNamed(entry: number): boolean {
    const { survey, newIds } = this.#patient;
    if (this.#patient.isDropped(entry)) return false;
    return newIds.has(entry) || (survey.ids.at(entry) >= 0 && !this.#patient.has(entry, Flag.emptyId));
  }
}

/** The top of the tree that an entry is in, while trees are hung from each other. */
class Tops {
  readonly #up: Int32Array;

  constructor(parents: Int32Array) {
    this.#up = Int32Array.from(parents, (parent, entry) => (parent >= 0 ? parent : entry));
  }

  of(entry: number): number {
    const up = this.#up;
    let top = entry;
    while (up[top] !== top) top = up[top] as number;
    for (let at = entry; at !== top; ) {
      const next = up[at] as number;
      up[at] = top;
      at = next;
    }
    return top;
  }

  hang(entry: number, parent: number): void {
    if (parent >= 0) this.#up[entry] = parent;
  }
}
