import { BYTE_ORDER_MARK, type LineContent, type LineObject, readContent } from '../entries/damage.ts';
import { hasEnvelope, isHeader, isTitleSlot, messageOf, versionByEntry } from '../entries/envelope-check.ts';
import { checkShape } from '../entries/schema/index.ts';
import { isShown } from '../entries/types/index.ts';
import { applySplices, type Splice, skipSpace } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { decodeUtf8, Line } from '../lines/line.ts';
import { byteOrderMark } from '../rules/byte-order-mark.ts';
import { LogFacts } from '../rules/check/log-facts.ts';
import { hasPayload } from '../rules/fix/fix-field.ts';
import type { HeadLine, Piece, Region, Unit } from '../rules/fix/repair-edits.ts';
import {
  ABSENT,
  Flag,
  NO_PARENT,
  type ObjectFinding,
  REFERENCES,
  RepairIndex,
  type ToolCall,
  WRONG,
} from '../rules/fix/repair-index.ts';
import { splitDamagedLine } from '../rules/fix/split-damaged-line.ts';
import { rules } from '../rules/index.ts';
import type { CheckedObject, Rule } from '../rules/rule.ts';
import { type HeldLine, Joiner } from './joiner.ts';
import { shownIds } from './shown-ids.ts';
import { SplitEntry } from './split-entry.ts';

export interface BuildOptions {
  /** Whether a rule's findings are fixed. */
  readonly wants: (rule: string) => boolean;
  /** 8 random bytes, so that no log can aim at the table of ids. */
  readonly key: Uint8Array;
  /** Learns from every object whether the file is a session log. */
  readonly onObject: (value: JsonObject, hasOwnLine: boolean) => void;
  /** Keep what the fix of unanswered calls needs to know. */
  readonly tools: boolean;
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
  /** Its bytes with their damage fixed. */
  readonly raw: () => string;
}

/** Rules that split the lines that they find something in. */
const LINE_RULES = rules.filter(({ fix, line }) => fix?.line && line);
/** Rules that can fix what they find in an object. */
const OBJECT_RULES = rules.filter(({ fix, object }) => fix && object);

/** Reads a log, line by line: fixes the bytes of its lines, and asks the rules about each object that is then there. */
export class RepairIndexBuilder {
  readonly index: RepairIndex;
  readonly #options: BuildOptions;
  readonly #joiner: Joiner;
  /** What the checks of headers and shapes ask for; it counts entries and holds none. */
  readonly #facts: LogFacts;
  /** The last torn entry, where nothing but garbage has followed it, and how many were lost with it. */
  #split: { readonly entry: SplitEntry; readonly lost: number } | undefined;

  constructor(options: BuildOptions) {
    this.#options = options;
    this.index = new RepairIndex(options.key);
    this.#facts = new LogFacts(options.key);
    this.#joiner = new Joiner({
      single: (held) => this.#place(held),
      joined: (lines) => this.#join(lines),
      isEntry: ({ content }) =>
        content.damage === undefined && content.objects.some(({ value }) => hasEnvelope(value, this.#facts.version)),
    });
  }

  take(line: Line): void {
    const { index } = this;
    index.bytes = line.offset + line.length + (line.terminated ? 1 : 0);
    if (line.terminated) {
      index.lastNewline = line.ending;
      if (index.firstNewline === '') index.firstNewline = line.ending;
    }
    if (markBytes(line) > 0) this.#takeMark();
    const content = readContent(line, this.#facts.version);
    if (content.damage !== undefined || content.objects.length > 0) index.written++;
    this.#joiner.take({ line, content });
  }

  end(): void {
    this.#joiner.end();
  }

  #takeMark(): void {
    if (!this.#options.wants(byteOrderMark.id)) {
      this.index.keepsMark = true;
      return;
    }
    const pieces = byteOrderMark.fix?.line?.({ raw: BYTE_ORDER_MARK, objects: [], version: undefined }) ?? [];
    this.index.regions.push({
      line: 1,
      offset: 0,
      length: BYTE_ORDER_MARK.length,
      rule: byteOrderMark.id,
      pieces,
      lines: 1,
    });
  }

