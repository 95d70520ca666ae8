import { readContent } from '../entries/damage.ts';
import { isHeader, isTitleSlot } from '../entries/envelope-check.ts';
import type { JsonObject } from '../entries/json-value.ts';
import { checkShape } from '../entries/schema/index.ts';
import type { Line } from '../lines/line.ts';
import type { Block } from '../lines/reader.ts';
import { makeScanner, type ScannerKind } from '../scanner/scanner.ts';
import type { BlobLookup } from './blob-check.ts';
import { FastPath, ShapeMemory } from './fast-path.ts';
import type { Finding, Severity } from './finding.ts';
import { rules } from './index.ts';
import { LogFacts } from './log-facts.ts';
import type { CheckedObject, Level, Place, Report, Rule } from './rule.ts';

export interface CheckOptions {
  /** As findings name it. */
  readonly file: string;
  /** Levels that differ from the table's. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** 8 bytes that the log could not foresee. */
  readonly hashKey: Uint8Array;
  readonly blobs?: BlobLookup | undefined;
  readonly onFinding: (finding: Finding) => void;
  /** Looks at lines before they are read in full; findings are the same with it and without. */
  readonly memory?: ShapeMemory | undefined;
}

/**
 * What several checks with the same levels share, to be faster. Undefined where a rule that is on looks at everything,
 * so that every line has to be read in full.
 */
export function makeMemory(
  kind: ScannerKind,
  seed: Uint8Array,
  levels: ReadonlyMap<string, Level> | undefined,
  withBlobs: boolean,
): ShapeMemory | undefined {
  const readsAll = rules.some(
    (rule) => rule.looksAt === 'everything' && (levels?.get(rule.id) ?? rule.level) !== 'off' && (rule.group !== 'blobs' || withBlobs),
  );
  const scanner = readsAll ? undefined : makeScanner(kind, seed);
  return scanner && new ShapeMemory(scanner);
}

/**
 * Checks one log, line by line: hand in every line, then call `end`. Findings come in line order as they are found; those
 * that need the whole file come at its end, in line order. Holds an index of the entries and no content.
 */
export class LogCheck {
  readonly log: LogFacts;
  readonly #options: CheckOptions;
  readonly #lineRules: readonly ActiveRule<'line'>[];
  readonly #objectRules: readonly ActiveRule<'object'>[];
  readonly #endRules: readonly ActiveRule<'end'>[];

  constructor(options: CheckOptions) {
    this.#options = options;
    this.log = new LogFacts(options.hashKey, options.blobs);
    const active = rules.flatMap((rule) => {
      const level = options.levels?.get(rule.id) ?? rule.level;
      return level === 'off' ? [] : [{ rule, level }];
    });
    const tell = options.onFinding;
    const tellShape = (finding: Finding): void => {
      this.#shapeFindings++;
      tell(finding);
    };
    this.#fast = options.memory && new FastPath(this.log, options.memory, options.hashKey);
    this.#lineRules = active.flatMap(({ rule, level }) =>
      rule.line ? [{ check: rule.line, report: this.#reporter(rule, level, tell) }] : [],
    );
    this.#objectRules = active.flatMap(({ rule, level }) =>
      rule.object ? [{ check: rule.object, report: this.#reporter(rule, level, rule.looksAt === 'shape' ? tellShape : tell) }] : [],
    );
    this.#endRules = active.flatMap(({ rule, level }) =>
      rule.end ? [{ check: rule.end, report: this.#reporter(rule, level, (finding) => this.#atEnd.push(finding)) }] : [],
    );
  }

  readonly #atEnd: Finding[] = [];
  readonly #fast: FastPath | undefined;
  #shapeFindings = 0;

  /** A block of lines: those that the scanner vouches for are taken in by their facts, the others are read in full. */
  block(block: Block): void {
    if (!this.#fast?.takes(block)) {
      for (const line of block.split()) this.line(line);
      return;
    }
    this.#fast.eachLine(block, (line) => {
      const before = this.#shapeFindings;
      this.line(line);
      return this.#shapeFindings === before;
    });
  }

  line(line: Line): void {
    const { log } = this;
    log.lines++;
    const content = readContent(line, log.version);
    if (content.damage === 'oversize-line' && log.firstOversizeLine === 0) log.firstOversizeLine = line.number;
    const checked = { line, damage: content.damage, objects: content.objects.length };
    for (const { check, report } of this.#lineRules) check(checked, log, report);
    for (const { value, text } of content.objects) this.#object(line, value, text);
  }

  end(): void {
    const { log } = this;
    log.finish();
    for (const { check, report } of this.#endRules) check(log, report);
    // Stable, so that findings of one line stay in the order of the rules.
    this.#atEnd.sort((a, b) => a.line - b.line);
    for (const finding of this.#atEnd) this.#options.onFinding(finding);
  }

  #object(line: Line, value: JsonObject, text: string): void {
    const { log } = this;
    const kind = isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry';
    const id = kind !== 'title' && typeof value['id'] === 'string' ? value['id'] : undefined;
    const object: CheckedObject = { kind, line, value, text, id, shape: checkShape(value, log.versionFor(value)) };
    for (const { check, report } of this.#objectRules) check(object, log, report);
    if (kind === 'header') log.addHeader(object);
    else if (kind === 'title') log.addTitle();
    else log.addEntry(object);
  }

  #reporter(rule: Rule, severity: Severity, tell: (finding: Finding) => void): Report {
    const { file } = this.#options;
    return (place: Place, message: string) => {
      tell({
        file,
        line: place.line,
        offset: place.offset,
        rule: rule.id,
        severity,
        message,
        ...(place.entryId === undefined ? {} : { entryId: place.entryId }),
        ...(place.path === undefined || place.path === '' ? {} : { path: place.path }),
        fixable: rule.fixable,
      });
    };
  }
}

interface ActiveRule<Stage extends 'line' | 'object' | 'end'> {
  readonly check: NonNullable<Rule[Stage]>;
  readonly report: Report;
}
