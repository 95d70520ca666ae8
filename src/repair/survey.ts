import { BYTE_ORDER_MARK, type LineContent, type LineObject, readContent } from '../entries/damage.ts';
import { hasEnvelope, isHeader, isTitleSlot, messageOf, versionByEntry, versionOf } from '../entries/envelope-check.ts';
import { type FatalShape, fatalFaults } from '../entries/fatal-shapes.ts';
import { isShown } from '../entries/types/index.ts';
import { applySplices, type Splice, skipSpace } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { Column, float64Column, int32Column } from '../log/column.ts';
import { Symbols } from '../log/symbols.ts';
import { type HeldLine, Joiner } from './joiner.ts';
import type { FixedLine, Piece, Region, Unit } from './region.ts';
import { shownIds } from './shown-ids.ts';
import { SplitEntry } from './split-entry.ts';
import { hasPayload } from './vital.ts';
import { type RawPiece, takeApart } from './wound.ts';

/** What stands in place of the number of an id: nothing at all, or something that is no id. */
export const ABSENT = -1;
export const WRONG = -2;
/** What stands in place of the number of a parent: null, or an empty string, which agents read alike. */
export const NO_PARENT = -3;

/** What is known of an entry beside its ids. */
export const Flag = {
  typeAbsent: 1,
  typeWrong: 2,
  messageAbsent: 4,
  messageWrong: 8,
  roleAbsent: 16,
  roleWrong: 32,
  /** A known type with what makes it worth keeping. */
  payload: 64,
  /** It shares its line, or its line is damaged: a region has it. */
  inRegion: 128,
  /** Its line is damaged and stays as it is. */
  frozen: 256,
  toolResult: 512,
  user: 1024,
  assistant: 2048,
  /** A turn that was stopped or failed. */
  stopped: 4096,
  /** A message, or something else that the model sees. */
  spoken: 8192,
  message: 16_384,
  /** The id is an empty string. */
  emptyId: 32_768,
} as const;

export const FAULTS = Flag.typeAbsent | Flag.typeWrong | Flag.messageAbsent | Flag.messageWrong | Flag.roleAbsent | Flag.roleWrong;

/** The members that name an entry, beside parentId. */
export const REFERENCES = ['targetId', 'firstKeptEntryId', 'fromId'] as const;

/** What `Evidence` of the formats is to a survey. */
export interface SurveyEvidence {
  see(value: JsonObject, hasOwnLine: boolean): void;
}

export interface SurveyOptions {
  /** Whether a rule's findings are mended. */
  readonly wants: (rule: string) => boolean;
  /** 8 random bytes, so that no log can aim at the table of ids. */
  readonly key: Uint8Array;
  /** Learns from every object whether the file is a session log. */
  readonly evidence: SurveyEvidence;
  /** Keep what the mending of tool calls needs to know. */
  readonly tools: boolean;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string | undefined;
}

/** What is known of the first whole entry, for a log that lost its header. */
export interface FirstEntry {
  readonly bytes: string;
  readonly timestamp: string;
  readonly hasId: boolean;
}

/** Where an object stands. */
interface Spot {
  readonly line: number;
  /** Of the object where it shares its line, else of the line with its end. */
  readonly offset: number;
  readonly length: number;
  readonly flags: number;
  /** What is wrong with its line, where that is fixed. */
  readonly damage?: string;
  /** No other object and no garbage stands on its line. */
  readonly hasOwnLine: boolean;
  /** The line end that it will have. */
  readonly newline: string;
  /** Its bytes, mended as bytes. */
  readonly raw: () => string;
}

/**
 * The first pass: everything that has to be known about the whole log before a byte of it is written, as an index of
 * 34 bytes an entry and the texts of its ids. Only what is damaged is remembered in more detail.
 */
export class Survey {
  readonly symbols: Symbols;
  // The entries, in file order.
  readonly ids = int32Column();
  readonly parents = int32Column();
  readonly flags = new Column((size) => new Uint16Array(size));
  readonly lines = float64Column();
  readonly offsets = float64Column();
  readonly lengths = float64Column();
  // The members that name an entry: whose, which, whom.
  readonly referenceEntries = int32Column();
  readonly referenceKeys = new Column((size) => new Uint16Array(size));
  readonly referenceIds = int32Column();

