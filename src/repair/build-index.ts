import { hash } from 'node:crypto';
import { BYTE_ORDER_MARK, type LineContent, readContent, trimmedRange } from '../entries/damage.ts';
import { hasEnvelope, isHeader, isTitleSlot, messageOf, versionByEntry } from '../entries/envelope-check.ts';
import { checkShape } from '../entries/schema/index.ts';
import { applySplices, type Splice } from '../json/text.ts';
import { type JsonObject, parseObject } from '../json/value.ts';
import { decodeUtf8, Line } from '../lines/line.ts';
import { byteOrderMark } from '../rules/byte-order-mark.ts';
import { LogFacts, readTime } from '../rules/check/log-facts.ts';
import { hasPayload } from '../rules/fix/rebuild-tree.ts';
import {
  type HeadLine,
  type ObjectFinding,
  type PlacedObject,
  type RepairEntry,
  RepairIndex,
  type Unit,
} from '../rules/fix/repair-state.ts';
import { toolUseOf } from '../rules/fix/settle.ts';
import { type Piece, type Region, splitDamagedLine } from '../rules/fix/split-damaged-line.ts';
import { rules } from '../rules/index.ts';
import type { CheckedObject, Rule } from '../rules/rule.ts';
import { shownIds, splitEntry } from './garbage.ts';
import { type HeldLine, Joiner } from './joiner.ts';

export interface BuildOptions {
  /** Whether a rule's findings are fixed. */
  readonly wants: (rule: string) => boolean;
  /** Learns from every object whether the file is a session log. */
  readonly onObject: (value: JsonObject, hasOwnLine: boolean) => void;
  /** Keep what the fix of unanswered calls needs to know. */
  readonly tools: boolean;
}

/** An object as it is in the log. */
interface FoundObject extends Omit<PlacedObject, 'position' | 'edits' | 'inRegion'> {
  readonly value: JsonObject;
  /** Its bytes, with what makes them whole. */
  readonly bytes: string;
  readonly splices: readonly Splice[];
  /** The rule by which its line is fixed. */
  readonly damage?: string;
  /** No other object and no garbage is on its line. */
  readonly hasOwnLine: boolean;
  /** The line end that it will have. */
  readonly newline: string;
}

/** Rules that split the lines that they find something in. The mark of the file is taken off before. */
const LINE_RULES = rules.filter((rule) => rule.fix?.line && rule.line && rule !== byteOrderMark);
/** Rules that can fix what they find in an object. */
const OBJECT_RULES = rules.filter(({ fix, object }) => fix && object);
/** The members that name an entry, beside parentId. */
const REFERENCES = ['targetId', 'firstKeptEntryId', 'fromId'];

/** Reads a log, line by line: fixes the bytes of its lines, and asks the rules about each object that is then there. */
export class RepairIndexBuilder {
  readonly index = new RepairIndex();
  readonly #options: BuildOptions;
  readonly #joiner: Joiner;
  /** What the checks of headers and shapes ask for; it counts entries and holds none. */
  readonly #facts = new LogFacts(new Uint8Array(8));
  /** The last torn entry, where nothing but garbage has followed it, and how many were lost with it. */
  #split: { readonly ends: (line: string) => boolean; readonly lost: number } | undefined;

  constructor(options: BuildOptions) {
    this.#options = options;
    this.#joiner = new Joiner({ single: (held) => this.#place(held), joined: (lines) => this.#join(lines) });
  }

  take(whole: Line): void {
    const { index } = this;
    index.bytes = whole.offset + whole.length + (whole.terminated ? 1 : 0);
    if (whole.terminated) {
      index.lastNewline = whole.ending;
      index.firstNewline ||= whole.ending;
    }
    const isMarked = whole.number === 1 && whole.raw.startsWith(BYTE_ORDER_MARK);
    const line = isMarked ? this.#withoutMark(whole) : whole;
    const { version } = this.#facts;
    const content = readContent(line, version);
    const { damage, objects } = content;
    if (damage !== undefined || objects.length > 0) index.written++;
    const isEntry = damage === undefined && objects.some(({ value }) => hasEnvelope(value, version));
    this.#joiner.take({ line, content }, isEntry);
  }

  end(): void {
    this.#joiner.end();
  }

