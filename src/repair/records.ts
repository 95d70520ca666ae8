import { hash } from 'node:crypto';
import type { RecordChecks, RecordEditor, RecordFacts, RecordIssue } from '../formats/format.ts';
import { valueAt, withValueAt } from '../json/path.ts';
import { applySplices } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { decodeUtf8, type Line } from '../lines/line.ts';
import { LineBlock, readBlocks, readLineBatches } from '../lines/reader.ts';
import { HEADER_RECORDS, RecordCheck, recordRules } from '../rules/check/check-records.ts';
import {
  insideOf,
  listOf,
  type RecordFinding,
  RecordIndex,
  RecordRepair,
  type RecordUnit,
} from '../rules/fix/record-repair.ts';
import { editsOf } from '../rules/fix/repair-state.ts';
import { rules } from '../rules/index.ts';
import { missingFinalNewline } from '../rules/missing-final-newline.ts';
import { type Finding, fixesRecords, type Severity } from '../rules/rule.ts';
import { unansweredCall } from '../rules/unanswered-call.ts';
import { LogError } from '../util/errors.ts';
import type { RepairRequest } from './index.ts';
import { endOf, healthyPlan, type Plan, planFrom, requireFix } from './plan.ts';
import { type FoundObject, LineSplitter, withoutEnding } from './split-lines.ts';

type ShouldFix = (rule: string, severity?: Severity) => boolean;

/** A torn header may still show its id in this many bytes. */
const START_BYTES = 4096;
/** More than any log needs; two fixes could otherwise undo each other forever. */
const MAX_ROUNDS = 100;
/** Records checked between two pauses. */
const RECORDS_AT_ONCE = 10_000;
/** After this many reads all damage is fixed, not only what an error depends on. */
const MAX_READS = 3;

const LINE_REMOVING: ReadonlySet<string> = new Set(rules.filter((rule) => rule.removesLines).map(({ id }) => id));

/** Plans the repair of another agent's log, in its own format. */
export async function planRecords(request: RepairRequest, checks: RecordChecks): Promise<Plan> {
  const { name, only, settleTools, settleLeaf } = request;
  const { edit } = checks;
  if (!edit) throw new LogError(name, 'repair does not write logs of this format; nothing was written');
  if (settleLeaf) throw new LogError(name, '--settle-leaf is only for logs of pi and omp');
  requireFix(
    name,
    request.named,
    rules.map((rule) => ({ ...rule, fixable: fixesRecords(rule, checks) && rule.id in checks.levels })),
  );
  const shouldFix: ShouldFix = (rule, severity) => {
    const level = checks.levels[rule] ?? 'off';
    if (level === 'off') return false;
    if (settleTools && rule === unansweredCall.id) return true;
    return only ? only.has(rule) : (severity ?? level) === 'error';
  };
  const asksForMore = settleTools || only !== undefined;
  const bytes = request.rereadable && !asksForMore ? await bytesOfHealthy(request, checks) : undefined;
  if (bytes !== undefined) return healthyPlan(bytes);
  const { builder, repair } = await fixRecords(request, checks, edit, shouldFix);
  const { index } = builder;
  const { unterminated } = index;
  if (unterminated && !unterminated.frozen && shouldFix(missingFinalNewline.id))
    editsOf(unterminated).addNewline = true;
  const keepsOffsets =
    builder.keepsOffsets || (repair.header !== undefined && checks.keepsOffsets?.(repair.header) === true);
  const plan = planFrom(index, index.units, repair.front);
  const regions = plan.regions.filter(({ rule }) => !keepsOffsets || !LINE_REMOVING.has(rule));
  return { ...plan, regions, keepsOffsets, checks, near: await nearIssues(index.first[0], request, checks) };
}