  readonly regions: Region[] = [];
  readonly headers: FixedLine[] = [];
  readonly titles: FixedLine[] = [];
  /** By entry, in order: what omp throws an error on. */
  readonly fatal = new Map<number, readonly FatalShape[]>();
  /** Blank lines, where they are to be taken out. */
  readonly blanks: { readonly line: number; readonly offset: number; readonly length: number }[] = [];
  /** Ids that garbage still shows, with their parents; -3 for a root. */
  readonly shown = new Map<number, number>();
  /** Before which entries a log of version 1 had further ones, which are lost. */
  readonly lostBefore: { readonly before: number; readonly rule: string }[] = [];
  /** firstKeptEntryIndex, by entry. */
  readonly keptIndexes = new Map<number, number>();
  readonly calls = new Map<number, readonly ToolCall[]>();
  readonly answers = new Map<number, string>();
  readonly timestamps = new Map<number, string>();

  bytes = 0;
  lineCount = 0;
  /** Lines that are not blank. */
  written = 0;
  /** A byte order mark that is removed. */
  hasMark = false;
  /** A byte order mark that is not to be removed. */
  keepsMark = false;
  firstOversizeLine = 0;
  /** The line end of the first line that has one. */
  firstNewline = '';
  /** The line end of the line before the last one. */
  lastNewline = '';
  /** The last line is whole, but not ended. */
  unended: { readonly line: number; readonly unit: Unit } | undefined;
  firstEntry: FirstEntry | undefined;
  cwd: string | undefined;
  lastTimestamp: string | undefined;

  readonly #options: SurveyOptions;
  readonly #joiner: Joiner;
  #version: number | undefined;
  #objects = 0;
  /** The last torn entry, where nothing but garbage has followed it, and how many were lost with it. */
  #split: { readonly entry: SplitEntry; readonly lost: number } | undefined;

  constructor(options: SurveyOptions) {
    this.#options = options;
    this.symbols = new Symbols(options.key);
    this.#joiner = new Joiner({
      single: (held) => this.#place(held),
      joined: (lines) => this.#join(lines),
      isEntry: ({ content }) => content.damage === undefined && content.objects.some(({ value }) => hasEnvelope(value, this.#version)),
    });
  }

  get size(): number {
    return this.ids.size;
  }

  take(line: Line): void {
    this.bytes = line.offset + line.length + (line.terminated ? 1 : 0);
    this.lineCount = line.number;
    if (line.terminated) {
      this.lastNewline = line.ending;
      if (this.firstNewline === '') this.firstNewline = line.ending;
    }
    if (line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK)) this.#takeMark();
    const content = readContent(line, this.#version);
    if (content.damage !== undefined || content.objects.length > 0) this.written++;
    this.#joiner.take({ line, content });
  }

  end(): void {
    this.#joiner.end();
  }

  #takeMark(): void {
    if (this.#options.wants('byte-order-mark')) this.hasMark = true;
    else this.keepsMark = true;
  }

