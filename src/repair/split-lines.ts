import { BYTE_ORDER_MARK, type Damage, type LineContent, readContent } from '../entries/damage.ts';
import type { Splice } from '../json/text.ts';
import { type JsonObject, parseObject } from '../json/value.ts';
import { Line } from '../lines/line.ts';
import { byteOrderMark } from '../rules/byte-order-mark.ts';
import type { AnyUnit, LineIndex } from '../rules/fix/repair-state.ts';
import { type Piece, type Region, splitDamagedLine } from '../rules/fix/split-damaged-line.ts';
import { rules } from '../rules/index.ts';
import type { Rule, Severity } from '../rules/rule.ts';
import { type HeldLine, Joiner } from './joiner.ts';

/** An object found in the log. */
export interface FoundObject {
  readonly value: JsonObject;
  readonly line: number;
  /** Of the object if it shares its line, else of the line including its newline. */
  readonly offset: number;
  readonly length: number;
  /** Its line is damaged and stays as it is. */
  readonly frozen: boolean;
  /** Its raw bytes, and the splices that fix them. */
  readonly bytes: string;
  readonly splices: readonly Splice[];
  /** The rule that fixes its line. */
  readonly damage?: string;
  /** No other object and no garbage is on its line. */
  readonly hasOwnLine: boolean;
  /** The newline that it will have. */
  readonly newline: string;
}

/** What a format knows about lines, and where their objects go. */
interface SplitOptions {
  /** Whether to fix what a rule finds; with the severity and line of the finding. */
  readonly shouldFix: (rule: string, severity?: Severity, line?: number) => boolean;
  /** The severity of a line's damage, if it differs from the level of its rule. */
  readonly severityOf?: ((damage: Damage, raw: string) => Severity | undefined) | undefined;
  /** Whether an object inside a damaged line is a whole entry. */
  readonly isEntry: (value: JsonObject) => boolean;
  /** Whether an object printed over several lines belongs in the log. */
  readonly mayJoin: (value: JsonObject) => boolean;
  readonly onObject: (found: FoundObject) => AnyUnit;
  readonly onJunk?: (raw: string, rule: string) => void;
}

/** Rules that split damaged lines. The byte order mark is handled before. */
const LINE_RULES = rules.filter((rule) => rule.fix?.line && rule.line && rule !== byteOrderMark);

/** Reads a log line by line, fixes the bytes of its lines and emits each object found. */
export class LineSplitter {
  readonly #index: LineIndex;
  readonly #options: SplitOptions;
  readonly #joiner: Joiner;

  constructor(index: LineIndex, options: SplitOptions) {
    this.#index = index;
    this.#options = options;
    this.#joiner = new Joiner({ single: (held) => this.#place(held), joined: (lines) => this.#join(lines) });
  }

  take(whole: Line): void {
    const index = this.#index;
    index.bytes = whole.offset + whole.length + (whole.terminated ? 1 : 0);
    if (whole.terminated) {
      index.lastNewline = whole.ending;
      index.firstNewline ||= whole.ending;
    }
    const isMarked = whole.number === 1 && whole.raw.startsWith(BYTE_ORDER_MARK);
    const line = isMarked ? this.#withoutMark(whole) : whole;
    const { isEntry } = this.#options;
    const content = readContent(line, undefined, isEntry);
    const { damage, objects } = content;
    if (damage !== undefined || objects.length > 0) index.written++;
    this.#joiner.take({ line, content }, damage === undefined && objects.some(({ value }) => isEntry(value)));
  }

  end(): void {
    this.#joiner.end();
  }