  #withoutMark({ raw, terminated }: Line): Line {
    const { length } = BYTE_ORDER_MARK;
    if (this.#options.wants(byteOrderMark.id)) {
      const pieces = byteOrderMark.fix?.line?.({ raw: BYTE_ORDER_MARK, objects: [], version: undefined }) ?? [];
      this.index.regions.push({ line: 1, offset: 0, length, rule: byteOrderMark.id, pieces, lines: 1 });
    } else this.index.keepsMark = true;
    return new Line(1, length, raw.slice(length), terminated, 'invalid');
  }

  #place({ line, content }: HeldLine): void {
    const { damage, objects } = content;
    if (damage === 'oversize-line') {
      this.index.firstOversizeLine ||= line.number;
      return;
    }
    const { number, offset, raw } = line;
    const damaged = { raw, objects, version: this.#facts.version };
    const length = raw.length + (line.terminated ? 1 : 0);
    const newline = line.ending || this.index.lastNewline || '\n';
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
      const bytes = raw.slice(start, end);
      const unit = this.#add({ value, line: number, ...place, bytes, splices: [], frozen, hasOwnLine, newline });
      if (!frozen && !line.terminated) this.index.unended = unit;
    }
  }

  /** The rule by which the bytes of a line are fixed. */
  #ruleOf(line: Line, { damage, objects }: LineContent): Rule | undefined {
    return LINE_RULES.find((rule) => {
      let isFound = false;
      if (!this.#options.wants(rule.id)) return false;
      rule.line?.({ line, damage, objects: objects.length }, this.#facts, () => {
        isFound = true;
      });
      return isFound;
    });
  }

  /** Lines that are one object together become one line, if the object belongs into a log. */
  #join(held: readonly HeldLine[]): boolean {
    const first = held[0]?.line;
    const last = held.at(-1)?.line;
    if (!first || !last || !this.#options.wants('torn-line')) return false;
    const value = parseObject(held.map(({ line }) => line.text).join('\n'));
    if (!value) return false;
    if (!isHeader(value) && !isTitleSlot(value) && !hasEnvelope(value, this.#facts.version) && !hasPayload(value))
      return false;
    const raw = held.map(({ line }) => line.raw).join('\n');
    // Line breaks go, and the indentation behind each.
    const splices = [...raw.matchAll(/\r?\n[ \t\r\n]*/g)].map(
      ({ index, 0: run }): Splice => ({ start: index, end: index + run.length, text: '' }),
    );
    const pieces: Piece[] = [{ kind: 'object', start: 0, end: withoutEnding(raw).length, splices, value }];
    const place = { line: first.number, offset: first.offset, length: raw.length + (last.terminated ? 1 : 0) };
    const newline = last.ending || this.index.lastNewline || '\n';
    this.#addRegion(raw, { ...place, rule: 'torn-line', pieces, lines: held.length }, newline);
    return true;
  }

  #addRegion(raw: string, region: Region, newline: string): void {
    const { line, rule: damage, offset } = region;
    const hasOwnLine = isAlone(region.pieces);
    const pieces = region.pieces.map(({ value, ...piece }): Piece => {
      const { kind, start, end, splices = [] } = piece;
      const bytes = raw.slice(start, end);
      if (kind === 'junk') this.#readJunk(bytes, damage);
      if (!value) return piece;
      const place = { line, offset: offset + start, length: end - start };
      const unit = this.#add({ value, ...place, bytes, splices, damage, frozen: false, hasOwnLine, newline });
      return { ...piece, unit };
    });
    this.index.regions.push({ ...region, pieces });
  }

  #readJunk(raw: string, rule: string): void {
    const { shown, lostBefore, entries } = this.index;
    for (const { id, parentId } of shownIds(raw)) if (!shown.has(id)) shown.set(id, parentId);
    // What was an object once had a place in the count of a version 1 log; one place, on however many lines it is now.
    const split = this.#split;
    if (/^\s*\{\s*"/.test(raw)) this.#split = { ends: splitEntry(raw), lost: lostBefore.length + 1 };
    else if (split?.ends(raw)) {
      lostBefore.length = split.lost;
      this.#split = undefined;
      return;
    }
    if (/\{\s*"/.test(raw)) lostBefore.push({ before: entries.length, rule });
  }

  #add(found: FoundObject): Unit {
    const { value, line, offset, length, damage, frozen, newline } = found;
    this.#split = undefined;
    this.#options.onObject(value, found.hasOwnLine);
    const raw = withoutEnding(applySplices(found.bytes, found.splices));
    const inRegion = frozen || damage !== undefined;
    const place = { line, offset, length, inRegion, frozen, position: this.index.entries.length, edits: undefined };
    const { headers, version } = this.#facts;
    // As it will stand on a line of its own.
    const object: CheckedObject = {
      kind: isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry',
      value,
      line: new Line(line, offset, raw + newline.slice(0, -1), true, 'invalid'),
      id: typeof value['id'] === 'string' ? value['id'] : undefined,
      time: readTime(value['timestamp']),
      // Before there is a header it is open whether an entry needs an id.
      shape: checkShape(value, (headers > 0 && version) || 3),
      get text() {
        return decodeUtf8(raw);
      },
    };
    return object.kind === 'entry'
      ? this.#addEntry(object, place, found.bytes, raw)
      : this.#addHead(object, place, found, raw);
  }

  #check(object: CheckedObject, unit: Unit): ObjectFinding[] {
    const findings: ObjectFinding[] = [];
    for (const { id, object: check } of OBJECT_RULES)
      check?.(object, this.#facts, ({ path }) => findings.push({ unit, found: id, rule: id, path }));
    return findings;
  }

  #addHead(object: CheckedObject, place: PlacedObject, { newline, damage }: FoundObject, raw: string): HeadLine {
    const { index } = this;
    const kind = object.kind === 'header' ? 'header' : 'title';
    const head: HeadLine = { kind, ...place, newline, value: object.value, raw, before: this.#facts.objects };
    // A slot that only the fix of its bytes made longer or shorter is no finding of its own.
    const isResized = damage !== undefined && raw.length !== place.length;
    for (const finding of this.#check(object, head))
      index.findings.push(isResized && finding.found === 'bad-title-slot' ? { ...finding, rule: damage } : finding);
    if (kind === 'header') this.#facts.addHeader(object);
    else this.#facts.addTitle();
    (kind === 'header' ? index.headers : index.titles).push(head);
    return head;
  }

  #addEntry(object: CheckedObject, place: PlacedObject, bytes: string, raw: string): RepairEntry {
    const { index } = this;
    const { value } = object;
    const { type, id, parentId, firstKeptEntryIndex, timestamp, cwd } = value;
    const message = type === 'message' ? messageOf(value) : undefined;
    const entry: RepairEntry = {
      kind: 'entry',
      ...place,
      type: typeof type === 'string' ? type : '',
      role: message?.['role'],
      id,
      parentId,
      references: REFERENCES.flatMap((key) => {
        const named = value[key];
        return typeof named === 'string' ? [{ key, id: named }] : [];
      }),
      digest: hash('sha256', Buffer.from(trimmed(bytes), 'latin1'), 'base64'),
      hasPayload: hasPayload(value),
      firstKeptEntryIndex: typeof firstKeptEntryIndex === 'number' ? firstKeptEntryIndex : undefined,
      tools: message && this.#options.tools ? toolUseOf(message, timestamp) : undefined,
      newId: undefined,
    };
    const isWhole = this.#checkEntry(object, entry);
    index.entries.push(entry);
    if (typeof timestamp === 'string') {
      index.lastTimestamp = timestamp;
      if (isWhole) index.firstEntry ??= { bytes: trimmed(raw), timestamp, hasId: typeof id === 'string' };
    }
    if (type === 'session_init' && typeof cwd === 'string') index.cwd ??= cwd;
    return entry;
  }

  /** Asks the rules about an entry. Where it has to leave, one finding says so; false where nothing can save it. */
  #checkEntry(object: CheckedObject, entry: RepairEntry): boolean {
    const facts = this.#facts;
    const findings = this.#check(object, entry);
    facts.objects++;
    if (facts.firstEntryLine === 0) facts.firstEntryLine = entry.line;
    facts.version ??= versionByEntry(object.value);
    const fields = findings.filter(({ found }) => found === 'missing-field' || found === 'wrong-type');
    const fatal = fields.find(({ path }) => path !== 'id' && path !== 'parentId');
    const isKept = !fatal && fields.length > 0 && entry.hasPayload;
    const decisive = fatal ?? (isKept ? undefined : (fields.find(({ path }) => path === 'id') ?? fields[0]));
    this.index.findings.push(...(decisive ? [decisive] : fields), ...findings.filter((one) => !fields.includes(one)));
    return !fatal;
  }
}

/** Nothing else is on the line but NULs. */
function isAlone(pieces: readonly Piece[]): boolean {
  return pieces.filter(({ kind }) => kind !== 'nuls').length === 1;
}

function withoutEnding(raw: string): string {
  return raw.endsWith('\r') ? raw.slice(0, -1) : raw;
}

/** Without the white space and NULs around the object. */
function trimmed(raw: string): string {
  const { start, end } = trimmedRange(raw);
  return raw.slice(start, end);
}
