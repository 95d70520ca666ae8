import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import type { RecordChecks, RecordIssue } from '../formats/format.ts';
import type { Line } from '../lines/line.ts';
import { LineBlock } from '../lines/reader.ts';
import { reattachLost } from '../rules/fix/rebuild-tree.ts';
import {
  type AnyUnit,
  type LineIndex,
  type NewLine,
  type RepairIndex,
  RepairState,
} from '../rules/fix/repair-state.ts';
import type { Piece, Region } from '../rules/fix/split-damaged-line.ts';
import { rules } from '../rules/index.ts';
import type { RuleMeta } from '../rules/rule.ts';
import { staleLeaf } from '../rules/stale-leaf.ts';
import { unansweredCall } from '../rules/unanswered-call.ts';
import { LogError } from '../util/errors.ts';
import { partitionPoint } from '../util/search.ts';

export interface PlanOptions {
  /** The input, for messages. */
  readonly name: string;
  /** Whether a rule's findings are fixed. */
  readonly shouldFix: (rule: string) => boolean;
  readonly settleTools: boolean;
  readonly settleLeaf: boolean;
  /** Awaited regularly, so that signals are handled; throws to stop the work. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** What the last pass does. */
export interface Plan {
  /** In the order of the input, without overlaps. */
  readonly regions: readonly Region[];
  readonly bytes: number;
  /** For inserted lines. */
  readonly newline: string;
  /** For the last line. */
  readonly lastNewline: string;
  /** The input has no error, and nothing changes. */
  readonly isHealthy: boolean;
  readonly quarantines: boolean;
  /** Removed bytes are replaced by as many spaces, so that offsets do not change. */
  readonly keepsOffsets?: boolean;
  /** For another agent's log: the checks of its format. */
  readonly checks?: RecordChecks;
  /** Issues found in files next to the log. */
  readonly near?: readonly RecordIssue[] | undefined;
}

/** Findings fixed between two pauses. */
const FINDINGS_AT_ONCE = 10_000;

/** Runs the fixes of the rules: first those of single objects, then those of the whole log. */
export async function makePlan(index: RepairIndex, options: PlanOptions): Promise<Plan> {
  const { name, shouldFix, settleTools, settleLeaf, pause } = options;
  const repair = new RepairState(index, shouldFix);
  if ((settleTools || settleLeaf) && repair.version === 1) {
    const option = settleTools ? '--settle-tools' : '--settle-leaf';
    throw new LogError(
      name,
      `a version 1 log has no tree for ${option} to add to; repair it without the option, then run 'sessionctl migrate'`,
    );
  }
  const fixes = new Map(rules.map(({ id, fix }) => [id, fix]));
  for (const [at, finding] of index.findings.entries()) {
    if (repair.canFix(finding.unit, finding.rule)) fixes.get(finding.found)?.object?.(repair, finding);
    if (at % FINDINGS_AT_ONCE === 0) await pause?.();
  }
  for (const fix of fixes.values()) {
    fix?.end?.(repair);
    if (fix?.end) await pause?.();
  }
  reattachLost(repair);
  await pause?.();
  if (repair.version === 1) fixKeptIndexes(repair);
  if (settleTools) unansweredCall.settle?.(repair);
  if (settleLeaf) staleLeaf.settle?.(repair);
  return planFrom(index, [...index.headers, ...index.titles, ...index.entries], repair.front);
}

/** The plan for the edits of these units, with a line to insert before everything else. */
export function planFrom(index: LineIndex, units: readonly AnyUnit[], front: NewLine | undefined): Plan {
  return {
    regions: regionsOf(index, units, front),
    bytes: index.bytes,
    newline: index.firstNewline || '\n',
    lastNewline: index.lastNewline || '\n',
    isHealthy: false,
    quarantines: quarantines(index, units),
  };
}

export function healthyPlan(bytes: number): Plan {
  return { regions: [], bytes, newline: '\n', lastNewline: '\n', isHealthy: true, quarantines: false };
}

/** The offset of the end of a block or line, including its newline. */
export function endOf(piece: LineBlock | Line): number {
  return piece.offset + (piece instanceof LineBlock ? piece.bytes.length : piece.length + (piece.terminated ? 1 : 0));
}

/** Throws if none of the rules named by the user can be fixed in this log. */
export function requireFix(name: string, named: ReadonlySet<string> | undefined, own: readonly RuleMeta[]): void {
  const asked = own.filter(({ id }) => named?.has(id));
  const [first] = asked;
  if (first && asked.every(({ fixable }) => !fixable))
    throw new LogError(name, `--only: repair does not fix '${first.id}' in such a log: ${first.advice}`);
}

/** All regions that change: damaged lines, and lines of objects with edits. */
function regionsOf(index: LineIndex, units: readonly AnyUnit[], front: NewLine | undefined): Region[] {
  const regions = [...index.regions];
  for (const unit of units) {
    const { line, offset, length } = unit;
    const pieces = [{ kind: 'object', start: 0, end: length, unit }] as const;
    if (unit.edits && !unit.inRegion) regions.push({ line, offset, length, rule: '', pieces, lines: 1 });
  }
  regions.sort((a, b) => a.offset - b.offset);
  const mark = BYTE_ORDER_MARK.length;
  const [first] = regions;
  // A byte order mark is removed together with its line; else it would damage the next one.
  const takesMark = index.keepsMark && first?.offset === mark && first.pieces.every(isRemoved);
  if (takesMark) {
    const pieces = first.pieces.map((piece) => ({ ...piece, start: piece.start + mark, end: piece.end + mark }));
    regions[0] = { ...first, offset: 0, length: first.length + mark, pieces };
  }
  if (front) {
    const marked = index.keepsMark && !takesMark ? mark : 0;
    const offset = regions[0]?.rule === 'byte-order-mark' ? regions[0].length : marked;
    const place = { line: front.source?.line ?? 1, offset, length: 0 };
    const at = regions.filter(({ offset }) => offset < place.offset).length;
    regions.splice(at, 0, { ...place, rule: '', pieces: [], lines: 1, insert: front });
  }
  return regions;
}

function isRemoved({ unit }: Piece): boolean {
  return !unit || unit.edits?.drop !== undefined || unit.edits?.moved !== undefined;
}

function quarantines({ regions }: LineIndex, units: readonly AnyUnit[]): boolean {
  return (
    regions.some(({ pieces }) => pieces.some(({ kind, keepsOld }) => kind === 'junk' || keepsOld)) ||
    units.some(({ edits }) => edits?.drop || edits?.keepsOld !== undefined)
  );
}

/**
 * In version 1 a compaction has the index of the first entry that it keeps, counted with entries that are now lost:
 * this corrects each index. The header has index 0; a rebuilt one takes the place of the lost line.
 */
function fixKeptIndexes(repair: RepairState): void {
  const { entries } = repair.index;
  const counting = entries.filter((one) => one.firstKeptEntryIndex !== undefined && !one.edits?.drop && !one.frozen);
  const staying = entries.filter(({ edits }) => !edits?.drop);
  const lost = lostBefore(repair);
  if (counting.length === 0 || (lost.length === 0 && staying.length === entries.length)) return;
  const firstDrop = entries.find(({ edits }) => edits?.drop);
  /** How many lost entries came before a position. */
  const lostAt = (position: number): number =>
    partitionPoint(0, lost.length, (at) => (lost[at]?.before ?? 0) <= position);
  const counted = entries.map(({ position }) => 1 + position + lostAt(position));
  const outputs = new Map(staying.map((entry, at) => [entry, at + 1]));
  for (const entry of counting) {
    const { position, firstKeptEntryIndex: kept = 0 } = entry;
    if (!Number.isInteger(kept) || kept < 1 || kept > (counted[position] ?? 0)) continue;
    // Indexes rise with positions. If the entry is removed, the next one that stays counts.
    let at = partitionPoint(0, position, (one) => (counted[one] ?? 0) < kept);
    while (at < position && entries[at]?.edits?.drop) at++;
    const meant = entries[at];
    const corrected = meant && outputs.get(meant);
    if (corrected === kept) continue;
    // A kept range never starts with a tool result, so this index was written after the loss.
    const uncorrected = staying[kept - 1];
    const isPlausible = uncorrected && uncorrected.position <= position && uncorrected.role !== 'toolResult';
    if (meant?.role === 'toolResult' && isPlausible) continue;
    const [firstLost] = lost;
    const isLostFirst = firstLost && firstLost.before < kept && firstLost.before <= (firstDrop?.position ?? kept);
    repair.setMember(entry, {
      key: 'firstKeptEntryIndex',
      json: String(corrected),
      // The rule that removed the first thing this index counts.
      rule: (isLostFirst ? firstLost : (firstDrop?.edits?.drop ?? firstLost))?.rule ?? 'torn-line',
      words: `changed the first kept entry from number ${kept} to ${corrected} (assumed)`,
      assumed: true,
    });
  }
}

/** What the writer counted and the output lacks, besides removed entries. */
function lostBefore({ index }: RepairState): { readonly before: number; readonly rule: string }[] {
  const dropped = index.headers.slice(1).filter(({ edits }) => edits?.drop);
  const lost = [
    ...index.lostBefore,
    ...dropped.map(({ position }) => ({ before: position, rule: 'second-header' })),
  ].sort((a, b) => a.before - b.before);
  // Without a header, the first thing lost before all entries was the header.
  return index.headers.length === 0 && lost[0]?.before === 0 ? lost.slice(1) : lost;
}
