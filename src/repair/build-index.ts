import { hash } from 'node:crypto';
import { trimmedRange } from '../entries/damage.ts';
import { hasEnvelope, isHeader, isTitleSlot, messageOf, versionByEntry } from '../entries/envelope-check.ts';
import { checkShape } from '../entries/schema/index.ts';
import { referenceKeys } from '../entries/types/index.ts';
import { applySplices } from '../json/text.ts';
import { asString, type JsonObject } from '../json/value.ts';
import { decodeUtf8, Line } from '../lines/line.ts';
import { LogFacts, readTime } from '../rules/check/log-facts.ts';
import { hasPayload } from '../rules/fix/rebuild-tree.ts';
import {
  type HeadLine,
  type ObjectFinding,
  type PlacedObject,
  type RepairEntry,
  RepairIndex,
  type RepairUnit,
} from '../rules/fix/repair-state.ts';
import { toolUseOf } from '../rules/fix/settle.ts';
import { rules } from '../rules/index.ts';
import type { CheckedObject } from '../rules/rule.ts';
import { salvageIds, splitEntry } from './garbage.ts';
import { type FoundObject, LineSplitter, withoutEnding } from './split-lines.ts';

interface BuildOptions {
  /** Whether a rule's findings are fixed. */
  readonly shouldFix: (rule: string) => boolean;
  /** Receives every object, to decide whether the file is a session log. */
  readonly onObject: (value: JsonObject, hasOwnLine: boolean) => void;
  /** Keep what the fix for unanswered calls needs. */
  readonly tools: boolean;
}

const OBJECT_RULES = rules.filter(({ fix, object }) => fix && object);
const REFERENCES = referenceKeys();

/** Reads a log line by line: fixes the bytes of its lines, and runs the object rules on each object found. */
export class RepairIndexBuilder {
  readonly index = new RepairIndex();
  readonly #options: BuildOptions;
  readonly #lines: LineSplitter;
  /** For the rules on headers and shapes; it counts entries and stores none. */
  readonly #facts = new LogFacts(new Uint8Array(8));
  /** The last torn entry, if only garbage followed it, and the length of `lostBefore` with it. */
  #split: { readonly ends: (line: string) => boolean; readonly lost: number } | undefined;

  constructor(options: BuildOptions) {
    this.#options = options;
    const isEntry = (value: JsonObject): boolean => hasEnvelope(value, this.#facts.version);
    this.#lines = new LineSplitter(this.index, {
      shouldFix: options.shouldFix,
      isEntry,
      mayJoin: (value) => isHeader(value) || isTitleSlot(value) || isEntry(value) || hasPayload(value),
      onObject: (found) => this.#add(found),
      onJunk: (raw, rule) => this.#readJunk(raw, rule),
    });
  }

  take(line: Line): void {
    this.#lines.take(line);
  }

  end(): void {
    this.#lines.end();
  }

  #readJunk(raw: string, rule: string): void {
    const { salvagedParents, lostBefore, entries } = this.index;
    for (const { id, parentId } of salvageIds(raw)) if (!salvagedParents.has(id)) salvagedParents.set(id, parentId);
    // A lost object had one place in the count of a version 1 log, on however many lines it is now.
    const split = this.#split;
    if (/^\s*\{\s*"/.test(raw)) this.#split = { ends: splitEntry(raw), lost: lostBefore.length + 1 };
    else if (split?.ends(raw)) {
      lostBefore.length = split.lost;
      this.#split = undefined;
      return;
    }
    if (/\{\s*"/.test(raw)) lostBefore.push({ before: entries.length, rule });
  }

  #add(found: FoundObject): RepairUnit {
    const { value, line, offset, length, damage, frozen, newline } = found;
    this.#split = undefined;
    this.#options.onObject(value, found.hasOwnLine);
    const raw = withoutEnding(applySplices(found.bytes, found.splices));
    const inRegion = frozen || damage !== undefined;
    const place = { line, offset, length, inRegion, frozen, position: this.index.entries.length, edits: undefined };
    const { headers, version } = this.#facts;
    // The object as it will be, on a line of its own.
    const object: CheckedObject = {
      kind: isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry',
      value,
      line: new Line(line, offset, raw + newline.slice(0, -1), true, 'invalid'),
      id: asString(value['id']),
      time: readTime(value['timestamp']),
      // Without a header it is not known yet whether an entry needs an id.
      shape: checkShape(value, (headers > 0 && version) || 3),
      get text() {
        return decodeUtf8(raw);
      },
    };
    return object.kind === 'entry'
      ? this.#addEntry(object, place, found.bytes, raw)
      : this.#addHead(object, place, found, raw);
  }

  #check(object: CheckedObject, unit: RepairUnit): ObjectFinding[] {
    const findings: ObjectFinding[] = [];
    for (const { id, object: check } of OBJECT_RULES)
      check?.(object, this.#facts, ({ path }) => findings.push({ unit, found: id, rule: id, path }));
    return findings;
  }

  #addHead(object: CheckedObject, place: PlacedObject, { newline, damage }: FoundObject, raw: string): HeadLine {
    const { index } = this;
    const kind = object.kind === 'header' ? 'header' : 'title';
    const head: HeadLine = { kind, ...place, newline, value: object.value, raw, before: this.#facts.objects };
    // A slot whose length changed only because its bytes were fixed is not a finding of its own.
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
      type: asString(type) ?? '',
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

  /** Runs the rules on an entry. An entry that must be removed gets one finding; false if it cannot be kept. */
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

/** Without the white space and NULs around the object. */
function trimmed(raw: string): string {
  const { start, end } = trimmedRange(raw);
  return raw.slice(start, end);
}