  #place({ line, content }: HeldLine): void {
    if (content.damage !== undefined) {
      this.#placeDamaged(line, content, content.damage);
      return;
    }
    const [object] = content.objects;
    if (!object) {
      if (this.#options.wants('blank-line')) {
        const skipped = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
        const length = line.length - skipped + (line.terminated ? 1 : 0);
        this.blanks.push({ line: line.number, offset: line.offset + skipped, length });
      }
      return;
    }
    const { start } = object;
    const offset = line.offset + start;
    const length = line.length - start + (line.terminated ? 1 : 0);
    const raw = (): string => (start > 0 ? line.raw.slice(start) : line.raw);
    const unit = this.#add(object.value, {
      line: line.number,
      offset,
      length,
      flags: 0,
      hasOwnLine: true,
      newline: this.#newlineOf(line),
      raw,
    });
    if (!line.terminated) this.unended = { line: line.number, unit };
  }

  #placeDamaged(line: Line, content: LineContent, rule: string): void {
    if (rule === 'oversize-line') {
      if (this.firstOversizeLine === 0) this.firstOversizeLine = line.number;
      return;
    }
    const skipped = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    const raw = skipped > 0 ? line.raw.slice(skipped) : line.raw;
    const offset = line.offset + skipped;
    const length = raw.length + (line.terminated ? 1 : 0);
    const objects = content.objects.map((one): LineObject => ({ ...one, start: one.start - skipped, end: one.end - skipped }));
    const pieces = takeApart(raw, objects, this.#version);
    if (this.#options.wants(rule)) {
      this.#addRegion(raw, { line: line.number, offset, length, rule, pieces: [], lines: 1 }, pieces, this.#newlineOf(line));
      return;
    }
    const flags = Flag.inRegion | Flag.frozen;
    for (const { value, start, end } of objects) {
      const text = (): string => raw.slice(start, end);
      this.#add(value, {
        line: line.number,
        offset: offset + start,
        length: end - start,
        flags,
        hasOwnLine: isAlone(pieces),
        newline: this.#newlineOf(line),
        raw: text,
      });
    }
  }

  /** Lines that are one object together become one line, if the object belongs into a log. */
  #join(held: readonly HeldLine[]): boolean {
    const first = held[0]?.line;
    const last = held.at(-1)?.line;
    if (!first || !last || !this.#options.wants('torn-line')) return false;
    const skipped = first.number === 1 && first.raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    const raws = held.map(({ line }) => line.raw);
    const raw = raws.join('\n').slice(skipped);
    const mends = breaks(raw);
    const body = raw.endsWith('\r') ? raw.length - 1 : raw.length;
    const value: unknown = JSON.parse(
      held
        .map(({ line }) => line.text)
        .join('\n')
        .replace(/^\ufeff/, ''),
    );
    if (!isObject(value)) return false;
    if (!isHeader(value) && !isTitleSlot(value) && !hasEnvelope(value, this.#version) && !hasPayload(value)) return false;
    const offset = first.offset + skipped;
    const length = raw.length + (last.terminated ? 1 : 0);
    const piece: RawPiece = { kind: 'object', start: 0, end: body, mends, keepsOld: false, value };
    const region: Region = { line: first.number, offset, length, rule: 'torn-line', pieces: [], lines: held.length };
    this.#addRegion(raw, region, [piece], this.#newlineOf(last));
    return true;
  }

  /** The line end that a line has, or will have. */
  #newlineOf(line: Line): string {
    return line.ending || this.lastNewline || '\n';
  }

  #addRegion(raw: string, region: Region, pieces: readonly RawPiece[], newline: string): void {
    const numbered: Piece[] = [];
    for (const { kind, start, end, mends, keepsOld, value } of pieces) {
      if (kind === 'junk') this.#readJunk(raw.slice(start, end), region.rule);
      let unit: Unit | undefined;
      if (value) {
        const text = (): string =>
          applySplices(
            raw.slice(start, end),
            mends.map((one) => ({ start: one.start - start, end: one.end - start, text: one.text })),
          );
        const place = { line: region.line, offset: region.offset + start, length: end - start };
        const hasOwnLine = isAlone(pieces);
        unit = this.#add(value, { ...place, flags: Flag.inRegion, damage: region.rule, hasOwnLine, newline, raw: text });
      }
      numbered.push({ kind, start, end, mends, keepsOld, unit });
    }
    this.regions.push({ ...region, pieces: numbered });
  }

  #readJunk(raw: string, rule: string): void {
    this.#countLost(raw, rule);
    for (const { id, parentId } of shownIds(raw)) {
      const symbol = this.symbols.intern(id);
      if (!this.shown.has(symbol)) this.shown.set(symbol, parentId === null ? NO_PARENT : this.symbols.intern(parentId));
    }
  }

  /** What was an object once had a place in the count of a version 1 log; one place, on however many lines it is now. */
  #countLost(raw: string, rule: string): void {
    const split = this.#split;
    if (/^\s*\{\s*"/.test(raw)) this.#split = { entry: new SplitEntry(raw), lost: this.lostBefore.length + 1 };
    else if (split?.entry.ends(raw)) {
      this.lostBefore.length = split.lost;
      this.#split = undefined;
      return;
    }
    if (/\{\s*"/.test(raw)) this.lostBefore.push({ before: this.size, rule });
  }

  #add(value: JsonObject, spot: Spot): Unit {
    const before = this.#objects++;
    this.#split = undefined;
    this.#options.evidence.see(value, spot.hasOwnLine);
    if (isHeader(value) || isTitleSlot(value)) {
      const kind = isHeader(value) ? 'header' : 'title';
      const { line, offset, length, newline, flags, damage } = spot;
      const fixed: FixedLine = {
        kind,
        line,
        offset,
        length,
        newline,
        value,
        before,
        entry: this.size,
        alone: (flags & Flag.inRegion) === 0,
        frozen: (flags & Flag.frozen) !== 0,
        damage,
        raw: withoutEnding(spot.raw()),
        mend: undefined,
      };
      if (kind === 'header') {
        if (this.headers.length === 0) this.#version = versionOf(value).version;
        this.headers.push(fixed);
      } else this.titles.push(fixed);
      return fixed;
    }
    this.#addEntry(value, spot);
    return this.size - 1;
  }

  #addEntry(value: JsonObject, { line, offset, length, flags, raw }: Spot): void {
    const entry = this.size;
    const { type, id, parentId } = value;
    this.#version ??= versionByEntry(value);
    this.ids.push(typeof id === 'string' ? this.symbols.intern(id) : id === undefined ? ABSENT : WRONG);
    this.parents.push(this.#parent(parentId));
    this.lines.push(line);
    this.offsets.push(offset);
    this.lengths.push(length);
    this.flags.push(flags | this.#flagsOf(entry, value));
    for (let key = 0; key < REFERENCES.length; key++) {
      const named = value[REFERENCES[key] as string];
      if (typeof named !== 'string') continue;
      this.referenceEntries.push(entry);
      this.referenceKeys.push(key);
      this.referenceIds.push(this.symbols.intern(named));
    }
    const fatal = fatalFaults(value);
    if (fatal.length > 0) this.fatal.set(entry, [...new Set(fatal.map(({ rule }) => rule))]);
    const { firstKeptEntryIndex, timestamp } = value;
    if (typeof firstKeptEntryIndex === 'number') this.keptIndexes.set(entry, firstKeptEntryIndex);
    if (typeof timestamp === 'string') {
      this.lastTimestamp = timestamp;
      if (!this.firstEntry && (this.flags.at(entry) & FAULTS) === 0) {
        this.firstEntry = { bytes: trimmed(raw()), timestamp, hasId: typeof id === 'string' };
      }
    }
    if (type === 'session_init' && this.cwd === undefined && typeof value['cwd'] === 'string') this.cwd = value['cwd'];
  }

  #parent(parentId: unknown): number {
    if (parentId === null || parentId === '') return NO_PARENT;
    if (typeof parentId === 'string') return this.symbols.intern(parentId);
    return parentId === undefined ? ABSENT : WRONG;
  }

  #flagsOf(entry: number, value: JsonObject): number {
    const { type, id, parentId } = value;
    if (typeof type !== 'string') return type === undefined ? Flag.typeAbsent : Flag.typeWrong;
    let flags = 0;
    if (type === 'message') flags |= Flag.spoken | Flag.message | this.#messageFlags(entry, value);
    else if (isShown(type)) flags |= Flag.spoken;
    // Asked for only where something else is wrong.
    const complete = typeof id === 'string' && id !== '' && (typeof parentId === 'string' || parentId === null);
    if (!complete && hasPayload(value)) flags |= Flag.payload;
    if (id === '') flags |= Flag.emptyId;
    return flags;
  }

  #messageFlags(entry: number, value: JsonObject): number {
    const message = messageOf(value);
    if (!message) return value['message'] === undefined ? Flag.messageAbsent : Flag.messageWrong;
    const role = message['role'];
    if (typeof role !== 'string') return role === undefined ? Flag.roleAbsent : Flag.roleWrong;
    if (role === 'user') return Flag.user;
    if (role === 'toolResult') {
      if (this.#options.tools) this.#keepAnswer(entry, value, message);
      return Flag.toolResult;
    }
    if (role !== 'assistant') return 0;
    if (this.#options.tools) this.#keepCalls(entry, value, message);
    const reason = message['stopReason'];
    return Flag.assistant | (reason === 'aborted' || reason === 'error' ? Flag.stopped : 0);
  }

  #keepAnswer(entry: number, value: JsonObject, message: JsonObject): void {
    const call = message['toolCallId'];
    if (typeof call === 'string') this.answers.set(entry, call);
    if (typeof value['timestamp'] === 'string') this.timestamps.set(entry, value['timestamp']);
  }

  #keepCalls(entry: number, value: JsonObject, message: JsonObject): void {
    const content = message['content'];
    if (!Array.isArray(content)) return;
    const calls: ToolCall[] = [];
    for (const block of content as readonly unknown[]) {
      if (!isObject(block) || block['type'] !== 'toolCall' || typeof block['id'] !== 'string') continue;
      calls.push({ id: block['id'], name: typeof block['name'] === 'string' ? block['name'] : undefined });
    }
    if (calls.length === 0) return;
    this.calls.set(entry, calls);
    if (typeof value['timestamp'] === 'string') this.timestamps.set(entry, value['timestamp']);
  }
}

/** Nothing else stands on the line but NULs. */
function isAlone(pieces: readonly RawPiece[]): boolean {
  return pieces.filter(({ kind }) => kind !== 'nuls').length === 1;
}

/** The line breaks of an object and the indentation behind each. */
function breaks(raw: string): Splice[] {
  const found: Splice[] = [];
  for (const { index, 0: run } of raw.matchAll(/\r?\n[ \t\r\n]*/g)) found.push({ start: index, end: index + run.length, text: '' });
  return found;
}

function withoutEnding(raw: string): string {
  return raw.endsWith('\r') ? raw.slice(0, -1) : raw;
}

/** Without the white space around the object. */
function trimmed(raw: string): string {
  let end = raw.length;
  while (end > 0 && raw.charCodeAt(end - 1) <= 0x20) end--;
  return raw.slice(skipSpace(raw, 0), end);
}
