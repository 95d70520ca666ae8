import type { RefError } from '../entries/blob-ref.ts';
import type { Damage } from '../entries/damage.ts';
import type { ShapeIssue } from '../entries/schema/index.ts';
import type { RecordChecks } from '../formats/format.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import type { CheckedRecord } from './check/checked-record.ts';
import type { LogFacts } from './check/log-facts.ts';
import type { RecordLog } from './check/record-log.ts';
import type { RecordFinding, RecordRepair } from './fix/record-repair.ts';
import type { InnerEdit, ObjectFinding, RepairState } from './fix/repair-state.ts';
import { type DamagedLine, type Piece, splitDamagedLine } from './fix/split-damaged-line.ts';

export type Severity = 'error' | 'warning';
export type Level = Severity | 'off';
/** What a rule is about. */
export type RuleGroup =
  /** Lines as bytes, before they are JSON objects. */
  | 'bytes'
  /** The header and the title slot. */
  | 'header'
  /** Which members there are, and the kinds of their values. */
  | 'shape'
  /** What the values are: texts, times, sizes. */
  | 'content'
  /** Ids, parents, branches, and the order of entries. */
  | 'tree'
  /** Other names of entries and files. */
  | 'references'
  /** Tool calls and their results. */
  | 'tools'
  /** Thinking and its signatures. */
  | 'thinking'
  /** What providers accept as an image. */
  | 'images'
  /** The blob store; only with --blobs. */
  | 'blobs';

/** The description of a rule; help, README and reports are made from it. */
export interface RuleMeta {
  /** Kebab-case, final once released. */
  readonly id: string;
  readonly level: Level;
  readonly group: RuleGroup;
  /** What it finds, in one line. */
  readonly summary: string;
  /** Why it matters: what agents do with it. */
  readonly why: string;
  /** How it comes about. */
  readonly arises: string;
  /** What to do about it. */
  readonly advice: string;
  /** Whether `sessionctl repair` fixes it, in logs of at least one format. */
  readonly fixable: boolean;
  /** Lines of its bad fixture that show it; `…` is what was left out of a line, or lines, and `\xe9` a byte. */
  readonly example: string;
}

/** A problem that a rule found in a file. */
export interface Finding {
  /** The path as the user gave it, '-' for stdin; '' for a log without a name. */
  readonly file: string;
  /** Counted from 1; 1 if the finding is about the whole file. */
  readonly line: number;
  /** The byte at which the line starts. */
  readonly offset: number;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly entryId?: string;
  /** Where inside the entry, such as message.content[0].text. */
  readonly path?: string;
  /** Whether `repair` fixes it. */
  readonly fixable: boolean;
}

export interface CheckedLine {
  readonly line: Line;
  readonly damage: Damage | undefined;
  /** How many whole objects it has. */
  readonly objects: number;
}

/** A header, a title slot or an entry. */
export interface CheckedObject {
  readonly kind: 'header' | 'title' | 'entry';
  readonly line: Line;
  readonly value: JsonObject;
  readonly text: string;
  readonly id: string | undefined;
  /** As returned by readTime. */
  readonly time: number | undefined;
  /** Issues found by the schemas. */
  readonly shape: readonly ShapeIssue[];
}

export interface FindingPlace {
  readonly line: number;
  readonly offset: number;
  readonly entryId?: string | undefined;
  readonly path?: string | undefined;
}

/** Reports a finding; severity and fixable only if they differ from those of the rule. */
export type Report = (place: FindingPlace, message: string, severity?: Severity, fixable?: boolean) => void;

/** How repair fixes what a rule finds. */
export interface Fix {
  /** Splits a damaged line into pieces: each object gets a line of its own, the others are removed. */
  readonly line?: (line: DamagedLine) => readonly Piece[];
  /** Fixes a finding of `object`, after the bytes of all lines were fixed; only called if `canFix`. */
  readonly object?: (repair: RepairState, finding: ObjectFinding) => void;
  /** Fixes problems of the whole log, after its objects and in the order of the table; must ask `canFix` itself. */
  readonly end?: (repair: RepairState) => void;
  /** Fixes findings in another agent's log; the rules then check it again. */
  readonly records?: (repair: RecordRepair, findings: readonly RecordFinding[]) => void;
  /** The same for parents of records, after everything else. */
  readonly parents?: (repair: RecordRepair, findings: readonly RecordFinding[]) => void;
}

export interface Rule extends RuleMeta {
  /** In native logs. */
  readonly fixable: boolean;
  /** Checks a line, in order. Called for every damaged or blank line; healthy ones may be skipped. */
  readonly line?: (line: CheckedLine, report: Report) => void;
  /**
   * What `object` depends on. 'shape': keys, kinds of values (an empty string is a kind of its own) and the values of
   * `type` and `role`, so that one line of each shape is enough. 'unscanned': only lines that the scanner never
   * accepts (src/scanner/assembly): other types than those of `TYPE`, headers, times that are not ISO 8601, halves of
   * surrogate pairs, fields as those of `transient-field`. 'values': `PlainEntries.add` in check/fast-path.ts has each
   * line parsed in which the rule may find something. Without it, every line is parsed while the rule is on.
   */
  readonly looksAt?: 'shape' | 'unscanned' | 'values';
  /**
   * Checks a whole object, in order, before it is added to the log's facts. Logs may be checked at the same time: what
   * a rule remembers from line to line belongs to `log`, as a member of it or in a WeakMap.
   */
  readonly object?: (object: CheckedObject, log: LogFacts, report: Report) => void;
  readonly end?: (log: LogFacts, report: Report) => void;
  /** Checks a record of another agent's log, in order, before it is added to the log's facts. */
  readonly record?: (record: CheckedRecord, log: RecordLog, report: Report) => void;
  readonly recordsEnd?: (log: RecordLog, report: Report) => void;
  /**
   * During a repair `end` does not run, and the facts that `object` gets have only headers and counts: a rule that asks
   * for other entries is fixed by `fix.end`, which looks for itself.
   */
  readonly fix?: Fix | undefined;
  /** Fixed in logs of every format where the repaired log is written, without a fix for records. */
  readonly isFixedByWriter?: true;
  /**
   * Its fix only removes lines: no other fix needs it, and lines stay in logs that others refer to by byte offset.
   */
  readonly removesLines?: true;
  /** A fix that is only made with its option. */
  readonly settle?: (repair: RepairState) => void;
}

