import { readContent } from '../../entries/damage.ts';
import { isHeader, isTitleSlot } from '../../entries/envelope-check.ts';
import { checkShape } from '../../entries/schema/index.ts';
import type { JsonObject } from '../../json/value.ts';
import type { Line } from '../../lines/line.ts';
import type { Block } from '../../lines/reader.ts';
import type { ScannerKind } from '../../scanner/layout.ts';
import { makeScanner } from '../../scanner/scanner.ts';
import type { Finding, Severity } from '../finding.ts';
import { rules } from '../index.ts';
import type { CheckedObject, Level, Place, Report, Rule } from '../rule.ts';
import type { BlobLookup } from './blob-check.ts';
import { FastPath, type Reading, ShapeMemory } from './fast-path.ts';
import { LogFacts } from './log-facts.ts';

export interface CheckOptions {
  /** As findings name it. */
  readonly file: string;
  /** Levels that differ from the table's. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** The rules with these levels, where they are at hand already. */
  readonly rules?: ActiveRules;
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
    ({ id, level, group, object, looksAt }) =>
      object && looksAt === undefined && (levels?.get(id) ?? level) !== 'off' && (group !== 'blobs' || withBlobs),
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
  readonly #rules: ActiveRules;
  readonly #fast: FastPath | undefined;
  readonly #atEnd: Finding[] = [];
  /** The rule that is looking. */
  #rule: ActiveRule | undefined;
  readonly #report: Report = (place, message) => this.#found(place, message);
  readonly #reading: Reading = {
    isClean: (line) => this.#isClean(line),
    read: (line, isScanned) => this.#line(line, isScanned ? this.#rules.scanned : this.#rules.object),
  };

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#rules = options.rules ?? activeRules(options.levels);
    this.log = new LogFacts(options.hashKey, options.blobs);
    this.#fast = options.memory && new FastPath(options.memory, this.log);
  }

  /** A block of lines: those that the scanner vouches for are taken in by their facts, the others are read in full. */
  block(block: Block): void {
    if (!this.#fast?.takes(block)) {
      for (const line of block.split()) this.line(line);
      return;
    }
    this.#fast.eachLine(block, this.#reading);
  }

  /** Whether nothing is to be said about the shape of a line that the scanner has accepted. */
  #isClean(line: Line): boolean {
    const { log } = this;
    let isClean = true;
    const report = (): void => {
      isClean = false;
    };
    for (const { value, text } of readContent(line, log.version).objects) {
      const object = checkedObject(line, value, text, log);
      for (const rule of this.#rules.shape) rule.check(object, log, report);
    }
    return isClean;
  }

  line(line: Line): void {
    this.#line(line, this.#rules.object);
  }

  #line(line: Line, objectRules: readonly ActiveRule<'object'>[]): void {
    const { log } = this;
    log.lines++;
    const content = readContent(line, log.version);
    if (content.damage === 'oversize-line' && log.firstOversizeLine === 0) log.firstOversizeLine = line.number;
    const checked = { line, damage: content.damage, objects: content.objects.length };
    for (const rule of this.#rules.line) {
      this.#rule = rule;
      rule.check(checked, log, this.#report);
    }
    for (const { value, text } of content.objects) this.#object(line, value, text, objectRules);
  }

  end(): void {
    const { log } = this;
    log.finish();
    for (const rule of this.#rules.end) {
      this.#rule = rule;
      rule.check(log, this.#report);
    }
    // Stable, so that findings of one line stay in the order of the rules.
    this.#atEnd.sort((a, b) => a.line - b.line);
    for (const finding of this.#atEnd) this.#options.onFinding(finding);
  }

  #object(line: Line, value: JsonObject, text: string, objectRules: readonly ActiveRule<'object'>[]): void {
    const { log } = this;
    const object = checkedObject(line, value, text, log);
    const { kind } = object;
    for (const rule of objectRules) {
      this.#rule = rule;
      rule.check(object, log, this.#report);
    }
    if (kind === 'header') log.addHeader(object);
    else if (kind === 'title') log.addTitle();
    else log.addEntry(object);
  }

  #found(place: Place, message: string): void {
    if (!this.#rule) return;
    const { stage, severity, meta } = this.#rule;
    const finding: Finding = {
      file: this.#options.file,
      line: place.line,
      offset: place.offset,
      rule: meta.id,
      severity,
      message,
      ...(place.entryId === undefined ? {} : { entryId: place.entryId }),
      ...(place.path === undefined || place.path === '' ? {} : { path: place.path }),
      fixable: meta.fixable,
    };
    if (stage === 'end') this.#atEnd.push(finding);
    else this.#options.onFinding(finding);
  }
}

function checkedObject(line: Line, value: JsonObject, text: string, log: LogFacts): CheckedObject {
  const kind = isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry';
  const id = kind !== 'title' && typeof value['id'] === 'string' ? value['id'] : undefined;
  return { kind, line, value, text, id, shape: checkShape(value, log.versionFor(value)) };
}

type Stage = 'line' | 'object' | 'end';

interface ActiveRule<Of extends Stage = Stage> {
  readonly stage: Of;
  readonly check: NonNullable<Rule[Of]>;
  readonly severity: Severity;
  readonly meta: Rule;
}

/** The rules that are on, by when they look. */
export interface ActiveRules {
  readonly line: readonly ActiveRule<'line'>[];
  readonly object: readonly ActiveRule<'object'>[];
  /** Those of `object` that a line needs of which the scanner has seen what the others look for. */
  readonly scanned: readonly ActiveRule<'object'>[];
  /** Those of `scanned` that look at nothing but its shape. */
  readonly shape: readonly ActiveRule<'object'>[];
  readonly end: readonly ActiveRule<'end'>[];
}

/** Made once for many logs, because it takes longer than the check of a short one. */
export function activeRules(levels: ReadonlyMap<string, Level> | undefined): ActiveRules {
  const at = <Of extends Stage>(stage: Of): ActiveRule<Of>[] =>
    rules.flatMap((meta) => {
      const severity = levels?.get(meta.id) ?? meta.level;
      const check = meta[stage];
      if (severity === 'off' || check === undefined) return [];
      return [{ stage, check, severity, meta }];
    });
  const object = at('object');
  const scanned = object.filter(({ meta }) => !meta.neverOnScanned);
  return {
    line: at('line'),
    object,
    scanned,
    shape: scanned.filter(({ meta }) => meta.looksAt === 'shape'),
    end: at('end'),
  };
}
