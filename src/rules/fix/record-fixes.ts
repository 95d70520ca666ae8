import { createHash } from 'node:crypto';
import type { BlockFacts } from '../../formats/format.ts';
import { valueAt } from '../../json/path.ts';
import { isObject } from '../../json/value.ts';
import { partitionPoint } from '../../util/search.ts';
import { hashUuid } from '../../util/uuid.ts';
import { counted } from '../../util/words.ts';
import type { Fix } from '../rule.ts';
import type { RecordFinding, RecordRepair, RecordUnit } from './record-repair.ts';

type FixRecords = NonNullable<Fix['records']>;

/** Makes a fix that handles each finding separately. */
export function eachRecord(fix: (repair: RecordRepair, finding: RecordFinding) => void): FixRecords {
  return (repair, findings) => {
    for (const finding of findings) if (!finding.unit.edits?.drop) fix(repair, finding);
  };
}

/** Reattaches the record to the nearest one before it in its conversation. */
export const reattachRecord = eachRecord((repair, { unit, rule }) => {
  let child = unit;
  for (;;) {
    const parent = repair.before(child);
    repair.setParent(child, parent?.facts.id ?? null, rule);
    // A parent that comes later would make a cycle, so the parent is reattached too.
    if (!parent || !repair.hasForward() || !hasAncestor(repair, parent, child)) return;
    child = parent;
  }
});

/** Longer cycles are left to the next check. */
const MAX_STEPS = 1_000;

function hasAncestor(repair: RecordRepair, from: RecordUnit, to: RecordUnit): boolean {
  let at: RecordUnit | undefined = from;
  for (let steps = 0; at && steps < MAX_STEPS; steps++) {
    if (at === to) return true;
    at = typeof at.facts.parentId === 'string' ? repair.find(at.facts.parentId) : undefined;
  }
  return false;
}

export const dropRecord = eachRecord((repair, { unit, rule }) => {
  repair.drop(unit, rule, 'moved the record to quarantine');
});

/** Removes a block, or the record if it has no other block. */
export const removeBlock = eachRecord((repair, { unit, rule, path }) => {
  repair.removeBlock(unit, path ?? '', rule, `removed the block ${path}`);
});

/** Sets what a header lacks, as for a new one; further headers are removed. */
export const completeHeader = eachRecord((repair, { unit, rule, path }) => {
  if (unit !== repair.units.find(({ facts }) => facts.isHeader)) {
    repair.drop(unit, rule, 'moved another header to quarantine');
    return;
  }
  const json = JSON.stringify(path === undefined ? undefined : valueAt(newHeader(repair), path));
  if (path !== undefined && json !== undefined)
    repair.set(unit, path, json, { rule, words: `set ${path} of the header` });
});

/** Gives a record the id, parent, time or number that it lacks, or what can be inferred; drops the others. */
export const fixRecordField: FixRecords = (repair, findings) => {
  const { paths } = repair.edit;
  const [timeless, unnumbered]: [RecordFinding[], RecordFinding[]] = [[], []];
  for (const finding of findings) {
    const { unit, rule, path = '' } = finding;
    const [block] = /^.*?\[\d+\]/.exec(path) ?? [];
    const inferred = unit.facts.issues.find((issue) => issue.path === path)?.inferred;
    if (unit.edits?.drop) continue;
    if (path === paths.ordinal) unnumbered.push(finding);
    else if (unit.facts.isHeader) completeHeader(repair, [finding]);
    else if (block !== undefined) repair.removeBlock(unit, block, rule, `removed the block ${block}`);
    else if (path === paths.id) repair.setId(unit, path, rule);
    else if (path === paths.parentId) reattachRecord(repair, [finding]);
    else if (path === paths.timestamp) timeless.push(finding);
    else if (inferred !== undefined) repair.setInferred(unit, path, inferred, rule);
    else repair.drop(unit, rule, 'moved the record to quarantine');
  }
  if (timeless.length > 0) fixRecordTime(repair, timeless);
  if (unnumbered.length > 0) setOrdinal(repair, unnumbered);
};

