import type { Line } from '../../lines/line.ts';
import type { Block } from '../../lines/reader.ts';
import { type EntryRanges, entryRanges, NO_PARENT } from '../../log/log-index.ts';
import {
  ABSENT,
  CALL_FIELDS,
  CUT_TURN,
  FIELD,
  FIELDS,
  NULL,
  ROLE,
  ROLE_NAMES,
  TYPE,
  TYPE_NAMES,
} from '../../scanner/layout.ts';
import type { Scanner } from '../../scanner/scanner.ts';
import { KIND, type LastEntry, type LogFacts } from './log-facts.ts';
import { CLEAN, ShapeTable, TOLD, UNKNOWN } from './shape-table.ts';

const MS_A_DAY = 86_400_000;

/** What is learned once for all logs of a run: the compiled scanner, and whether there is something to say about a shape. */
export class ShapeMemory {
  readonly scanner: Scanner;
  readonly #shapes: (ShapeTable | undefined)[] = [];

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /** The shapes of a version, for what is expected of a line depends on it. */
  of(version: number): ShapeTable {
    this.#shapes[version] ??= new ShapeTable();
    return this.#shapes[version];
  }
}

/** Who looks at lines more closely. */
export interface Reading {
  /** Whether nothing is to be said about the shape of a line that the scanner has accepted. */
  readonly isClean: (line: Line) => boolean;
  /** Reads a line in full, which the scanner may have accepted. */
  readonly read: (line: Line, isScanned: boolean) => void;
}

/**
 * Takes entries in without building them. A line goes this way only if the scanner vouches for it, nothing was found about
 * a line of its shape, and its own values are none that a rule has something to say about.
 */
