import type { Damage } from '../entries/damage.ts';
import type { ShapeIssue } from '../entries/schema/index.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import type { LogFacts } from './check/log-facts.ts';
import type { ObjectFinding, RepairState } from './fix/repair-state.ts';
import type { DamagedLine, Piece } from './fix/split-damaged-line.ts';

export type Level = 'error' | 'warning' | 'off';
export type Group = 'bytes' | 'header' | 'shape' | 'content' | 'tree' | 'references' | 'tools' | 'blobs';

/** What a rule is, apart from how it looks for it; help, README and reports are made from this. */
export interface RuleMeta {
  /** Kebab-case, final once released. */
  readonly id: string;
  readonly level: Level;
  readonly group: Group;
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

/** A line with what it holds. */
export interface CheckedLine {
  readonly line: Line;
  readonly damage: Damage | undefined;
  /** How many whole objects stand on it. */
  readonly objects: number;
}

/** A header, a title slot or an entry. */
export interface CheckedObject {
  readonly kind: 'header' | 'title' | 'entry';
  readonly line: Line;
  readonly value: JsonObject;
  readonly text: string;
  readonly id: string | undefined;
  /** What the schemas say about it. */
  readonly shape: readonly ShapeIssue[];
}

/** Where a finding stands. */
export interface Place {
  readonly line: number;
  readonly offset: number;
  readonly entryId?: string | undefined;
  readonly path?: string | undefined;
}

export type Report = (place: Place, message: string) => void;

/** How repair fixes what a rule finds, by what the rule looks at. */
export interface Fix {
  /** The pieces that a line is split into: each object gets a line of its own, the others leave. */
  readonly line?: (line: DamagedLine) => readonly Piece[];
  /** Fixes what the rule found in a header, a title slot or an entry; the bytes of all lines are fixed then. */
  readonly object?: (repair: RepairState, finding: ObjectFinding) => void;
  /** Fixes what concerns the whole log, when its objects are fixed; has to ask `mayFix`. */
  readonly end?: (repair: RepairState) => void;
}

export interface Rule extends RuleMeta {
  /** Looks at every line that is damaged or blank, in order; healthy ones may be passed over. */
  readonly line?: (line: CheckedLine, log: LogFacts, report: Report) => void;
  /**
   * What `object` looks at, if not at everything. 'shape': keys and kinds of values alone, so that of all lines of one
   * shape one is enough; whatever values it needs beyond that, the scanner leaves to a full reading. 'values' where the
   * fast path asks the same question of its own facts. Without it every line is read in full while the rule is on.
   */
  readonly looksAt?: 'shape' | 'values';
  /** The scanner leaves every line to a full reading that this rule may have something to say about. */
  readonly neverOnScanned?: true;
  /** Looks at every whole object, in order, before it joins the log's facts. */
  readonly object?: (object: CheckedObject, log: LogFacts, report: Report) => void;
  /** Looks at the whole log. */
  readonly end?: (log: LogFacts, report: Report) => void;
  /** For every rule that is fixable, and no other. In a repair `object` sees only headers and counts in the facts of the log. */
  readonly fix?: Fix;
  /** A fix that repair makes only if an option asks for it. */
  readonly settle?: (repair: RepairState) => void;
}

export const WHOLE_FILE: Place = { line: 1, offset: 0 };

export function placeOf(object: CheckedObject, path?: string): Place {
  return { line: object.line.number, offset: object.line.offset, entryId: object.id, path };
}

export function placeOfLine(line: Line): Place {
  return { line: line.number, offset: line.offset };
}
