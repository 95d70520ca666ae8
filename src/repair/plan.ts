import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import type { NewLine, ObjectEdits, Region, Unit } from '../rules/fix/repair-edits.ts';
import { Flag, type RepairIndex } from '../rules/fix/repair-index.ts';
import { type RepairSettings, RepairState } from '../rules/fix/repair-state.ts';
import { rules } from '../rules/index.ts';
import { staleLeaf } from '../rules/stale-leaf.ts';
import { unansweredCall } from '../rules/unanswered-call.ts';
import { AppError } from '../util/errors.ts';
import { fixKeptIndexes } from './kept-index.ts';
import { reattachLost } from './reattach.ts';

export interface PlanOptions extends RepairSettings {
  /** The input, for messages. */
  readonly name: string;
  readonly settleTools: boolean;
  readonly settleLeaf: boolean;
}

/** A part of the input that is changed, or a place where something is put in. */
export interface Job {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly region?: Region | undefined;
  /** A line that is whole, but changes. */
  readonly unit?: Unit | undefined;
  readonly insert?: NewLine;
}

/** What the last pass does. */
export interface Plan {
  /** In the order of the input; none reaches into another. */
  readonly jobs: readonly Job[];
  readonly editsOf: (unit: Unit) => ObjectEdits | undefined;
  /** Bytes of the input. */
  readonly bytes: number;
  /** For a line that is put in. */
  readonly newline: string;
  /** For the last line. */
  readonly lastNewline: string;
  /** The input has no error, and nothing changes. */
  readonly isHealthy: boolean;
  /** Something has to go to the quarantine. */
  readonly quarantines: boolean;
}

/** For a log without an error, of so many bytes. */
export function unchanged(bytes: number): Plan {
  return {
    jobs: [],
    editsOf: () => undefined,
    bytes,
    newline: '\n',
    lastNewline: '\n',
    isHealthy: true,
    quarantines: false,
  };
}

/** Runs the fixes of the rules, with the whole log in view: first those of single objects, then those of the whole log. */
export async function makePlan(index: RepairIndex, options: PlanOptions): Promise<Plan> {
  const { name, settleTools, settleLeaf } = options;
  const repair = new RepairState(index, options);
  if ((settleTools || settleLeaf) && repair.version === 1) {
    const option = settleTools ? '--settle-tools' : '--settle-leaf';
    throw new AppError(
      `${name}: a version 1 log has no tree for ${option} to add to; repair it without the option, then run 'sessionctl migrate'`,
    );
  }
  const fixes = new Map(rules.map(({ id, fix }) => [id, fix]));
  for (const finding of index.findings) {
    if (repair.mayFix(finding.unit, finding.rule)) fixes.get(finding.found)?.object?.(repair, finding);
  }
  for (const fix of fixes.values()) await fix?.end?.(repair);
  reattachLost(repair);
  if (repair.version === 1) fixKeptIndexes(repair);
  if (settleTools) unansweredCall.settle?.(repair);
  if (settleLeaf) staleLeaf.settle?.(repair);
  return planOf(repair);
}

function planOf(repair: RepairState): Plan {
  const { index, front } = repair;
  const jobs: Job[] = index.regions.map((region) => ({
    offset: region.offset,
    length: region.length,
    line: region.line,
    region,
  }));
  for (const entry of repair.edits.keys()) {
    if (repair.has(entry, Flag.inRegion)) continue;
    jobs.push({
      offset: index.offsets.at(entry),
      length: index.lengths.at(entry),
      line: index.lines.at(entry),
      unit: entry,
    });
  }
  for (const head of [...index.headers, ...index.titles]) {
    if (head.edits && head.alone) jobs.push({ offset: head.offset, length: head.length, line: head.line, unit: head });
  }
  jobs.sort((a, b) => a.offset - b.offset);
  const [first] = jobs;
  // A byte order mark leaves with the line that it damages; else it would damage the next one.
  const takesMark =
    first !== undefined && index.keepsMark && first.offset === BYTE_ORDER_MARK.length && leavesWhole(first, repair);
  if (takesMark) jobs[0] = withMark(first);
  if (front) {
    const isMarked = (index.keepsMark && !takesMark) || jobs[0]?.region?.rule === 'byte-order-mark';
    const job = {
      offset: isMarked ? BYTE_ORDER_MARK.length : 0,
      length: 0,
      line: front.source?.line ?? 1,
      insert: front,
    };
    jobs.splice(jobs.filter(({ offset }) => offset < job.offset).length, 0, job);
  }
  return {
    jobs,
    editsOf: (unit) => repair.editsOf(unit),
    bytes: index.bytes,
    newline: index.firstNewline || '\n',
    lastNewline: index.lastNewline || '\n',
    isHealthy: false,
    quarantines: quarantines(repair),
  };
}

function leavesWhole({ region, unit }: Job, repair: RepairState): boolean {
  const units = region ? region.pieces.flatMap((piece) => piece.unit ?? []) : [unit];
  return units.every((one) => {
    const edits = one === undefined ? undefined : repair.editsOf(one);
    return (edits?.drop ?? edits?.moved) !== undefined;
  });
}

function withMark({ region, offset, length, ...job }: Job): Job {
  const by = BYTE_ORDER_MARK.length;
  const place = { offset: offset - by, length: length + by };
  const pieces = region?.pieces.map((piece) => ({ ...piece, start: piece.start + by, end: piece.end + by }));
  return { ...job, ...place, region: region && pieces && { ...region, ...place, pieces } };
}

function quarantines({ index, edits }: RepairState): boolean {
  if (index.regions.some(({ pieces }) => pieces.some(({ kind, keepsOld }) => kind === 'junk' || keepsOld))) return true;
  if ([...index.headers, ...index.titles].some((head) => head.edits?.drop)) return true;
  for (const { drop } of edits.values()) if (drop) return true;
  return false;
}