export class FastPath {
  readonly #scanner: Scanner;
  readonly #memory: ShapeMemory;
  readonly #log: LogFacts;
  /** One for all lines: objects of their own would be most of what there is to clean up. */
  readonly #entry: EntryRanges = entryRanges();
  /** What neighbours of a user message need to know of it; one for all, for the entry behind it is the last to ask. */
  readonly #lastUser: { -readonly [key in keyof LastEntry]: LastEntry[key] } = {
    line: 0,
    role: 'user',
    parentId: undefined,
    time: 0,
  };
  /** As the index codes them, by ROLE and TYPE. */
  readonly #roles: readonly number[];
  readonly #types: readonly number[];

  constructor(memory: ShapeMemory, log: LogFacts) {
    this.#memory = memory;
    this.#scanner = memory.scanner;
    this.#log = log;
    this.#roles = ROLE_NAMES.map((name) => log.index.roleCode(name));
    this.#types = TYPE_NAMES.map((name) => log.index.typeCode(name));
  }

  /** False for a block that must be read line by line: the header is not known yet, or there are bytes that are no text. */
  takes(block: Block): boolean {
    return this.#log.version !== undefined && block.encoding !== 'invalid' && this.#scanner.load(block.bytes);
  }

  /** Goes through a block that it takes. */
  eachLine(block: Block, reading: Reading): void {
    const { records } = this.#scanner;
    let number = block.number;
    for (let from = 0; from < block.bytes.length; ) {
      const lines = this.#scanner.scan(from);
      for (let line = 0; line < lines; line++, number++) {
        const at = line * FIELDS;
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        from = start + length + 1;
        if (records[at + FIELD.accepted] === 0) {
          reading.read(block.line(start, length, number), false);
          continue;
        }
        // A header in the middle of the file changes what is expected.
        const shapes = this.#memory.of(this.#log.version ?? 0);
        const shapeA = records[at + FIELD.shapeA] as number;
        const shapeB = records[at + FIELD.shapeB] as number;
        let verdict = shapes.get(shapeA, shapeB);
        if (verdict === UNKNOWN) {
          verdict = reading.isClean(block.line(start, length, number)) ? CLEAN : TOLD;
          shapes.set(shapeA, shapeB, verdict);
        }
        if (verdict !== CLEAN || !this.#join(block, at, number)) reading.read(block.line(start, length, number), true);
      }
    }
    block.lines = number - block.number;
  }

  /** False where a rule may have something to say about the values. */
  #join(block: Block, at: number, line: number): boolean {
    const { records } = this.#scanner;
    const log = this.#log;
    const codes = records[at + FIELD.codes] as number;
    const type = codes & 15;
    const role = (codes >>> 4) & 15;
    // The index keeps the names of roles; which unknown one it is, the scanner does not say. What is no message has none.
    if ((type === TYPE.message) !== (role !== ROLE.none) || role === ROLE.unknown) return false;
    const parentStart = records[at + FIELD.parentStart] as number;
    const parentLength = records[at + FIELD.parentLength] as number;
    const time = (records[at + FIELD.day] as number) * MS_A_DAY + (records[at + FIELD.millisecond] as number);
    let last: LastEntry | undefined;
    if (role === ROLE.user) {
      // Two user messages in a row may be of two writers.
      if (log.last?.role === 'user') return false;
      last = this.#lastUser;
      this.#lastUser.line = line;
      this.#lastUser.parentId = parentOf(block, parentStart, parentLength);
      this.#lastUser.time = time;
    }
    const count = records[at + FIELD.calls] as number;
    if (count > 1 && this.#repeatsCall(block, at, count)) return false;
    const entry = this.#entry;
    entry.bytes = block.bytes;
    entry.idStart = records[at + FIELD.idStart] as number;
    entry.idLength = records[at + FIELD.idLength] as number;
    entry.parentStart = parentStart;
    entry.parentLength = parentLength;
    entry.parent = log.version === 1 && parentLength === ABSENT ? log.size - 1 : NO_PARENT;
    entry.type = this.#types[type] as number;
    entry.role = this.#roles[role] as number;
    entry.line = line;
    entry.offset = block.offset + (records[at + FIELD.start] as number);
    entry.flags = kindOf(role, codes);
    const joined = log.joinPlain(entry, parentLength === NULL, time, last);
    if (!joined) return false;
    const position = log.size - 1;
    if (role === ROLE.assistant && count > 0) this.#addCalls(block, at, count, position);
    const resultLength = records[at + FIELD.resultLength] as number;
    if (role === ROLE.toolResult && resultLength !== ABSENT) {
      log.addPlainResult(position, block.bytes, records[at + FIELD.resultStart] as number, resultLength);
    }
    log.lines++;
    return true;
  }

  #addCalls(block: Block, at: number, count: number, position: number): void {
    const { records, calls } = this.#scanner;
    const first = (records[at + FIELD.firstCall] as number) * CALL_FIELDS;
    for (let call = first; call < first + count * CALL_FIELDS; call += CALL_FIELDS) {
      this.#log.addPlainCall(
        position,
        block.bytes,
        calls[call] as number,
        calls[call + 1] as number,
        calls[call + 2] as number,
      );
    }
  }

  /** Whether two calls of a message have one id. */
  #repeatsCall(block: Block, at: number, count: number): boolean {
    const { records, calls } = this.#scanner;
    const first = (records[at + FIELD.firstCall] as number) * CALL_FIELDS;
    if (count === 2) return this.#areAlike(block.bytes, first, first + CALL_FIELDS);
    const ids = new Set<string>();
    for (let call = first; call < first + count * CALL_FIELDS; call += CALL_FIELDS) {
      ids.add(
        block.bytes.toString('latin1', calls[call] as number, (calls[call] as number) + (calls[call + 1] as number)),
      );
    }
    return ids.size < count;
  }

  /** Whether two calls have the same id, without making strings of them. */
  #areAlike(bytes: Uint8Array, one: number, other: number): boolean {
    const { calls } = this.#scanner;
    const length = calls[one + 1] as number;
    if (length !== calls[other + 1]) return false;
    const oneEnd = (calls[one] as number) + length;
    const otherEnd = (calls[other] as number) + length;
    // Ids of one kind differ at their end.
    for (let back = 1; back <= length; back++) if (bytes[oneEnd - back] !== bytes[otherEnd - back]) return false;
    return true;
  }
}

function kindOf(role: number, codes: number): number {
  if (role === ROLE.none) return KIND.other;
  if (role === ROLE.user) return KIND.user;
  if (role === ROLE.toolResult) return KIND.toolResult;
  return (codes & CUT_TURN) === 0 ? KIND.assistant : KIND.cutTurn;
}

function parentOf(block: Block, start: number, length: number): string | null | undefined {
  if (length === NULL) return null;
  return length === ABSENT ? undefined : block.bytes.toString('latin1', start, start + length);
}