/** Gives later records with the same id a new one and updates the references that follow; exact copies are removed. */
export const fixRecordIds: FixRecords = (repair, findings) => {
  const path = repair.edit.paths.id;
  const naming = new Map<string, RecordUnit[]>();
  // From the end, so that each reference follows the nearest record before it.
  for (const { unit, rule } of [...findings].reverse()) {
    const { id = '' } = unit.facts;
    const first = repair.find(id);
    if (path === undefined || !first || first === unit || repair.isFrozen(first)) continue;
    if (first.origin === unit.origin) {
      repair.drop(unit, rule, 'moved an exact copy to quarantine');
      continue;
    }
    const all = naming.get(id) ?? repair.namedBy(id).sort((one, other) => one.order - other.order);
    naming.set(id, all);
    const named: RecordUnit[] = [];
    for (let last = all.at(-1); last && last.order > unit.order; last = all.at(-1)) named.push(...all.splice(-1));
    repair.rename(named, id, repair.setId(unit, path, rule), rule);
    // As siblings, one of them would not be visible.
    if (unit.facts.parentId === first.facts.parentId && unit.facts.isInConversation) repair.setParent(unit, id, rule);
  }
};

/** Reattaches the children of a record that agents skip to the nearest ancestor that they do not skip. */
export const bypassRecord = eachRecord((repair, { unit, rule }) => {
  const { id } = unit.facts;
  let above: RecordUnit | undefined = unit;
  for (let steps = 0; above && !above.facts.isInConversation; steps++)
    above = typeof above.facts.parentId === 'string' && steps < 1000 ? repair.find(above.facts.parentId) : undefined;
  for (const child of repair.namedBy(id as string)) {
    if (!child.facts.isInConversation || child.facts.parentId !== id) continue;
    repair.setParent(child, (above ?? repair.before(child))?.facts.id ?? null, rule);
  }
});

/** Makes a function that finds the call at a finding; cached, because a record may have many calls. */
function callFinder(): (finding: RecordFinding) => BlockFacts | undefined {
  let known: RecordUnit | undefined;
  let byPath = new Map<string, BlockFacts>();
  return ({ unit, path = '' }) => {
    const calls = unit === known ? undefined : unit.facts.blocks.filter(({ kind }) => kind === 'call');
    if (calls) byPath = new Map(calls.map((block) => [block.path, block]));
    known = unit;
    return byPath.get(path);
  };
}

/** Inserts a result for a call that the conversation continued past, after the message that made it. */
export const answerCall: FixRecords = (repair, findings) => {
  let [first, last]: RecordUnit[] = [];
  const callAt = callFinder();
  for (const finding of findings) {
    const { unit, rule } = finding;
    const { messageId, conversation } = unit.facts;
    const call = callAt(finding);
    if (!call) continue;
    const isBetween = first && last && first.order <= unit.order && unit.order <= last.order;
    if (!last || !isBetween || last.facts.messageId !== messageId || last.facts.conversation !== conversation)
      [first, last] = [unit, lastOfMessage(repair, unit)];
    repair.insertResult(last, call, rule, 'The result of this call was never recorded.');
  }
};

/** The last record of the message that this one is part of. Without message ids, consecutive calls are one message. */
function lastOfMessage({ units }: RecordRepair, unit: RecordUnit): RecordUnit {
  const { conversation, messageId } = unit.facts;
  let last = unit;
  for (let at = unit.order + 1; at < units.length; at++) {
    const next = units[at];
    if (!next || next.facts.conversation !== conversation) continue;
    const { role, blocks } = next.facts;
    const isCall = role === 'assistant' && blocks.some(({ kind }) => kind === 'call');
    if (next.facts.messageId === messageId && (messageId !== undefined || isCall)) last = next;
    else if (next.facts.messageId !== undefined || role === 'user' || (messageId === undefined && role)) break;
  }
  return last;
}

/** Makes unused ids from a repeated one by appending a number. */
function numbered(taken: readonly (string | undefined)[], mark: string): (id: string) => string {
  const known = new Set(taken);
  const numbers = new Map<string, number>();
  return (id) => {
    let number = numbers.get(id) ?? 2;
    while (known.has(`${id}${mark}${number}`)) number++;
    numbers.set(id, number + 1);
    return `${id}${mark}${number}`;
  };
}