  #place({ line, content }: HeldLine): void {
    const [object] = content.objects;
    if (content.damage === 'oversize-line') {
      if (this.index.firstOversizeLine === 0) this.index.firstOversizeLine = line.number;
      return;
    }
    const rule = this.#ruleOf(line, content);
    if (rule || content.damage !== undefined) this.#placeDamaged(line, content, rule);
    else if (object) {
      const { start } = object;
      const length = line.length - start + (line.terminated ? 1 : 0);
      const raw = (): string => (start > 0 ? line.raw.slice(start) : line.raw);
      const place = { line: line.number, offset: line.offset + start, length, flags: 0, hasOwnLine: true };
      const unit = this.#add(object.value, { ...place, newline: this.#newlineOf(line), raw });
      if (!line.terminated) this.index.unended = unit;
    }
  }

  /** The rule by which the bytes of a line are fixed. The mark of the file is not part of its first line any more. */
  #ruleOf(line: Line, { damage, objects }: LineContent): Rule | undefined {
    return LINE_RULES.find((rule) => {
      let isFound = false;
      if (rule === byteOrderMark || !this.#options.wants(rule.id)) return false;
      rule.line?.({ line, damage, objects: objects.length }, this.#facts, () => {
        isFound = true;
      });
      return isFound;
    });
  }

  /** A line that a rule splits, or one that is damaged and stays as it is. */
  #placeDamaged(line: Line, content: LineContent, rule: Rule | undefined): void {
    const skipped = markBytes(line);
    const raw = skipped > 0 ? line.raw.slice(skipped) : line.raw;
    const offset = line.offset + skipped;
    const objects = content.objects.map(
      (one): LineObject => ({ ...one, start: one.start - skipped, end: one.end - skipped }),
    );
    const damaged = { raw, objects, version: this.#facts.version };
    const newline = this.#newlineOf(line);
    if (rule) {
      const pieces = rule.fix?.line?.(damaged) ?? [];
      const length = raw.length + (line.terminated ? 1 : 0);
      this.#addRegion(raw, { line: line.number, offset, length, rule: rule.id, pieces, lines: 1 }, newline);
      return;
    }
    const flags = Flag.inRegion | Flag.frozen;
    const hasOwnLine = isAlone(splitDamagedLine(damaged));
    for (const { value, start, end } of objects) {
      const place = { line: line.number, offset: offset + start, length: end - start, flags, hasOwnLine };
      this.#add(value, { ...place, newline, raw: () => raw.slice(start, end) });
    }
  }

  /** Lines that are one object together become one line, if the object belongs into a log. */
  #join(held: readonly HeldLine[]): boolean {
    const first = held[0]?.line;
    const last = held.at(-1)?.line;
    if (!first || !last || !this.#options.wants('torn-line')) return false;
    const skipped = markBytes(first);
    const raw = held
      .map(({ line }) => line.raw)
      .join('\n')
      .slice(skipped);
    const text = held.map(({ line }) => line.text).join('\n');
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (!isObject(value)) return false;
    if (!isHeader(value) && !isTitleSlot(value) && !hasEnvelope(value, this.#facts.version) && !hasPayload(value))
      return false;
    const end = raw.endsWith('\r') ? raw.length - 1 : raw.length;
    const pieces: Piece[] = [{ kind: 'object', start: 0, end, splices: breaks(raw), keepsOld: false, value }];
    const place = {
      line: first.number,
      offset: first.offset + skipped,
      length: raw.length + (last.terminated ? 1 : 0),
    };
    this.#addRegion(raw, { ...place, rule: 'torn-line', pieces, lines: held.length }, this.#newlineOf(last));
    return true;
  }

  /** The line end that a line has, or will have. */
  #newlineOf(line: Line): string {
    return line.ending || this.index.lastNewline || '\n';
  }

  #addRegion(raw: string, region: Region, newline: string): void {
    const { line, rule, pieces } = region;
    const hasOwnLine = isAlone(pieces);
    const numbered = pieces.map(({ value, ...piece }): Piece => {
      const { kind, start, end, splices } = piece;
      if (kind === 'junk') this.#readJunk(raw.slice(start, end), rule);
      if (!value) return piece;
      const shifted = splices.map((one) => ({ start: one.start - start, end: one.end - start, text: one.text }));
      const place = {
        line,
        offset: region.offset + start,
        length: end - start,
        flags: Flag.inRegion,
        damage: rule,
        hasOwnLine,
      };
      return {
        ...piece,
        unit: this.#add(value, { ...place, newline, raw: () => applySplices(raw.slice(start, end), shifted) }),
      };
    });
    this.index.regions.push({ ...region, pieces: numbered });
  }

  #readJunk(raw: string, rule: string): void {
    this.#countLost(raw, rule);
    const { shown, symbols } = this.index;
    for (const { id, parentId } of shownIds(raw)) {
      const symbol = symbols.intern(id);
      if (!shown.has(symbol)) shown.set(symbol, parentId === null ? NO_PARENT : symbols.intern(parentId));
    }
  }

  /** What was an object once had a place in the count of a version 1 log; one place, on however many lines it is now. */
  #countLost(raw: string, rule: string): void {
    const { lostBefore, size } = this.index;
    const split = this.#split;
    if (/^\s*\{\s*"/.test(raw)) this.#split = { entry: new SplitEntry(raw), lost: lostBefore.length + 1 };
    else if (split?.entry.ends(raw)) {
      lostBefore.length = split.lost;
      this.#split = undefined;
      return;
    }
    if (/\{\s*"/.test(raw)) lostBefore.push({ before: size, rule });
  }

  #add(value: JsonObject, spot: Spot): Unit {
    this.#split = undefined;
    this.#options.onObject(value, spot.hasOwnLine);
    return isHeader(value) || isTitleSlot(value) ? this.#addHeadLine(value, spot) : this.#addEntry(value, spot);
  }

  #addHeadLine(value: JsonObject, spot: Spot): HeadLine {
    const { line, offset, length, newline, flags, damage } = spot;
    const kind = isHeader(value) ? 'header' : 'title';
    const raw = withoutEnding(spot.raw());
    const head: HeadLine = {
      kind,
      line,
      offset,
      length,
      newline,
      value,
      raw,
      damage,
      before: this.#facts.objects,
      entry: this.index.size,
      alone: (flags & Flag.inRegion) === 0,
      frozen: (flags & Flag.frozen) !== 0,
      edits: undefined,
    };
    const object = this.#checkedObject(kind, value, spot);
    // A slot that only the fix of its bytes made longer or shorter is no finding of its own.
    const isResized = damage !== undefined && raw.length !== length;
    for (const finding of this.#check(object, head)) {
      this.index.findings.push(
        isResized && finding.found === 'bad-title-slot' ? { ...finding, rule: damage } : finding,
      );
    }
    if (kind === 'header') {
      this.#facts.addHeader(object);
      this.index.headers.push(head);
    } else {
      this.#facts.addTitle();
      this.index.titles.push(head);
    }
    return head;
  }

  /** An object as it will stand on a line of its own. */
  #checkedObject(kind: CheckedObject['kind'], value: JsonObject, { line, offset, newline, raw }: Spot): CheckedObject {
    const facts = this.#facts;
    const bytes = withoutEnding(raw());
    return {
      kind,
      value,
      line: new Line(line, offset, bytes + newline.slice(0, -1), true, 'invalid'),
      id: typeof value['id'] === 'string' ? value['id'] : undefined,
      // Before there is a header it is open whether an entry needs an id.
      shape: checkShape(value, (facts.headers > 0 && facts.version) || 3),
      get text() {
        return decodeUtf8(bytes);
      },
    };
  }

  #check(object: CheckedObject, unit: Unit): ObjectFinding[] {
    const findings: ObjectFinding[] = [];
    for (const { id, object: check } of OBJECT_RULES) {
      check?.(object, this.#facts, ({ path }) => findings.push({ unit, found: id, rule: id, path }));
    }
    return findings;
  }

  #addEntry(value: JsonObject, spot: Spot): number {
    const { index } = this;
    const { line, offset, length, flags, raw } = spot;
    const entry = index.size;
    const { id, parentId, firstKeptEntryIndex, timestamp } = value;
    index.ids.push(typeof id === 'string' ? index.symbols.intern(id) : id === undefined ? ABSENT : WRONG);
    index.parents.push(this.#parent(parentId));
    index.lines.push(line);
    index.offsets.push(offset);
    index.lengths.push(length);
    const { isWhole, payload } = this.#checkEntry(value, entry, spot);
    index.flags.push(flags | payload | (id === '' ? Flag.emptyId : 0) | this.#typeFlags(entry, value));
    REFERENCES.forEach((name, key) => {
      const named = value[name];
      if (typeof named !== 'string') return;
      index.referenceEntries.push(entry);
      index.referenceKeys.push(key);
      index.referenceIds.push(index.symbols.intern(named));
    });
    if (typeof firstKeptEntryIndex === 'number') index.keptIndexes.set(entry, firstKeptEntryIndex);
    if (typeof timestamp === 'string') {
      index.lastTimestamp = timestamp;
      if (isWhole) index.firstEntry ??= { bytes: trimmed(raw()), timestamp, hasId: typeof id === 'string' };
    }
    if (value['type'] === 'session_init' && typeof value['cwd'] === 'string') index.cwd ??= value['cwd'];
    return entry;
  }

  /** Asks the rules about an entry. Where it has to leave, one finding says so. */
  #checkEntry(value: JsonObject, entry: number, spot: Spot): { readonly isWhole: boolean; readonly payload: number } {
    const facts = this.#facts;
    const findings = this.#check(this.#checkedObject('entry', value, spot), entry);
    facts.objects++;
    if (facts.firstEntryLine === 0) facts.firstEntryLine = spot.line;
    facts.version ??= versionByEntry(value);
    if (findings.length === 0) return { isWhole: true, payload: 0 };
    const fields = findings.filter(({ found }) => found === 'missing-field' || found === 'wrong-type');
    const isTie = ({ path }: ObjectFinding): boolean => path === 'id' || path === 'parentId';
    const fatal = fields.find((one) => !isTie(one));
    const isKept = fields.some(isTie) && hasPayload(value);
    const decisive = fatal ?? (isKept ? undefined : (fields.find(({ path }) => path === 'id') ?? fields[0]));
    this.index.findings.push(...(decisive ? [decisive] : fields), ...findings.filter((one) => !fields.includes(one)));
    return { isWhole: !fatal, payload: isKept ? Flag.payload : 0 };
  }

  #parent(parentId: unknown): number {
    if (parentId === null || parentId === '') return NO_PARENT;
    if (typeof parentId === 'string') return this.index.symbols.intern(parentId);
    return parentId === undefined ? ABSENT : WRONG;
  }

  #typeFlags(entry: number, value: JsonObject): number {
    const { type } = value;
    if (type === 'message') return Flag.spoken | Flag.message | this.#messageFlags(entry, value);
    return typeof type === 'string' && isShown(type) ? Flag.spoken : 0;
  }

  #messageFlags(entry: number, value: JsonObject): number {
    const message = messageOf(value) ?? {};
    const { role, stopReason } = message;
    if (this.#options.tools && (role === 'toolResult' || role === 'assistant')) this.#keepTools(entry, value, message);
    if (role === 'user') return Flag.user;
    if (role === 'toolResult') return Flag.toolResult;
    if (role !== 'assistant') return 0;
    return Flag.assistant | (stopReason === 'aborted' || stopReason === 'error' ? Flag.stopped : 0);
  }

  #keepTools(entry: number, { timestamp }: JsonObject, { role, toolCallId, content }: JsonObject): void {
    const { answers, calls, timestamps } = this.index;
    if (role === 'assistant') {
      const made = Array.isArray(content) ? content.flatMap(toolCall) : [];
      if (made.length === 0) return;
      calls.set(entry, made);
    } else if (typeof toolCallId === 'string') answers.set(entry, toolCallId);
    if (typeof timestamp === 'string') timestamps.set(entry, timestamp);
  }
}

function toolCall(block: unknown): ToolCall[] {
  if (!isObject(block) || block['type'] !== 'toolCall' || typeof block['id'] !== 'string') return [];
  return [{ id: block['id'], name: typeof block['name'] === 'string' ? block['name'] : undefined }];
}

/** How many bytes of a line are the file's byte order mark. */
function markBytes({ number, raw }: Line): number {
  return number === 1 && raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
}

/** Nothing else stands on the line but NULs. */
function isAlone(pieces: readonly Piece[]): boolean {
  return pieces.filter(({ kind }) => kind !== 'nuls').length === 1;
}

/** The line breaks of an object and the indentation behind each. */
function breaks(raw: string): Splice[] {
  return [...raw.matchAll(/\r?\n[ \t\r\n]*/g)].map(({ index, 0: run }) => ({
    start: index,
    end: index + run.length,
    text: '',
  }));
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
