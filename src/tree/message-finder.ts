import { isUtf8 } from 'node:buffer';
import { ABSENT } from '../entries/envelope.ts';
import { FIELD, FIELDS } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';
import type { CompiledScanner } from './compiled-scanner.ts';

const NEWLINE = 0x0a;
/** Fewer bytes are parsed before the scanner of the grammar is ready. */
const WORTH_COMPILING = 8 * 1024 * 1024;

/** Finds the messages of entries in the bytes of whole lines, without building an object, and only in lines that are JSON. */
export class MessageFinder {
  /** What is to be looked through has to be read into these. */
  readonly buffers: readonly [Buffer, Buffer];
  /** Of the message found last, braces included. */
  start = 0;
  end = 0;
  readonly #envelope: CompiledScanner;
  readonly #makeGrammar: () => Promise<Scanner | undefined>;
  #grammar: Scanner | undefined;
  readonly #worthCompiling: number;
  #seen = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** Where each line starts in the bytes that the grammar accepts, in their order, and which comes next. */
  #accepted: number[] = [];
  #next = 0;

  constructor(envelope: CompiledScanner, makeGrammar: () => Promise<Scanner | undefined>, worthCompiling = WORTH_COMPILING) {
    this.buffers = envelope.buffers;
    this.#envelope = envelope;
    this.#makeGrammar = makeGrammar;
    this.#worthCompiling = worthCompiling;
  }

  /** Takes the next lines, which fill one of the buffers up to a length but for the newline of the last one. */
  async take(bytes: Buffer, length: number): Promise<void> {
    this.#bytes = bytes;
    this.#accepted = [];
    this.#next = 0;
    this.#seen += length;
    // A part that is too long for the buffers comes in memory of its own.
    if (this.#seen < this.#worthCompiling || !this.buffers.includes(bytes) || length >= bytes.length) return;
    this.#grammar ??= await this.#makeGrammar();
    if (this.#grammar) this.#accept(this.#grammar, bytes, length);
  }

  /** Whether the line from `from` to `to` is surely JSON and has an object at `message`. Lines are asked for in their order. */
  find(from: number, to: number): boolean {
    while ((this.#accepted[this.#next] as number) < from) this.#next++;
    if (this.#accepted[this.#next] !== from) return false;
    const envelope = this.#envelope;
    if (!envelope.scan(this.#bytes, from, to) || envelope.messageStart === ABSENT) return false;
    this.start = envelope.messageStart;
    this.end = envelope.messageEnd;
    return true;
  }
  #accept(grammar: Scanner, bytes: Buffer, length: number): void {
    bytes[length] = NEWLINE;
    const lines = bytes.subarray(0, length + 1);
    if (!isUtf8(lines) || !grammar.load(lines)) return;
    const { records } = grammar;
    for (let at = 0; at < lines.length; ) {
      const count = grammar.scan(at);
      for (let record = 0; record < count * FIELDS; record += FIELDS) {
        if (records[record + FIELD.accepted] === 1) this.#accepted.push(records[record + FIELD.start] as number);
      }
      const last = (count - 1) * FIELDS;
      at = (records[last + FIELD.start] as number) + (records[last + FIELD.length] as number) + 1;
    }
  }
}