/** Gives later calls with the same id a new one, with their results: the first result is for the first call. */
export const renameCalls: FixRecords = (repair, findings) => {
  // An agent loses the result of a call whose id ends in an underscore and a number.
  const newId = numbered(repair.callIds(), 'x');
  const callAt = callFinder();
  for (const callId of new Set(findings.flatMap((finding) => callAt(finding)?.callId ?? []))) {
    const uses = repair.usesOf(callId);
    if (uses.some(({ unit }) => repair.isFrozen(unit))) continue;
    const calls = uses.filter(({ block }) => block.kind === 'call').map((use) => ({ use, results: [] as typeof uses }));
    let [begun, answered] = [0, 0];
    for (const use of uses) {
      if (use.block.kind === 'call') begun++;
      else calls[answered < begun ? answered++ : Math.max(0, begun - 1)]?.results.push(use);
    }
    const renamed = new Map<RecordUnit, Map<string, { readonly callId: string }>>();
    for (const { use, results } of calls.slice(1)) {
      const id = lostCallId(repair, use.unit) ?? newId(callId);
      for (const { unit, block } of [use, ...results]) {
        const reason = { rule: findings[0]?.rule as string, words: `changed the id of the ${block.kind} to '${id}'` };
        const path = repair.edit.callIdPath(block);
        repair.set(unit, path, JSON.stringify(id), { ...reason, idBefore: callId, idAfter: id });
        const blocks = renamed.get(unit) ?? new Map();
        renamed.set(unit, blocks.set(block.path, { callId: id }));
      }
    }
    for (const [unit, blocks] of renamed) repair.changeBlocks(unit, blocks);
  }
};

/** The original id of a record's only call: that of a child result without a call. */
function lostCallId(repair: RecordRepair, { facts: { id, blocks } }: RecordUnit): string | undefined {
  if (id === undefined || blocks.filter(({ kind }) => kind === 'call').length > 1) return undefined;
  const results = repair.namedBy(id).filter(({ facts }) => facts.parentId === id && facts.role === 'result');
  const ids = results.flatMap(({ facts }) =>
    facts.blocks.flatMap(({ kind, callId }) => (kind === 'result' && callId) || []),
  );
  const { callIds, calls } = repair.log;
  return ids.find((callId) => !calls.has(callIds.find(callId)));
}

/** Gives the records of a message with a repeated id a new one. */
export const renameMessage: FixRecords = (repair, findings) => {
  const path = repair.edit.paths.messageId;
  const done = new Set<RecordUnit>();
  const newId = numbered(
    repair.units.map(({ facts }) => facts.messageId),
    '_',
  );
  for (const { unit, rule } of findings) {
    const { messageId, conversation } = unit.facts;
    if (path === undefined || messageId === undefined || done.has(unit)) continue;
    const id = newId(messageId);
    const last = lastOfMessage(repair, unit);
    for (const one of repair.units.slice(unit.order, last.order + 1)) {
      const isSame = one.facts.messageId === messageId && one.facts.conversation === conversation;
      if (!isSame || repair.isFrozen(one)) continue;
      const words = `changed the id of the message to '${id}'`;
      done.add(one);
      repair.set(one, path, JSON.stringify(id), { rule, words, idBefore: messageId, idAfter: id });
      one.facts = { ...one.facts, messageId: id };
    }
  }
};

/** Limits a compaction to the records that exist; one without a summary is removed. */
export const completeCompaction = eachRecord((repair, { unit, rule }) => {
  const { kept = [] } = unit.facts.compaction ?? {};
  const has = (id: string): boolean => repair.find(id) !== undefined;
  const isWhole = repair.log.compactions.find(({ position }) => position === unit.order)?.hasSummary ?? true;
  const changes = isWhole && unit.value && !kept.every(has) ? repair.edit.keptOnly?.(unit.value, has) : undefined;
  if (!changes) {
    repair.drop(unit, rule, 'moved the unfinished compaction to quarantine');
    return;
  }
  const words = `limited the compaction to what is in the file, ${counted(kept.filter(has).length, 'record')}`;
  for (const [path, value] of changes) repair.set(unit, path, JSON.stringify(value), { rule, words });
  unit.facts = { ...unit.facts, compaction: { kept: kept.filter(has), isWhole: true } };
});