  #withoutMark({ raw, terminated }: Line): Line {
    let { length } = BYTE_ORDER_MARK;
    if (this.#options.shouldFix(byteOrderMark.id)) {
      // Removing one mark would make the next one the first.
      while (raw.startsWith(BYTE_ORDER_MARK, length)) length += BYTE_ORDER_MARK.length;
      const pieces = byteOrderMark.fix?.line?.({ raw: raw.slice(0, length), objects: [], isEntry: () => false }) ?? [];
      this.#index.regions.push({ line: 1, offset: 0, length, rule: byteOrderMark.id, pieces, lines: 1 });
    } else this.#index.keepsMark = true;
    return new Line(1, length, raw.slice(length), terminated, 'invalid');
  }

  #place({ line, content }: HeldLine): void {
    const { damage, objects } = content;
    if (damage === 'oversize-line') {
      this.#index.firstOversizeLine ||= line.number;
      return;
    }
    const { number, offset, raw } = line;
    const damaged = { raw, objects, isEntry: this.#options.isEntry };
    const length = raw.length + (line.terminated ? 1 : 0);
    const newline = line.ending || this.#index.lastNewline || '\n';
    const rule = this.#ruleOf(line, content);
    if (rule) {
      const pieces = rule.fix?.line?.(damaged) ?? [];
      this.#addRegion(raw, { line: number, offset, length, rule: rule.id, pieces, lines: 1 }, newline);
      return;
    }
    const frozen = damage !== undefined;
    const hasOwnLine = !frozen || isAlone(splitDamagedLine(damaged));
    for (const { value, start, end } of objects) {
      const place = frozen ? { offset: offset + start, length: end - start } : { offset, length };
      const found = { value, line: number, ...place, bytes: raw.slice(start, end), splices: [], frozen, hasOwnLine };
      const unit = this.#options.onObject({ ...found, newline });
      if (!frozen && !line.terminated) this.#index.unterminated = unit;
    }
  }

  /** The rule that fixes the bytes of a line. */
  #ruleOf(line: Line, { damage, objects }: LineContent): Rule | undefined {
    const { shouldFix, severityOf } = this.#options;
    if (damage === undefined && objects.length > 0) return undefined;
    const severity = damage && severityOf?.(damage, line.raw);
    return LINE_RULES.find((rule) => {
      let isWanted = false;
      rule.line?.({ line, damage, objects: objects.length }, () => {
        isWanted ||= shouldFix(rule.id, rule.id === damage ? severity : undefined, line.number);
      });
      return isWanted;
    });
  }

  /** Joins lines that form one object, if the object belongs in the log. */
  #join(held: readonly HeldLine[]): boolean {
    const first = held[0]?.line;
    const last = held.at(-1)?.line;
    if (!first || !last || !this.#options.shouldFix('torn-line')) return false;
    const value = parseObject(held.map(({ line }) => line.text).join('\n'));
    if (!value || !this.#options.mayJoin(value)) return false;
    const raw = held.map(({ line }) => line.raw).join('\n');
    // Newlines are removed, with the indentation after them.
    const splices = [...raw.matchAll(/\r?\n[ \t\r\n]*/g)].map(
      ({ index, 0: run }): Splice => ({ start: index, end: index + run.length, text: '' }),
    );
    const pieces: Piece[] = [{ kind: 'object', start: 0, end: withoutEnding(raw).length, splices, value }];
    const place = { line: first.number, offset: first.offset, length: raw.length + (last.terminated ? 1 : 0) };
    const newline = last.ending || this.#index.lastNewline || '\n';
    this.#addRegion(raw, { ...place, rule: 'torn-line', pieces, lines: held.length }, newline);
    return true;
  }

  #addRegion(raw: string, region: Region, newline: string): void {
    const { line, rule: damage, offset } = region;
    const hasOwnLine = isAlone(region.pieces);
    const pieces = region.pieces.map(({ value, ...piece }): Piece => {
      const { kind, start, end, splices = [] } = piece;
      const bytes = raw.slice(start, end);
      if (kind === 'junk') this.#options.onJunk?.(bytes, damage);
      if (!value) return piece;
      const found = { value, line, offset: offset + start, length: end - start, bytes, splices, damage };
      return { ...piece, unit: this.#options.onObject({ ...found, frozen: false, hasOwnLine, newline }) };
    });
    this.#index.regions.push({ ...region, pieces });
  }
}

/** Whether the line has only one object, besides NULs. */
function isAlone(pieces: readonly Piece[]): boolean {
  return pieces.filter(({ kind }) => kind !== 'nuls').length === 1;
}

export function withoutEnding(raw: string): string {
  return raw.endsWith('\r') ? raw.slice(0, -1) : raw;
}
