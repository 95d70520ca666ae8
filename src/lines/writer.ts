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
  #buffer: Buffer | undefined;
  #used = 0;
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
    if (this.#buffer) this.#pack();
    this.#waiting += raw;
    this.#count(raw.length);
    // Joining short strings first costs less than a buffer for each.
    if (this.#waiting.length >= FULL) this.#pack();
  }

  text(text: string): void {
    const size = Buffer.byteLength(text, 'utf8');
    if (size > FULL / 2) {
      this.bytes(Buffer.from(text, 'utf8'));
      return;
    }
    if (this.#waiting !== '' || this.#used + size > FULL) this.#pack();
    // Encoded at once: a piece of a line that waited as a string would keep the whole line in memory.
    this.#buffer ??= Buffer.allocUnsafeSlow(FULL);
    this.#used += this.#buffer.write(text, this.#used, 'utf8');
    this.#count(size);
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
    // Few writes cost less than many, but a long part is not copied for that.
    const together = parts.length > 1 && this.#bytes < 4 * FULL ? [Buffer.concat(parts)] : parts;
    this.#parts = [];
    this.#bytes = 0;
    for (const part of together) {
      await new Promise<void>((done, fail) => {
        this.#stream.write(part, (error) => (error ? fail(asTrouble(error)) : done()));
      });
    }
    if (this.#failed) throw this.#failed;
  }

  #pack(): void {
    if (this.#waiting !== '') this.#parts.push(Buffer.from(this.#waiting, 'latin1'));
    if (this.#buffer) this.#parts.push(this.#buffer.subarray(0, this.#used));
    this.#waiting = '';
    this.#buffer = undefined;
    this.#used = 0;
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