/** Replaces an image by a text that describes it; the old line goes to the quarantine. */
export const describeImage = eachRecord((repair, { unit, rule, path = '' }) => {
  const textFor = (image: unknown): string => {
    const data = (isObject(image) && repair.edit.imageData(image)) || '';
    const bytes = Buffer.from(data, 'base64');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    repair.keepImage?.(data, bytes);
    const text = `[An image of ${counted(bytes.length, 'byte')} was removed: too large to be sent; sha256 ${sha256}]`;
    return JSON.stringify(repair.edit.textBlock(text, path));
  };
  repair.set(unit, path, textFor, { rule, words: 'replaced the image by a text' });
  repair.keepOld(unit, rule);
  repair.changeBlocks(unit, new Map([[path, { kind: 'text', image: undefined }]]));
});

/** Sets a missing time next to that of the nearest record with a time. */
export const fixRecordTime: FixRecords = (repair, findings) => {
  const path = repair.edit.paths.timestamp;
  const timed = repair.units.filter(({ order }) => Number.isFinite(repair.log.timeOf(order)));
  for (const { unit, rule } of findings) {
    const at = partitionPoint(0, timed.length, (one) => (timed[one] as RecordUnit).order < unit.order);
    const near = timed[at - 1] ?? timed[at];
    if (path === undefined || unit.edits?.drop) continue;
    // 1 ms apart, because agents may resume at the latest record. If no record has a time, only their order is known.
    const time = near ? repair.log.timeOf(near.order) + (at > 0 ? 1 : -1) : unit.order;
    const timestamp = new Date(time).toISOString();
    const place = at > 0 ? 'before' : 'after';
    const words = `set the timestamp ${near ? `by that of the record ${place} it` : 'to one of 1970'} (assumed)`;
    repair.set(unit, path, JSON.stringify(timestamp), { rule, words, assumed: true });
    unit.facts = { ...unit.facts, timestamp };
  }
};

/** Sets a missing ordinal to one more than the one before. */
export const setOrdinal: FixRecords = (repair, findings) => {
  const path = repair.edit.paths.ordinal;
  const numbered = repair.units.filter(({ facts }) => typeof facts.ordinal === 'number');
  for (const { unit, rule } of findings) {
    const at = partitionPoint(0, numbered.length, (one) => (numbered[one] as RecordUnit).order < unit.order);
    const ordinal = (numbered[at - 1]?.facts.ordinal ?? -1) + 1;
    if (path === undefined || unit.edits?.drop) continue;
    repair.set(unit, path, String(ordinal), { rule, words: `set ${path} to ${ordinal}` });
    unit.facts = { ...unit.facts, ordinal };
  }
};

/** Writes a header for a log without one. */
export const writeHeader = eachRecord((repair, { rule }) => {
  const header = repair.front ? undefined : newHeader(repair);
  if (!header) return;
  repair.header = header;
  repair.putInFront({ text: JSON.stringify(header), rule, words: 'added a new header' });
});

function newHeader({ edit, index }: RecordRepair) {
  return edit.header?.(index.first, hashUuid(JSON.stringify(index.first[0])), index.start);
}

/** Surrogate escapes: pairs, lone ones (the group), or other escapes to skip. */
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

/** Replaces lone surrogates by U+FFFD. */
export const replaceSurrogates = eachRecord((repair, { unit, rule }) => {
  repair.rewrite(unit, {
    rule,
    words: 'replaced half a character with U+FFFD',
    splices: (text) =>
      [...text.matchAll(ESCAPES)].flatMap(({ index, 1: half }) =>
        half === undefined ? [] : [{ start: index, end: index + half.length, text: '\\ufffd' }],
      ),
  });
});