/** Whether repair fixes the rule's findings in another agent's log: of this format, or of any. */
export function fixesRecords({ isFixedByWriter, fix }: Rule, checks?: Pick<RecordChecks, 'edit'>): boolean {
  if (checks && !checks.edit) return false;
  const hasTree = checks?.edit?.paths.parentId !== undefined || !checks;
  return [isFixedByWriter, fix?.line, fix?.records, hasTree && fix?.parents].some(Boolean);
}

/** Whether repair fixes the rule's findings in logs of at least one format, so that `--only` may name it. */
export function isFixable(rule: Rule): boolean {
  return rule.fixable || fixesRecords(rule);
}

/** A rule is fixable where it has a fix. */
export function defineRule(
  id: string,
  level: Level,
  group: RuleGroup,
  rule: Omit<Rule, 'id' | 'level' | 'group' | 'fixable'>,
): Rule {
  return { id, level, group, fixable: [rule.fix?.line, rule.fix?.object, rule.fix?.end].some(Boolean), ...rule };
}

/** Whether a rule applies to native logs; some are only for other formats. */
export function isNative({ line, object, end }: Rule): boolean {
  return (line ?? object ?? end) !== undefined;
}

/** Whether repair fixes the rule's findings in native logs, or, for rules that do not apply there, in any log. */
export function fixedWhereFound(rule: Rule): boolean {
  return rule.fixable || (!isNative(rule) && fixesRecords(rule));
}

/** What a rule that is on has found; `fixable` is false where repair cannot fix this one. */
export function findingOf(
  { id, severity, fixable }: Rule & { readonly severity: Severity },
  file: string,
  { line, offset, entryId, path }: FindingPlace,
  message: string,
  isFixable = true,
): Finding {
  return {
    ...{ file, line, offset, rule: id, severity, message },
    ...(entryId === undefined ? {} : { entryId }),
    ...(path ? { path } : {}),
    fixable: fixable && isFixable,
  };
}

export const WHOLE_FILE: FindingPlace = { line: 1, offset: 0 };

export function placeOf(object: CheckedObject, path?: string): FindingPlace {
  return { line: object.line.number, offset: object.line.offset, entryId: object.id, path };
}

export function placeOfLine(line: Line): FindingPlace {
  return { line: line.number, offset: line.offset };
}

type RuleTexts = Pick<Rule, 'summary' | 'why' | 'arises' | 'advice' | 'example' | 'fix' | 'record' | 'recordsEnd'>;

/** A rule that reports the schema issues with its id. */
export function shapeRule(id: ShapeIssue['kind'], level: Level, group: RuleGroup, texts: RuleTexts): Rule {
  return defineRule(id, level, group, {
    ...texts,
    looksAt: 'shape',
    object: (object, _log, report) => {
      for (const { kind, path, message } of object.shape) if (kind === id) report(placeOf(object, path), message);
    },
  });
}

/** A fix that changes the text of an object. */
export function insideFix(edit: Omit<InnerEdit, 'rule'>): Fix {
  return { object: (repair, { unit, rule }) => repair.editInside(unit, { ...edit, rule }) };
}

/** A rule on lines with the damage of its id; repair splits such lines. */
export function damageRule(
  id: Damage,
  { message, ...texts }: RuleTexts & { message: (line: CheckedLine) => string },
): Rule {
  return defineRule(id, 'error', 'bytes', {
    line: (line, report) => {
      if (line.damage === id) report(placeOfLine(line.line), message(line));
    },
    fix: { line: splitDamagedLine },
    ...texts,
  });
}

/** Every blob reference in an entry's text with its JSON path, and its problem, if any; only with --blobs. */
export type BlobLookup = (
  text: string,
) => readonly { readonly path: string; readonly ref: string; readonly problem: RefError | undefined }[];

export function blobRule(id: RefError, { message, ...texts }: RuleTexts & { message: (ref: string) => string }): Rule {
  return defineRule(id, 'error', 'blobs', {
    ...texts,
    object: (object, log, report) => {
      for (const { path, ref, problem } of log.blobs?.(object.text) ?? []) {
        if (problem === id) report(placeOf(object, path), message(ref.length > 100 ? `${ref.slice(0, 100)}...` : ref));
      }
    },
  });
}

/** Every nested value that passes the test, with its path. No recursion, because logs may nest deeply. */
export function* findDeep<Found>(
  root: JsonObject,
  test: (value: unknown, key: string, parent: JsonObject) => value is Found,
): Generator<{ readonly value: Found; readonly key: string; readonly path: string }, void, void> {
  const waiting = [{ parent: root, path: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { parent, path } = next;
    const below: typeof waiting = [];
    for (const [key, value] of Object.entries(parent)) {
      const at = Array.isArray(parent) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (test(value, key, parent)) yield { value, key, path: at };
      else if (typeof value === 'object' && value !== null) below.push({ parent: value as JsonObject, path: at });
    }
    for (const one of below.reverse()) waiting.push(one);
  }
}
