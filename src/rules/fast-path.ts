import type { Line } from '../lines/line.ts';
import type { Block } from '../lines/reader.ts';
import { ABSENT, CALL_FIELDS, CUT_TURN, FIELD, FIELDS, NULL, ROLE, TYPE } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';
import { KIND, type LogFacts } from './log-facts.ts';

/** More shapes than this are no shapes but noise; they are read in full. */
const MOST_SHAPES = 1 << 16;
const MS_A_DAY = 86_400_000;
const ROLE_NAMES: readonly (string | undefined)[] = [undefined, 'user', 'assistant', 'toolResult'];

/** What is learned once for all logs of a run: the compiled scanner, and the shapes about which there is nothing to say. */
export class ShapeMemory {
  readonly scanner: Scanner;
  readonly #clean = new Map<number, Set<number>>();

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /** The clean shapes of a version: what is expected of a line depends on it. */
  of(version: number): Set<number> {
    let shapes = this.#clean.get(version);
    if (!shapes) {
      shapes = new Set();
      this.#clean.set(version, shapes);
    }
    return shapes;
  }
}

/**
 * Takes entries in without building them. A line goes this way only if the scanner vouches for it, a line of its shape was
 * read in full and nothing was found about it, and its own values are none that a rule has something to say about.
 */
export class FastPath {
  readonly #log: LogFacts;
  readonly #scanner: Scanner;
  readonly #memory: ShapeMemory;

  constructor(log: LogFacts, memory: ShapeMemory) {
    this.#log = log;
    this.#memory = memory;
    this.#scanner = memory.scanner;
  }

  /** False for a block that must be read line by line: the header is not known yet, or there are bytes that are no text. */
  takes(block: Block): boolean {
    return this.#log.version !== undefined && block.encoding !== 'invalid' && this.#scanner.load(block.bytes);
  }

  /** Goes through a block that it takes. `read` reads a line in full and tells whether its shape had nothing to it. */
  eachLine(block: Block, read: (line: Line) => boolean): void {
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
          read(block.line(start, length, number));
          continue;
        }
        const shape = (((records[at + FIELD.shapeA] as number) >>> 0) * 2 ** 21 +
          ((records[at + FIELD.shapeB] as number) >>> 11)) as number;
        // A header in the middle of the file changes what is expected.
        const clean = this.#memory.of(this.#log.version ?? 0);
        if (clean.has(shape)) {
          if (!this.#join(block, at, number)) read(block.line(start, length, number));
        } else if (read(block.line(start, length, number)) && clean.size < MOST_SHAPES) clean.add(shape);
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
    const role = type === TYPE.message ? (codes >>> 4) & 15 : ROLE.other;
    const id = text(block, records[at + FIELD.idStart] as number, records[at + FIELD.idLength] as number);
    const parentLength = records[at + FIELD.parentLength] as number;
    const parentId = parentLength === NULL ? null : text(block, records[at + FIELD.parentStart] as number, parentLength);
    if (id !== undefined && log.find(id) >= 0) return false;
    if (role === ROLE.user && log.last?.role === 'user' && log.last.parentId === parentId) return false;
    // The index keeps the names of the first few hundred roles; which one this is, the scanner does not tell.
    if (type === TYPE.message && role === ROLE.other) return false;
    const calls = role === ROLE.assistant ? this.#callsOf(block, at) : NONE;
    if (calls === undefined) return false;
    const position = log.join({
      id,
      parentId,
      type: type === TYPE.message ? 'message' : 'custom',
      role: ROLE_NAMES[role],
      kind: kindOf(role, codes),
      time: (records[at + FIELD.day] as number) * MS_A_DAY + (records[at + FIELD.millisecond] as number),
      line,
      offset: block.offset + (records[at + FIELD.start] as number),
      length: records[at + FIELD.length] as number,
    });
    for (const call of calls) log.addCall(position, call.id, call.block);
    if (role === ROLE.toolResult) {
      const result = text(block, records[at + FIELD.resultStart] as number, records[at + FIELD.resultLength] as number);
      if (result !== undefined) log.addResult(position, result);
    }
    log.lines++;
    return true;
  }

  /** Undefined where an id is used twice. */
  #callsOf(block: Block, at: number): readonly { id: string; block: number }[] | undefined {
    const { records, calls } = this.#scanner;
    const count = records[at + FIELD.calls] as number;
    if (count === 0) return NONE;
    const first = records[at + FIELD.firstCall] as number;
    const found: { id: string; block: number }[] = [];
    for (let call = first * CALL_FIELDS; found.length < count; call += CALL_FIELDS) {
      const id = text(block, calls[call] as number, calls[call + 1] as number) as string;
      found.push({ id, block: calls[call + 2] as number });
    }
    if (count > 1 && new Set(found.map(({ id }) => id)).size < count) return undefined;
    return found;
  }
}

const NONE: readonly { id: string; block: number }[] = [];

function kindOf(role: number, codes: number): number {
  if ((codes & 15) === TYPE.custom) return KIND.other;
  if (role === ROLE.user) return KIND.user;
  if (role === ROLE.toolResult) return KIND.toolResult;
  return (codes & CUT_TURN) === 0 ? KIND.assistant : KIND.cutTurn;
}

function text(block: Block, start: number, length: number): string | undefined {
  return length === ABSENT ? undefined : block.bytes.toString('latin1', start, start + length);
}
