import { fstatSync, type Stats, statSync, write } from 'node:fs';
import type { Output } from '../base/output.ts';
import { errorCode } from '../base/trouble.ts';
import { threadWaits } from './open-file.ts';
import { writeFully } from './temp.ts';

/**
 * Standard output by its descriptor, where it is a file, a pipe, or leads nowhere. Node's own streams for these take longer to
 * load than a small log takes to be read. Undefined for all else, such as a terminal.
 */
export function standardOutput(fd: number, stream: () => Output): Output | undefined {
  const facts = factsOf(() => fstatSync(fd));
  if (facts === undefined) return undefined;
  if (facts.isFile() || isNowhere(facts)) return new FileOutput(fd);
  const isPipe = process.platform !== 'win32' && (facts.isFIFO() || facts.isSocket());
  return isPipe ? new PipeOutput(fd, stream) : undefined;
}

function isNowhere(facts: Stats): boolean {
  const nowhere = facts.isCharacterDevice() ? factsOf(() => statSync('/dev/null')) : undefined;
  return nowhere?.isCharacterDevice() === true && nowhere.rdev === facts.rdev;
}

function factsOf(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

type Done = (error?: Error | null) => void;

/** What the two have in common: once something has failed, nothing more is written. */
class Failing {
  readonly isTTY = false;
  failure: Error | undefined;
  readonly #listeners: ((error: Error) => void)[] = [];

  on(_event: 'error', listener: (error: Error) => void): this {
    this.#listeners.push(listener);
    return this;
  }

  cork(): void {}

  uncork(): void {}

  protected fail(error: unknown): void {
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error;
    this.failure = error;
    for (const listener of this.#listeners) listener(error);
  }
}

/** Nobody reads a file while it is written, so everything is written at once. */
class FileOutput extends Failing implements Output {
  readonly #fd: number;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  write(chunk: Uint8Array | string, done?: Done): boolean {
    try {
      if (!this.failure) writeFully(this.#fd, bytesOf(chunk));
    } catch (error) {
      this.fail(error);
    }
    // As a stream does it: never before the call has returned.
    const { failure } = this;
    if (done) process.nextTick(() => done(failure));
    return !failure;
  }
}

/** A reader may be slow, and signals must have their turn meanwhile: another thread waits for it. */
class PipeOutput extends Failing implements Output {
  readonly #fd: number;
  readonly #openStream: () => Output;
  readonly #waiting: { readonly bytes: Uint8Array; readonly done: Done | undefined }[] = [];
  #stream: Output | undefined;
  #isWriting = false;

  constructor(fd: number, openStream: () => Output) {
    super();
    this.#fd = fd;
    this.#openStream = openStream;
  }

  write(chunk: Uint8Array | string, done?: Done): boolean {
    if (this.#stream) return this.#stream.write(chunk, done);
    this.#waiting.push({ bytes: bytesOf(chunk), done });
    if (!this.#isWriting) this.#next();
    return false;
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#isWriting = next !== undefined;
    if (!next) return;
    if (this.failure) process.nextTick(() => this.#end(next.done));
    else this.#write(next.bytes, next.done);
  }

  #write(bytes: Uint8Array, done: Done | undefined): void {
    const threadIsBack = threadWaits();
    write(this.#fd, bytes, 0, bytes.length, null, (error, written) => {
      threadIsBack();
      if (error?.code === 'EAGAIN') this.#handOver(bytes, done);
      else if (error) {
        this.fail(error);
        this.#end(done);
      } else if (written < bytes.length) this.#write(bytes.subarray(written), done);
      else this.#end(done);
    });
  }

  #end(done: Done | undefined): void {
    done?.(this.failure);
    this.#next();
  }

  /** Somebody who has the same pipe wants nobody to wait for it: that takes a stream. */
  #handOver(bytes: Uint8Array, done: Done | undefined): void {
    const stream = this.#openStream();
    this.#stream = stream;
    stream.on('error', (error) => this.fail(error));
    stream.write(bytes, done);
    for (const next of this.#waiting) stream.write(next.bytes, next.done);
    this.#waiting.length = 0;
  }
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
