import type { LineBlock } from '../../lines/reader.ts';
import { fillIds } from '../../log/index-builder.ts';
import { type EntryRanges, entryRanges, NO_PARENT } from '../../log/log-index.ts';
import {
  ABSENT,
  CALL_FIELDS,
  FIELD,
  NULL,
  ROLE,
  ROLE_NAMES,
  STOPPED_TURN,
  TYPE,
  TYPE_NAMES,
} from '../../scanner/layout.ts';
import type { Scanner } from '../../scanner/scanner.ts';
import { KIND, type LastEntry, type LogFacts } from './log-facts.ts';

/** With more shapes than this a log has no regular shapes, and no more are kept. */
const MAX_SHAPES = 1 << 16;
const MS_PER_DAY = 86_400_000;

/** What all logs of a run share: the compiled scanner, and which shapes are clean. */
export class ShapeMemory {
  readonly scanner: Scanner;
  /** Reused for all lines: one object per line would dominate garbage collection. */
  readonly entry = entryRanges();
  /** By version, because what is valid depends on it; then by the first half of the shape's hash. */
  readonly #shapes: Map<number, { readonly b: number; readonly isClean: boolean }>[] = [];

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /** Whether no rule has a finding for a shape, given the two halves of its hash; undefined if not known. */
  get(version: number, a: number, b: number): boolean | undefined {
    const known = this.#shapes[version]?.get(a);
    return known?.b === b ? known.isClean : undefined;
  }

  set(version: number, a: number, b: number, isClean: boolean): void {
    this.#shapes[version] ??= new Map();
    const shapes = this.#shapes[version];
    if (shapes.size < MAX_SHAPES) shapes.set(a, { b, isClean });
  }
}

/** Adds entries from the scanner's facts, without parsing their lines. */
export class PlainEntries {
  readonly #scanner: Scanner;
  readonly #log: LogFacts;
  readonly #entry: EntryRanges;
  /** The index's codes, by ROLE and TYPE. */
  readonly #roles: readonly number[];
  readonly #types: readonly number[];

  constructor({ scanner, entry }: ShapeMemory, log: LogFacts) {
    this.#scanner = scanner;
    this.#entry = entry;
    this.#log = log;
    this.#roles = ROLE_NAMES.map((name) => log.index.roleCode(name));
    this.#types = TYPE_NAMES.map((name) => log.index.typeCode(name));
  }

  /** Adds the entry of a scanned line; false, with nothing added, if a rule may have a finding for its values. */
  add(block: LineBlock, at: number, line: number): boolean {
    const { records } = this.#scanner;
    const log = this.#log;
    const codes = records[at + FIELD.codes] as number;
    const type = codes & 15;
    const role = (codes >>> 4) & 15;
    // The index needs the name of an unknown role, which the scanner does not give.
    if ((type === TYPE.message) !== (role !== ROLE.none) || role === ROLE.unknown) return false;
    // Two user messages in a row may come from two writers.
    if (role === ROLE.user && log.last?.role === 'user') return false;
    const calls = this.#callIds(block, at);
    if (calls.length > 1 && new Set(calls).size < calls.length) return false;
    const time = (records[at + FIELD.day] as number) * MS_PER_DAY + (records[at + FIELD.millisecond] as number);
    const entry = this.#entry;
    fillIds(entry, block, records, at);
    const { parentStart, parentLength } = entry;
    entry.parent = log.version === 1 && parentLength === ABSENT ? log.index.size - 1 : NO_PARENT;
    entry.type = this.#types[type] as number;
    entry.role = this.#roles[role] as number;
    entry.line = line;
    entry.flags = kindOf(role, codes);
    // Only rules on user messages need the entry before.
    const last: LastEntry | undefined =
      role === ROLE.user
        ? { line, role: 'user', parentId: parentOf(block, parentStart, parentLength), time }
        : undefined;
    if (!log.addPlain(entry, parentLength === NULL, time, last)) return false;
    const position = log.index.size - 1;
    if (role === ROLE.assistant) {
      const blocks = (records[at + FIELD.firstCall] as number) * CALL_FIELDS + 2;
      calls.forEach((id, call) => {
        log.addCall(position, id, this.#scanner.calls[blocks + call * CALL_FIELDS] as number);
      });
    }
    const result = records[at + FIELD.resultStart] as number;
    const resultLength = records[at + FIELD.resultLength] as number;
    if (role === ROLE.toolResult && resultLength !== ABSENT)
      log.addResult(position, log.callIds.internBytes(block.bytes, result, result + resultLength));
    log.lines++;
    return true;
  }

  /** The symbols of the ids of the line's calls. */
  #callIds(block: LineBlock, at: number): readonly number[] {
    const { records, calls } = this.#scanner;
    const count = records[at + FIELD.calls] as number;
    if (count === 0) return NO_CALLS;
    const first = (records[at + FIELD.firstCall] as number) * CALL_FIELDS;
    const ids: number[] = [];
    for (let call = first; call < first + count * CALL_FIELDS; call += CALL_FIELDS) {
      const start = calls[call] as number;
      ids.push(this.#log.callIds.internBytes(block.bytes, start, start + (calls[call + 1] as number)));
    }
    return ids;
  }
}

const NO_CALLS: readonly number[] = [];

function kindOf(role: number, codes: number): number {
  if (role === ROLE.none) return KIND.other;
  if (role === ROLE.user) return KIND.user;
  if (role === ROLE.toolResult) return KIND.toolResult;
  return (codes & STOPPED_TURN) === 0 ? KIND.assistant : KIND.stoppedTurn;
}

function parentOf(block: LineBlock, start: number, length: number): string | null | undefined {
  if (length === NULL) return null;
  return length === ABSENT ? undefined : block.bytes.toString('latin1', start, start + length);
}
