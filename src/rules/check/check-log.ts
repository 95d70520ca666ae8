import { readContent } from '../../entries/damage.ts';
import { isHeader, isTitleSlot } from '../../entries/envelope-check.ts';
import { checkShape } from '../../entries/schema/index.ts';
import { asString, type JsonObject } from '../../json/value.ts';
import type { Line } from '../../lines/line.ts';
import type { LineBlock } from '../../lines/reader.ts';
import { FIELD, FIELDS, type ScannerKind } from '../../scanner/layout.ts';
import { makeScanner } from '../../scanner/scanner.ts';
import { rules } from '../index.ts';
import { type BlobLookup, type CheckedObject, type Finding, findingOf, type Level, type Report } from '../rule.ts';
import { PlainEntries, ShapeMemory } from './fast-path.ts';
import { LogFacts, readTime } from './log-facts.ts';

export interface LogCheckOptions {
  /** The name used in findings. */
  readonly file: string;
  /** Those of the default levels if undefined. */
  readonly rules?: ActiveRules;
  /** 8 random bytes. */
  readonly hashKey: Uint8Array;
  readonly blobs?: BlobLookup | undefined;
  readonly onFinding: (finding: Finding) => void;
  /** Skips the full read of lines with a known shape; findings are the same with and without it. */
  readonly memory?: ShapeMemory | undefined;
}

/** State shared by several checks with the same levels, for speed. Undefined if a rule must see every line. */
export function makeMemory(
  kind: ScannerKind,
  seed: Uint8Array,
  active = activeRules(),
  withBlobs = false,
): ShapeMemory | undefined {
  const readsAll = active.object.some(
    ({ looksAt, group }) => looksAt === undefined && (group !== 'blobs' || withBlobs),
  );
  const scanner = readsAll ? undefined : makeScanner(kind, seed);
  return scanner && new ShapeMemory(scanner);
}

type ActiveRules = ReturnType<typeof activeRules>;
type ActiveRule = ActiveRules['object'][number];

/** The active rules by phase. Shared between logs: computing it takes longer than checking a short log. */
export function activeRules(levels?: ReadonlyMap<string, Level>) {
  const on = rules.flatMap((rule) => {
    const severity = levels?.get(rule.id) ?? rule.level;
    return severity === 'off' ? [] : [{ ...rule, severity }];
  });
  const object = on.filter((rule) => rule.object);
  /** The rules that still apply to lines that the scanner accepted. */
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
 * Checks one log: call `line` or `block` for all lines, then `end`. Findings are reported in line order; those that
 * need the whole file come at the end, again in line order. Holds an index of the entries and no content.
 */
export class LogCheck {
  readonly log: LogFacts;
  readonly #file: string;
  readonly #rules: ActiveRules;
  readonly #memory: ShapeMemory | undefined;
  readonly #plain: PlainEntries | undefined;
  #onFinding: (finding: Finding) => void;
  /** The rule that is running. */
  #rule: ActiveRule | undefined;
  readonly #report: Report = (place, message, _severity, fixable) => {
    if (this.#rule) this.#onFinding(findingOf(this.#rule, this.#file, place, message, fixable));
  };

  constructor(options: LogCheckOptions) {
    this.#file = options.file;
    this.#rules = options.rules ?? activeRules();
    this.#onFinding = options.onFinding;
    this.log = new LogFacts(options.hashKey, options.blobs);
    this.#memory = options.memory;
    this.#plain = options.memory && new PlainEntries(options.memory, this.log);
  }

  /** Checks a block of lines: those that the scanner accepts are added by their facts, the others are parsed. */
  block(block: LineBlock): void {
    const memory = this.#memory;
    // What is valid depends on the version in the header.
    const isReadable = this.log.version !== undefined && block.wellFormed;
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

  /** Whether no rule has a finding for the shape of a line that the scanner accepted. */
  #isClean(memory: ShapeMemory, block: LineBlock, at: number, number: number): boolean {
    const { log } = this;
    const { scanner } = memory;
    // A second header changes what is valid.
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
    // Stable sort: findings of one line stay in the order of the rules.
    for (const finding of atEnd.sort((one, other) => one.line - other.line)) onFinding(finding);
  }
}

function checkedObject(line: Line, value: JsonObject, text: string, log: LogFacts): CheckedObject {
  const kind = isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry';
  const id = kind === 'title' ? undefined : asString(value['id']);
  const time = readTime(value['timestamp']);
  return { kind, line, value, text, id, time, shape: checkShape(value, log.versionFor(value)) };
}
