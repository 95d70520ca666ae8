import { AppError, ClosedPipe, errorCode, fileError, isClosedPipe, OutputError } from '../util/errors.ts';
import type { Output } from '../util/io.ts';

const FULL = 256 * 1024;
/** Parts that are longer on average are not copied to be written at once. */
const WORTH_JOINING = 32 * 1024;

/**
 * Bytes on their way out, in the order they are given. Call `flush` whenever `full` says so, as `put` does: it waits
 * until the reader has taken what was written, so that a slow reader slows us down instead of filling the memory.
 */
export class ByteWriter {
  readonly #stream: Output;
  #parts: Buffer[] = [];
  #raw = '';
  #bytes = 0;
  #failed: Error | undefined;

  constructor(stream: Output) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failed ??= asAppError(error);
    });
  }

  get full(): boolean {
    return this.#bytes >= FULL;
  }

  /** Bytes kept one to a character, as lines hold them. Joining short strings costs less than a buffer for each. */
  raw(raw: string): void {
    this.#raw += raw;
    this.#bytes += raw.length;
    if (this.#raw.length >= FULL) this.#pack();
  }

  /** The same, and gives what to wait for, if anything. */
  putRaw(raw: string): Promise<void> | undefined {
    this.raw(raw);
    return this.full ? this.flush() : undefined;
  }

  /** Encoded at once: a piece of a line that waited as a string would keep the whole line in memory. */
  text(text: string): void {
    this.bytes(Buffer.from(text, 'utf8'));
  }

  bytes(bytes: Buffer): void {
    this.#pack();
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
  }

  async put(content: string | Buffer): Promise<void> {
    this.bytes(typeof content === 'string' ? Buffer.from(content, 'utf8') : content);
    if (this.full) await this.flush();
  }

  async flush(): Promise<void> {
    this.#pack();
    if (this.#failed) throw this.#failed;
    const isJoined = this.#parts.length > 1 && this.#bytes < WORTH_JOINING * this.#parts.length;
    const parts = isJoined ? [Buffer.concat(this.#parts)] : this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    const write = (part: Buffer): Promise<void> =>
      new Promise((done) => {
        this.#stream.write(part, (error) => {
          // The first error is the cause; those of the parts behind it only say that the stream is gone.
          if (error) this.#failed ??= asAppError(error);
          done();
        });
      });
    await Promise.all(parts.map(write));
    if (this.#failed) throw this.#failed;
  }

  #pack(): void {
    if (this.#raw !== '') this.#parts.push(Buffer.from(this.#raw, 'latin1'));
    this.#raw = '';
  }
}

/** Files name themselves in their errors; what is left is standard output. */
function asAppError(error: Error): Error {
  const code = errorCode(error);
  if (error instanceof AppError || error instanceof ClosedPipe || code === undefined) return error;
  return isClosedPipe(error)
    ? new ClosedPipe(error.message)
    : new OutputError(fileError('standard output', error).message);
}
