import type { Damage } from '../entries/damage.ts';
import type { ShapeIssue } from '../entries/schema/index.ts';
import type { RecordChecks } from '../formats/format.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import type { CheckedRecord } from './check/checked-record.ts';
import type { LogFacts } from './check/log-facts.ts';
import type { RecordLog } from './check/record-log.ts';
import type { RecordFinding, RecordRepair } from './fix/record-repair.ts';
import type { ObjectFinding, RepairState } from './fix/repair-state.ts';
import { type DamagedLine, type Piece, splitDamagedLine } from './fix/split-damaged-line.ts';

export type Severity = 'error' | 'warning';
export type Level = Severity | 'off';
export type RuleGroup =
  | 'bytes'
  | 'header'
  | 'shape'
  | 'content'
  | 'tree'
  | 'references'
  | 'tools'
  | 'thinking'
  | 'images'
  | 'blobs';

/** What a rule is, apart from how it looks for it; help, README and reports are made from this. */
export interface RuleMeta {
  /** Kebab-case, final once released. */
  readonly id: string;
  readonly level: Level;
  readonly group: RuleGroup;
  /** What it finds, in one line. */
  readonly summary: string;
  /** Why it matters: what the agents do with it. */
  readonly why: string;
  /** How it comes about. */
  readonly arises: string;
  /** What to do about it. */
  readonly advice: string;
  /** Whether `sessionctl repair` fixes it. */
  readonly fixable: boolean;
  /** Lines of a log that show it. */
  readonly example: string;
}

/** One thing that a rule has to say about one place of one file. */
export interface Finding {
  /** The path as the user gave it, '-' for stdin. */
  readonly file: string;
  /** Counted from 1; what concerns the whole file is line 1, offset 0. */
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

/** A line with what it holds. */
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
  /** As readTime gives it. */
  readonly time: number | undefined;
  /** What the schemas say about it. */
  readonly shape: readonly ShapeIssue[];
}

/** Where a finding is. */
export interface FindingPlace {
  readonly line: number;
  readonly offset: number;
  readonly entryId?: string | undefined;
  readonly path?: string | undefined;
}

/** A severity other than that of the rule, and whether repair fixes it, where this very finding differs. */
export type Report = (place: FindingPlace, message: string, severity?: Severity, fixable?: boolean) => void;

/** How repair fixes what a rule finds, by what the rule looks at. */
export interface Fix {
  /** The pieces that a line is split into: each object gets a line of its own, the others leave. */
  readonly line?: (line: DamagedLine) => readonly Piece[];
  /** Fixes what the rule found in a header, a title slot or an entry; the bytes of all lines are fixed then. */
  readonly object?: (repair: RepairState, finding: ObjectFinding) => void;
  /** Fixes what concerns the whole log, when its objects are fixed; has to ask `mayFix`. */
  readonly end?: (repair: RepairState) => void;
  /** Fixes what the rule found in a log of another agent; then the rules are asked again. */
  readonly records?: (repair: RecordRepair, findings: readonly RecordFinding[]) => void;
  /** The same for the parents of records, when all else is fixed. */
  readonly parents?: (repair: RecordRepair, findings: readonly RecordFinding[]) => void;
}

export interface Rule extends RuleMeta {
  /** Looks at every line that is damaged or blank, in order; healthy ones may be passed over. */
  readonly line?: (line: CheckedLine, report: Report) => void;
  /**
   * What `object` looks at, if not at everything. 'shape': keys, kinds of values (an empty string is one of its own)
   * and the values of `type` and `role`, so that of all lines of one shape one is enough. 'unscanned': only at lines
   * that the scanner leaves to a full reading anyway. 'values' where the fast path asks the same question of its own
   * facts. Without it every line is read in full while the rule is on.
   */
  readonly looksAt?: 'shape' | 'unscanned' | 'values';
  /** Looks at every whole object, in order, before it joins the log's facts. */
  readonly object?: (object: CheckedObject, log: LogFacts, report: Report) => void;
  /** Looks at the whole log. */
  readonly end?: (log: LogFacts, report: Report) => void;
  /** Looks at every record of another agent's log, in order, before it joins the log's facts. */
  readonly record?: (record: CheckedRecord, log: RecordLog, report: Report) => void;
  /** Looks at the whole log of another agent. */
  readonly recordsEnd?: (log: RecordLog, report: Report) => void;
  /** In a repair `object` sees only headers and counts in the facts of the log. */
  readonly fix?: Fix | undefined;
  /** A fix that repair makes only if an option asks for it. */
  readonly settle?: (repair: RepairState) => void;
}

/** Whether repair fixes what the rule finds in a log of another agent: of this one, or of any. */
export function fixesRecords({ id, fix }: Rule, checks?: RecordChecks): boolean {
  if (checks && !checks.edit) return false;
  const hasTree = checks?.edit?.paths.parentId !== undefined || !checks;
  return id === 'missing-final-newline' || [fix?.line, fix?.records, hasTree && fix?.parents].some(Boolean);
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

/** Whether a rule has something to say about native logs; some are for logs of other agents only. */
export function isNative({ line, object, end }: Rule): boolean {
  return (line ?? object ?? end) !== undefined;
}

/** Whether repair fixes what the rule finds in native logs, or in others where it is for those only. */
export function fixedWhereFound(rule: Rule): boolean {
  return rule.fixable || (!isNative(rule) && fixesRecords(rule));
}

export const WHOLE_FILE: FindingPlace = { line: 1, offset: 0 };

export function placeOf(object: CheckedObject, path?: string): FindingPlace {
  return { line: object.line.number, offset: object.line.offset, entryId: object.id, path };
}

export function placeOfLine(line: Line): FindingPlace {
  return { line: line.number, offset: line.offset };
}

type RuleTexts = Pick<Rule, 'summary' | 'why' | 'arises' | 'advice' | 'example' | 'fix' | 'record' | 'recordsEnd'>;

/** A rule that passes on what the schemas say; they call the issue by its id. */
export function shapeRule(id: ShapeIssue['kind'], level: Level, group: RuleGroup, texts: RuleTexts): Rule {
  return defineRule(id, level, group, {
    ...texts,
    looksAt: 'shape',
    object: (object, _log, report) => {
      for (const { kind, path, message } of object.shape) if (kind === id) report(placeOf(object, path), message);
    },
  });
}

/** A rule on lines with damage of its id, which repair splits into what is whole and what is not. */
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

export type BlobProblem = 'bad-blob-ref' | 'missing-blob' | 'damaged-blob';

/** Every reference of an entry's text with its JSON path, and what is wrong with it, if anything; only with --blobs. */
export type BlobLookup = (
  text: string,
) => readonly { readonly path: string; readonly ref: string; readonly problem: BlobProblem | undefined }[];

/** A rule on references to the blob store. */
export function blobRule(
  id: BlobProblem,
  { message, ...texts }: RuleTexts & { message: (ref: string) => string },
): Rule {
  return defineRule(id, 'error', 'blobs', {
    ...texts,
    object: (object, log, report) => {
      for (const { path, ref, problem } of log.blobs?.(object.text) ?? []) {
        if (problem === id) report(placeOf(object, path), message(ref.length > 100 ? `${ref.slice(0, 100)}...` : ref));
      }
    },
  });
}

/** Every value below that the test accepts, with its path. No recursion: a log may nest as deep as it likes. */
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
