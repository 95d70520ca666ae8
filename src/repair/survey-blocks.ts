import type { Block } from '../lines/reader.ts';
import { ABSENT, CUT_TURN, FIELD, FIELDS, NULL, ROLE, TYPE } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';
import { Flag, type Survey } from './survey.ts';

/** More shapes than this are no shapes but noise; they are read in full. */
const MOST_SHAPES = 1 << 16;

/** By the scanner's role: what the survey notes of a message. */
const ROLE_FLAGS: readonly number[] = [0, Flag.user, Flag.assistant, Flag.toolResult];
const BY_LINE = Flag.user | Flag.assistant | Flag.toolResult | Flag.stopped;

/**
 * Takes whole blocks of lines into a survey. A line that the scanner vouches for, and of whose shape one was read in full
 * with nothing special about it, is taken in by its ids alone, without building its object.
 */
export class SurveyBlocks {
  readonly #survey: Survey;
  readonly #scanner: Scanner | undefined;
  /** By shape: the flags of such a line, without those that its role gives. */
  readonly #shapes = new Map<number, number>();

  constructor(survey: Survey, scanner: Scanner | undefined) {
    this.#survey = survey;
    this.#scanner = scanner;
  }

  take(block: Block): void {
    const scanner = this.#scanner;
    if (!scanner || !this.#survey.isSettled || block.encoding === 'invalid' || !scanner.load(block.bytes)) {
      for (const line of block.split()) this.#survey.take(line);
      return;
    }
    const { records } = scanner;
    let number = block.number;
    for (let from = 0; from < block.bytes.length; ) {
      const lines = scanner.scan(from);
      for (let line = 0; line < lines; line++, number++) {
        const at = line * FIELDS;
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        from = start + length + 1;
        if (!this.#takePlain(block, scanner, at, number)) this.#read(block, scanner, at, number);
      }
    }
    block.lines = number - block.number;
  }

  #takePlain(block: Block, { records }: Scanner, at: number, line: number): boolean {
    if (records[at + FIELD.accepted] === 0 || !this.#survey.isSettled) return false;
    const flags = this.#shapes.get(shapeOf(records, at));
    if (flags === undefined) return false;
    const codes = records[at + FIELD.codes] as number;
    const role = (codes & 15) === TYPE.message ? (codes >>> 4) & 15 : ROLE.other;
    if ((codes & 15) === TYPE.message && role === ROLE.other) return false;
    const start = records[at + FIELD.start] as number;
    const length = records[at + FIELD.length] as number;
    const parentLength = records[at + FIELD.parentLength] as number;
    const parentId = parentLength === NULL ? null : textOf(block, records[at + FIELD.parentStart] as number, parentLength);
    const id = textOf(block, records[at + FIELD.idStart] as number, records[at + FIELD.idLength] as number);
    const newline = length > 0 && block.bytes[start + length - 1] === 0x0d ? '\r\n' : '\n';
    const stopped = role === ROLE.assistant && (codes & CUT_TURN) !== 0 ? Flag.stopped : 0;
    const place = { line, offset: block.offset + start, length: length + 1, newline };
    this.#survey.takePlain(place, id, parentId, flags | (ROLE_FLAGS[role] ?? 0) | stopped);
    return true;
  }

  #read(block: Block, { records }: Scanner, at: number, number: number): void {
    const accepted = records[at + FIELD.accepted] === 1;
    this.#survey.take(block.line(records[at + FIELD.start] as number, records[at + FIELD.length] as number, number));
    const flags = this.#survey.plainFlags;
    if (accepted && flags !== undefined && this.#shapes.size < MOST_SHAPES) this.#shapes.set(shapeOf(records, at), flags & ~BY_LINE);
  }
}

function shapeOf(records: Int32Array, at: number): number {
  return ((records[at + FIELD.shapeA] as number) >>> 0) * 2 ** 21 + ((records[at + FIELD.shapeB] as number) >>> 11);
}

function textOf(block: Block, start: number, length: number): string | undefined {
  return length === ABSENT ? undefined : block.bytes.toString('latin1', start, start + length);
}