/** Harmless damage stays, unless an error on the same line can only be fixed with it. */
async function fixRecords(request: RepairRequest, checks: RecordChecks, edit: RecordEditor, shouldFix: ShouldFix) {
  const more = new Set<number>();
  for (let reads = 1; ; reads++) {
    const isMore = (line = 0): boolean => more.has(line) || reads > MAX_READS;
    const builder = new RecordIndexBuilder(checks, shouldFix, isMore, request);
    for await (const batch of readLineBatches(request.read())) for (const line of batch) builder.take(line);
    builder.end();
    const repair = new RecordRepair(builder.index, edit);
    repair.keepImage = request.keepImage;
    await fixAll(repair, checks, shouldFix, request);
    const { size } = more;
    for (const line of request.only ? [] : repair.blocked) more.add(line);
    if (more.size === size || reads > MAX_READS) return { builder, repair };
  }
}

/** The check of validate. */
export function recordCheck(
  checks: RecordChecks,
  { random }: Pick<RepairRequest, 'random'>,
  onFinding: (finding: Finding) => void,
  near?: readonly RecordIssue[],
): RecordCheck {
  return new RecordCheck({ file: '', checks, near, hashKey: random(8), onFinding });
}

/** Issues found in files next to the log. */
async function nearIssues(first: unknown, { near }: RepairRequest, checks: RecordChecks) {
  return isObject(first) && near ? await checks.near?.(first, near) : undefined;
}

/** The size of a log without errors; undefined for any other. */
async function bytesOfHealthy(request: RepairRequest, checks: RecordChecks): Promise<number | undefined> {
  let bytes = 0;
  let isStart = true;
  let hasError = false;
  const check = recordCheck(checks, request, ({ severity }) => {
    hasError ||= severity === 'error';
  });
  for await (const piece of readBlocks(request.read())) {
    if (isStart) {
      const lines: readonly Line[] = piece instanceof LineBlock ? piece.split() : [piece];
      const first = lines.find(({ blank }) => !blank);
      if (first && (await nearIssues(first.json, request, checks))?.length) return undefined;
      isStart = !first;
    }
    if (piece instanceof LineBlock) check.block(piece);
    else check.line(piece);
    bytes = endOf(piece);
    if (hasError) return undefined;
  }
  check.end();
  return hasError ? undefined : bytes;
}

/** Runs the fixes one after the other; after each change all rules check again, so that its effects are fixed too. */
async function fixAll(repair: RecordRepair, checks: RecordChecks, shouldFix: ShouldFix, request: RepairRequest) {
  const active = recordRules(checks);
  const fixes = [
    ...active.map(({ id, fix }) => ({ id, fix: fix?.records })),
    ...active.map(({ id, fix }) => ({ id, fix: fix?.parents })),
  ];
  const run = async (findings: readonly RecordFinding[], isOnce: boolean): Promise<boolean> => {
    const before = repair.changes;
    for (const { id, fix } of fixes) {
      const found = fix ? findings.filter(({ rule, unit }) => rule === id && !repair.isFrozen(unit)) : [];
      if (found.length > 0) {
        fix?.(repair, found);
        await request.pause?.();
      }
      repair.forgetRemoved();
      if (!isOnce && repair.changes > before) return true;
    }
    return repair.changes > before;
  };
  await recheck(repair, checks, shouldFix, request);
  await run(repair.index.findings, true);
  for (let round = 0; round < MAX_ROUNDS; round++)
    if (!(await run(await recheck(repair, checks, shouldFix, request), false))) break;
  repair.finish();
}

/** Checks the records in their current state. */
async function recheck(repair: RecordRepair, checks: RecordChecks, shouldFix: ShouldFix, request: RepairRequest) {
  const findings: RecordFinding[] = [];
  const units = repair.next();
  const byOffset = new Map(units.map((unit) => [unit.offset, unit]));
  const check = recordCheck(checks, request, ({ rule, severity, offset, path, fixable }) => {
    // A finding about the whole file belongs to its first record.
    const unit = byOffset.get(offset) ?? units[0];
    if (unit && fixable && shouldFix(rule, severity)) findings.push({ unit, rule, path });
  });
  check.log.firstOversizeLine = repair.index.firstOversizeLine;
  check.log.lines = repair.index.lines;
  // Whether it can be rebuilt was checked when the records were read.
  check.log.canRebuildHeader = true;
  if (repair.header) check.log.header = checks.describe(repair.header);
  for (const { line, offset, facts, digest, order } of units) {
    check.record({}, digest, { number: line, offset }, facts);
    if (order % RECORDS_AT_ONCE === 0) await request.pause?.();
  }
  for (const _ of check.ending()) await request.pause?.();
  repair.log = check.log;
  return findings;
}

