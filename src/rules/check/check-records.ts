import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readContent } from '../../entries/damage.ts';
import type { NearLog, RecordChecks, RecordFacts, RecordIssue, SnapshotFacts } from '../../formats/format.ts';
import { type JsonObject, parseObject } from '../../json/value.ts';
import type { Line } from '../../lines/line.ts';
import type { LineBlock } from '../../lines/reader.ts';
import { outlines, type ReadLine, wholeLines } from '../../lines/short-lines.ts';
import type { Scanner } from '../../scanner/scanner.ts';
import { rules } from '../index.ts';
import {
  type Finding,
  type FindingPlace,
  findingOf,
  fixesRecords,
  type Level,
  type Report,
  type Rule,
  type Severity,
} from '../rule.ts';
import { type CheckedRecord, placeOfRecord } from './checked-record.ts';
import { readTime } from './log-facts.ts';
import { RecordLog } from './record-log.ts';

/** A lost header is rebuilt from at most this many records. */
export const HEADER_RECORDS = 64;

export interface RecordCheckOptions {
  /** The name used in findings. */
  readonly file: string;
  readonly checks: RecordChecks;
  /** Levels that differ from those of the format. */
  readonly levels?: ReadonlyMap<string, Level> | undefined;
  /** Every warning is an error. */
  readonly strict?: boolean | undefined;
  /** The first record, if it is known before the lines are read. */
  readonly first?: JsonObject | undefined;
  /** Issues found in files next to the log; reported at the first record. */
  readonly near?: readonly RecordIssue[] | undefined;
  readonly snapshots?: readonly SnapshotFacts[] | undefined;
  /** The whole log, if it stays in memory until the end. */
  readonly input?: Buffer | undefined;
  /** 8 random bytes. */
  readonly hashKey: Uint8Array;
  /** Skips members that no rule reads; findings are the same with and without it. */
  readonly scanner?: Scanner | undefined;
  readonly onFinding: (finding: Finding) => void;
}

/** Messages about damage in a document, which has no lines. */
const DOCUMENT_DAMAGE: Readonly<Record<string, string>> = {
  'torn-line': 'the document ends here, though it is not complete',
  'not-json': 'a piece of the document is not valid JSON',
  'invalid-utf8': 'a piece of the document is not valid UTF-8',
  'nul-bytes': 'a piece of the document has NUL bytes',
  'oversize-line': 'a piece of the document is too long to be held',
};

type ActiveRecordRule = Rule & { readonly severity: Severity };

/** Shared between logs. */
const made = new WeakMap<
  RecordChecks,
  { levels: ReadonlyMap<string, Level> | undefined; active: ActiveRecordRule[] }
>();

/** The active rules of a format with their severity: as set by the user, else by the format. */
export function recordRules(checks: RecordChecks, levels?: ReadonlyMap<string, Level>): ActiveRecordRule[] {
  const known = made.get(checks);
  if (known && known.levels === levels) return known.active;
  const active = rules.flatMap((rule) => {
    const own = checks.levels[rule.id];
    const severity = own === undefined ? 'off' : (levels?.get(rule.id) ?? own);
    return severity === 'off' ? [] : [{ ...rule, severity, fixable: fixesRecords(rule, checks) }];
  });
  made.set(checks, { levels, active });
  return active;
}

/** Checks another agent's log: call `line` or `block` for all lines, then `end`. */
export class RecordCheck {
  readonly log: RecordLog;
  readonly #file: string;
  readonly #checks: RecordChecks;
  readonly #rules: readonly ActiveRecordRule[];
  readonly #recordRules: readonly ActiveRecordRule[];
  /** Levels set by the user override the severity of a single finding. */
  readonly #levels: ReadonlyMap<string, Level>;
  readonly #strict: boolean;
  readonly #near: readonly RecordIssue[];
  readonly #scanner: Scanner | undefined;
  #onFinding: (finding: Finding) => void;
  #rule: ActiveRecordRule | undefined;
  /** The bytes of the last record, if parts of it were skipped. */
  #cut: Buffer | undefined;
  readonly #report: Report = (place, message, severity, fixable) => this.#found(place, message, severity, fixable);
  /** Other files may refer to offsets in this log. */
  #keepsOffsets: boolean;

