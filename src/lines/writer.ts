import type { Writable } from 'node:stream';
import { ClosedPipe, errorCode, isClosedPipe, OutputTrouble, systemTrouble, Trouble } from '../base/trouble.ts';

const FULL = 256 * 1024;

/**
 * Bytes on their way out, in the order they are given. Call `flush` whenever `full` says so: it waits until the reader
 * has taken what was written, so that a slow reader slows us down instead of filling the memory.
 */
export class ByteWriter {
  readonly #stream: Writable;
  #parts: Buffer[] = [];
  #waiting = '';
  #waitingText = '';
  #bytes = 0;
  #written = 0;
  #failed: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failed ??= asTrouble(error);
    });
  }

  /** Bytes handed in so far. */
  get written(): number {
    return this.#written;
  }

  get full(): boolean {
    return this.#bytes >= FULL;
  }

  /** Bytes kept one to a character, as lines hold them. */
  raw(raw: string): void {
    if (this.#waitingText !== '') this.#pack();
    this.#waiting += raw;
    this.#count(raw.length);
    // Joining short strings first costs less than a buffer for each.
    if (this.#waiting.length >= FULL) this.#pack();
  }

  text(text: string): void {
    if (this.#waiting !== '') this.#pack();
    this.#waitingText += text;
    this.#count(Buffer.byteLength(text, 'utf8'));
    if (this.#waitingText.length >= FULL) this.#pack();
  }

  bytes(bytes: Buffer): void {
    this.#pack();
    this.#parts.push(bytes);
    this.#count(bytes.length);
  }

  async flush(): Promise<void> {
    this.#pack();
    if (this.#failed) throw this.#failed;
    if (this.#bytes === 0) return;
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    await new Promise<void>((done, fail) => {
      this.#stream.write(all, (error) => (error ? fail(asTrouble(error)) : done()));
    });
    if (this.#failed) throw this.#failed;
  }

  #pack(): void {
    if (this.#waiting !== '') this.#parts.push(Buffer.from(this.#waiting, 'latin1'));
    if (this.#waitingText !== '') this.#parts.push(Buffer.from(this.#waitingText, 'utf8'));
    this.#waiting = '';
    this.#waitingText = '';
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#written += bytes;
  }
}

/** Files name themselves in their errors; what is left is standard output. */
function asTrouble(error: Error): Error {
  const code = errorCode(error);
  if (error instanceof Trouble || error instanceof ClosedPipe || code === undefined) return error;
  return isClosedPipe(error) ? new ClosedPipe(error.message) : new OutputTrouble(systemTrouble('standard output', error).message);
}