/** Reads a log line by line: fixes the bytes of its lines, and runs the record rules on each record found. */
class RecordIndexBuilder {
  readonly index = new RecordIndex();
  keepsOffsets = false;
  #hasHeader = false;
  readonly #checks: RecordChecks;
  readonly #lines: LineSplitter;
  readonly #check: RecordCheck;
  /** The record being checked. */
  #unit: RecordUnit | undefined;
  #value: JsonObject | undefined;

  constructor(checks: RecordChecks, shouldFix: ShouldFix, isMore: (line?: number) => boolean, request: RepairRequest) {
    this.#checks = checks;
    this.#lines = new LineSplitter(this.index, {
      shouldFix: (rule, severity, line) => shouldFix(rule, severity) || (!LINE_REMOVING.has(rule) && isMore(line)),
      severityOf: checks.damageSeverity,
      isEntry: checks.isRecord,
      mayJoin: checks.isRecord,
      onObject: (found) => this.#add(found),
    });
    this.#check = recordCheck(checks, request, ({ rule, severity, path }) => {
      const unit = this.#unit;
      if (!unit || !shouldFix(rule, severity)) return;
      this.index.findings.push({ unit, rule, path });
      const list = path === undefined ? undefined : listOf(path);
      const blocks = list === undefined ? undefined : valueAt(this.#value, list);
      if (list !== undefined && Array.isArray(blocks)) insideOf(unit).lengths.set(list, blocks.length);
    });
  }

  take(line: Line): void {
    this.index.lines++;
    this.index.start ||= line.raw.slice(0, START_BYTES);
    this.#lines.take(line);
  }

  end(): void {
    this.#lines.end();
  }

  /** The facts of a record with the missing members that can be inferred from the others. */
  #inferredFacts(value: JsonObject, { issues }: RecordFacts): RecordFacts | undefined {
    const missing = issues.filter(({ inferred }) => inferred !== undefined);
    if (missing.length === 0) return undefined;
    const whole = missing.reduce((before, { path, inferred }) => withValueAt(before, path, inferred), value);
    return { ...this.#checks.describe(whole), content: undefined };
  }

  #add({ value, line, offset, length, frozen, damage, bytes, splices, newline }: FoundObject): RecordUnit {
    const { index } = this;
    const raw = withoutEnding(applySplices(bytes, splices));
    const text = decodeUtf8(raw);
    const facts = this.#checks.describe(value);
    const origin = hash('sha1', text, 'base64');
    if (facts.isHeader && !this.#hasHeader) this.keepsOffsets = this.#checks.keepsOffsets?.(value) === true;
    this.#hasHeader ||= facts.isHeader === true;
    if (index.first.length < HEADER_RECORDS) index.first.push(value);
    const keepsValue = facts.isHeader || (facts.compaction?.kept.length ?? 0) > 0;
    this.#unit = {
      kind: 'record',
      line,
      offset,
      length,
      inRegion: frozen || damage !== undefined,
      frozen,
      position: index.units.length,
      order: index.units.length,
      edits: undefined,
      newline,
      // Its content may be long and is needed only once.
      facts: facts.content ? { ...facts, content: undefined } : facts,
      digest: origin,
      origin,
      value: keepsValue ? value : undefined,
      raw: facts.isHeader ? raw : undefined,
      isNew: false,
      inferredFacts: this.#inferredFacts(value, facts),
      inside: undefined,
    };
    index.units.push(this.#unit);
    this.#value = value;
    this.#check.record(value, text, { number: line, offset }, facts);
    return this.#unit;
  }
}