  constructor(options: RecordCheckOptions) {
    const { file, checks, levels, strict, first, near, snapshots, input, hashKey, scanner, onFinding } = options;
    this.#file = file;
    this.#checks = checks;
    this.#levels = levels ?? new Map();
    this.#strict = strict === true;
    this.#near = near ?? [];
    this.#keepsOffsets = first !== undefined && checks.keepsOffsets?.(first) === true;
    this.#scanner = scanner;
    this.#rules = recordRules(checks, levels);
    this.#recordRules = this.#rules.filter(({ record }) => record);
    this.#onFinding = onFinding;
    this.log = new RecordLog(hashKey, input);
    for (const snapshot of snapshots ?? []) this.log.snapshots.push({ ...snapshot, position: -1 });
  }

  /** Checks a block of lines: those that are one record are added directly, the others go through `line`. */
  block(block: LineBlock): void {
    if (!block.wellFormed) {
      for (const line of block.split()) this.line(line);
      return;
    }
    let { number } = block;
    for (const { start, length, text, isCut } of this.#linesOf(block)) {
      const value = number > 1 ? parseObject(text) : undefined;
      const facts = value && this.#checks.describe(value);
      // A message about a record may quote what was skipped.
      if (value && facts && !(isCut && facts.issues.length > 0)) {
        this.log.lines++;
        const bytes = block.bytes.subarray(start, start + length);
        const { content } = facts;
        const isCompared = content !== undefined && (!isCut || this.#mayRepeat(content));
        if (isCompared) this.#completeLast();
        const place = { number, offset: block.offset + start, bytes };
        this.record(value, text, place, isCut && isCompared ? this.#whole(bytes) : facts);
        this.#cut = isCut && content ? bytes : undefined;
        if (this.#cut) this.log.lastContent = content;
      } else this.line(block.line(start, length, number));
      number++;
    }
    // The block's memory is reused.
    this.#completeLast();
    block.lines = number - block.number;
  }

  #linesOf(block: LineBlock): Iterable<ReadLine> {
    const scanner = this.#scanner;
    const { reads } = this.#checks;
    if (!reads || !scanner?.load(block.bytes)) return wholeLines(block.bytes);
    return outlines(block, scanner, reads);
  }

  /** Whether a record with skipped parts may equal the one before it. */
  #mayRepeat(content: JsonObject): boolean {
    const { lastContent } = this.log;
    return lastContent !== undefined && (!this.#cut || isDeepStrictEqual(content, lastContent));
  }

  /** Reads the parts of the last record that were skipped. */
  #completeLast(): void {
    if (this.#cut) this.log.lastContent = this.#whole(this.#cut)?.content;
    this.#cut = undefined;
  }

  #whole(bytes: Buffer): RecordFacts | undefined {
    const value = parseObject(bytes.toString('utf8'));
    return value && this.#checks.describe(value);
  }

  line(line: Line): void {
    const { log } = this;
    this.#completeLast();
    log.lines++;
    const { damage, objects } = readContent(line, undefined, this.#checks.isRecord);
    if (damage === 'oversize-line') log.firstOversizeLine ||= line.number;
    const checked = { line, damage, objects: objects.length };
    const isUsual = damage === undefined && objects.length === 1 && line.terminated && line.number > 1;
    if (!isUsual) {
      const severity = damage && this.#checks.damageSeverity?.(damage, line.raw);
      const report: Report = (place, message) => {
        const isKept = this.#keepsOffsets && this.#rule?.removesLines;
        this.#found(place, message, this.#rule?.id === damage ? severity : undefined, isKept ? false : undefined);
      };
      this.#each((rule) => rule.line?.(checked, report));
    }
    for (const { value, text } of objects) this.record(value, text, line);
  }

  /** Reports a part of a document or a database row that is not a record, by the rule of its damage. */
  damaged(line: number, damage: string, isRow = false): void {
    const message = isRow ? `row ${line} of the session is damaged` : DOCUMENT_DAMAGE[damage];
    this.#each((rule) => rule.id === damage && this.#report({ line, offset: 0 }, message ?? rule.summary));
  }

  /** Checks one whole record. */
  record(
    value: JsonObject,
    text: string,
    { number, offset, bytes }: Pick<Line, 'number' | 'offset'> & Pick<CheckedRecord, 'bytes'>,
    facts = this.#checks.describe(value),
  ): void {
    const time = readTime(facts.timestamp);
    if (!this.log.header) this.#beforeHeader(value, facts);
    const record: CheckedRecord = { line: number, offset, text, bytes, facts, time };
    const issues = this.log.size === 0 ? [...facts.issues, ...this.#near] : facts.issues;
    if (issues.length > 0) this.#each((rule) => this.#issues(rule, record, issues));
    for (const rule of this.#recordRules) {
      this.#rule = rule;
      rule.record?.(record, this.log, this.#report);
    }
    this.log.add(record);
  }

  #beforeHeader(value: JsonObject, { isHeader }: RecordFacts): void {
    const { log } = this;
    const { edit, keepsOffsets } = this.#checks;
    if (isHeader) this.#keepsOffsets = keepsOffsets?.(value) === true;
    if (!log.canRebuildHeader && log.size < HEADER_RECORDS)
      log.canRebuildHeader = edit?.header?.([value], '') !== undefined;
  }

  #issues({ id }: ActiveRecordRule, record: CheckedRecord, issues: readonly RecordIssue[]): void {
    for (const { rule, path, message, severity } of issues)
      if (rule === id) this.#report(placeOfRecord(record, path), message, severity);
  }

  /** Checks the files that records name, each once. */
  async lookAtFiles(near: NearLog): Promise<void> {
    const known = new Map<string, string | undefined>();
    for (const named of this.log.files) {
      const { file, folder, sha256 } = named;
      if (!known.has(file)) known.set(file, await hashOf(near, file, folder));
      const found = known.get(file);
      if (found === undefined) named.problem = 'missing';
      else if (sha256 !== undefined && sha256 !== found) named.problem = 'damaged';
    }
  }

  end(): void {
    for (const _ of this.ending());
  }

  /** The same, yielding after each rule. */
  *ending(): Generator<void> {
    const onFinding = this.#onFinding;
    const atEnd: Finding[] = [];
    this.#onFinding = (finding) => atEnd.push(finding);
    for (const rule of this.#rules) {
      if (!rule.recordsEnd) continue;
      this.#rule = rule;
      rule.recordsEnd(this.log, this.#report);
      yield;
    }
    for (const finding of atEnd.sort((one, other) => one.line - other.line)) onFinding(finding);
  }

  #each(look: (rule: ActiveRecordRule) => void): void {
    for (const rule of this.#rules) {
      this.#rule = rule;
      look(rule);
    }
  }

  #found(place: FindingPlace, message: string, severity?: Severity, fixable?: boolean): void {
    const rule = this.#rule;
    if (!rule) return;
    const own = this.#levels.has(rule.id) ? rule.severity : (severity ?? rule.severity);
    const found = findingOf(rule, this.#file, place, message, fixable);
    this.#onFinding({ ...found, severity: this.#strict ? 'error' : own });
  }
}

/** The SHA-256 of a file in hex; undefined if it is not in its folder. */
async function hashOf(near: NearLog, path: string, folder: string): Promise<string | undefined> {
  const file = await near.open(path, folder);
  if (!file) return undefined;
  try {
    const digest = createHash('sha256');
    for await (const chunk of file.chunks()) digest.update(chunk);
    return digest.digest('hex');
  } finally {
    await file.close();
  }
}
