import { readContent } from '../../entries/damage.ts';
import { isHeader, isTitleSlot } from '../../entries/envelope-check.ts';
import { checkShape } from '../../entries/schema/index.ts';
import type { JsonObject } from '../../json/value.ts';
import type { Line } from '../../lines/line.ts';
import type { LineBlock } from '../../lines/reader.ts';
import { FIELD, FIELDS, type ScannerKind } from '../../scanner/layout.ts';
import { makeScanner } from '../../scanner/scanner.ts';
import { rules } from '../index.ts';
import type { BlobLookup, CheckedObject, Finding, FindingPlace, Level, Report } from '../rule.ts';
import { PlainEntries, ShapeMemory } from './fast-path.ts';
import { LogFacts, readTime } from './log-facts.ts';

export interface LogCheckOptions {
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

/** What several checks with the same levels share, to be faster. Undefined where a rule has to see every line. */
export function makeMemory(
  kind: ScannerKind,
  seed: Uint8Array,
  levels: ReadonlyMap<string, Level> | undefined,
  withBlobs: boolean,
): ShapeMemory | undefined {
  const readsAll = activeRules(levels).object.some(
    ({ looksAt, group }) => looksAt === undefined && (group !== 'blobs' || withBlobs),
  );
  const scanner = readsAll ? undefined : makeScanner(kind, seed);
  return scanner && new ShapeMemory(scanner);
}

export type ActiveRules = ReturnType<typeof activeRules>;
type ActiveRule = ActiveRules['object'][number];

/** The rules that are on, by when they look. Made once for many logs: it takes longer than a check of a short one. */
export function activeRules(levels: ReadonlyMap<string, Level> | undefined) {
  const on = rules.flatMap((rule) => {
    const severity = levels?.get(rule.id) ?? rule.level;
    return severity === 'off' ? [] : [{ ...rule, severity }];
  });
  const object = on.filter((rule) => rule.object);
  /** Those that a line needs which the scanner has accepted. */
  const scanned = object.filter(({ looksAt }) => looksAt !== 'unscanned');
  return {
    line: on.filter((rule) => rule.line),
    object,
    scanned,
    shape: scanned.filter(({ looksAt }) => looksAt === 'shape'),
    end: on.filter((rule) => rule.end),
  };
}

/**
 * Checks one log, line by line: hand in every line, then call `end`. Findings come in line order as they are found;
 * those that need the whole file come at its end, in line order. Holds an index of the entries and no content.
 */
export class LogCheck {
  readonly log: LogFacts;
  readonly #file: string;
  readonly #rules: ActiveRules;
  readonly #memory: ShapeMemory | undefined;
  readonly #plain: PlainEntries | undefined;
  #onFinding: (finding: Finding) => void;
  /** The rule that is looking. */
  #rule: ActiveRule | undefined;
  readonly #report: Report = (place, message, _severity, fixable) => this.#found(place, message, fixable);

  constructor(options: LogCheckOptions) {
    this.#file = options.file;
    this.#rules = options.rules ?? activeRules(options.levels);
    this.#onFinding = options.onFinding;
    this.log = new LogFacts(options.hashKey, options.blobs);
    this.#memory = options.memory;
    this.#plain = options.memory && new PlainEntries(options.memory, this.log);
  }

  /** A block of lines: those that the scanner accepts are taken in by their facts, the others are read in full. */
  block(block: LineBlock): void {
    const memory = this.#memory;
    // What is expected of a line depends on the header.
    const isReadable = this.log.version !== undefined && block.encoding !== 'invalid';
    if (!memory || !isReadable || !memory.scanner.load(block.bytes)) {
      for (const line of block.split()) this.line(line);
      return;
    }
    const { scanner } = memory;
    const { records } = scanner;
    let number = block.number;
    for (let from = 0; from < block.bytes.length; ) {
      const end = scanner.scan(from) * FIELDS;
      for (let at = 0; at < end; at += FIELDS, number++) {
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        from = start + length + 1;
        if (records[at + FIELD.accepted] === 0) this.line(block.line(start, length, number));
        else if (!this.#isClean(memory, block, at, number) || !this.#plain?.add(block, at, number))
          this.#line(block.line(start, length, number), this.#rules.scanned);
      }
    }
    block.lines = number - block.number;
  }

  /** Whether nothing is to be said about the shape of a line that the scanner has accepted. */
  #isClean(memory: ShapeMemory, block: LineBlock, at: number, number: number): boolean {
    const { log } = this;
    const { scanner } = memory;
    // A header in the middle of the file changes what is expected.
    const version = log.version ?? 0;
    const shapeA = scanner.records[at + FIELD.shapeA] as number;
    const shapeB = scanner.records[at + FIELD.shapeB] as number;
    const known = memory.get(version, shapeA, shapeB);
    if (known !== undefined) return known;
    const start = scanner.records[at + FIELD.start] as number;
    const length = scanner.records[at + FIELD.length] as number;
    const line = block.line(start, length, number);
    let isClean = true;
    const report = (): void => {
      isClean = false;
    };
    for (const { value, text } of readContent(line, log.version).objects) {
      const object = checkedObject(line, value, text, log);
      for (const rule of this.#rules.shape) rule.object?.(object, log, report);
    }
    memory.set(version, shapeA, shapeB, isClean);
    return isClean;
  }

  line(line: Line): void {
    this.#line(line, this.#rules.object);
  }

  #line(line: Line, objectRules: readonly ActiveRule[]): void {
    const { log } = this;
    log.lines++;
    const { damage, objects } = readContent(line, log.version);
    if (damage === 'oversize-line' && log.firstOversizeLine === 0) log.firstOversizeLine = line.number;
    const checked = { line, damage, objects: objects.length };
    for (const rule of this.#rules.line) {
      this.#rule = rule;
      rule.line?.(checked, this.#report);
    }
    for (const { value, text } of objects) {
      const object = checkedObject(line, value, text, log);
      for (const rule of objectRules) {
        this.#rule = rule;
        rule.object?.(object, log, this.#report);
      }
      if (object.kind === 'header') log.addHeader(object);
      else if (object.kind === 'title') log.addTitle();
      else log.addEntry(object);
    }
  }

  end(): void {
    const onFinding = this.#onFinding;
    const atEnd: Finding[] = [];
    this.#onFinding = (finding) => atEnd.push(finding);
    this.log.finish();
    for (const rule of this.#rules.end) {
      this.#rule = rule;
      rule.end?.(this.log, this.#report);
    }
    // Stable, so that findings of one line stay in the order of the rules.
    for (const finding of atEnd.sort((one, other) => one.line - other.line)) onFinding(finding);
  }

  #found({ line, offset, entryId, path }: FindingPlace, message: string, isFixable = true): void {
    if (!this.#rule) return;
    const { id, severity, fixable } = this.#rule;
    this.#onFinding({
      file: this.#file,
      line,
      offset,
      rule: id,
      severity,
      message,
      ...(entryId === undefined ? {} : { entryId }),
      ...(path === undefined || path === '' ? {} : { path }),
      fixable: fixable && isFixable,
    });
  }
}

function checkedObject(line: Line, value: JsonObject, text: string, log: LogFacts): CheckedObject {
  const kind = isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry';
  const id = kind !== 'title' && typeof value['id'] === 'string' ? value['id'] : undefined;
  const time = readTime(value['timestamp']);
  return { kind, line, value, text, id, time, shape: checkShape(value, log.versionFor(value)) };
}
