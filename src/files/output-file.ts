import { type BigIntStats, createWriteStream, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import {
  asAppError,
  ended,
  ownershipOf,
  PRIVATE_MODE,
  requireWritable,
  type Sink,
  type SinkTools,
  sameFile,
  streamInto,
} from './sink.ts';
import { type Ownership, TempFile } from './temp.ts';

export interface ToFileOptions extends SinkTools {
  /** The input, so that it is not overwritten by its own output. */
  readonly input?: string | undefined;
  /** Whether the command has -i, which is then named to those who want to change the input. */
  readonly hasInPlace?: boolean;
  /** What a new file may be given at most; less where the umask says so. */
  readonly mode: number;
}

/** `-o FILE`: a regular file gets its new content all at once; a device or pipe is written to as the bytes come. */
export function toFile(name: string, options: ToFileOptions): Sink {
  let facts: BigIntStats | undefined;
  try {
    facts = statSync(name, { bigint: true });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw writeError(name, error);
  }
  if (facts?.isDirectory()) throw new AppError(`${name}: is a folder; pass a file`);
  if (facts?.isFile() && options.input !== undefined && sameFile(options.input, facts)) {
    const hint = options.hasInPlace === true ? 'use -i to change a file in place' : 'choose another file with -o';
    throw new AppError(`${name}: is the input file itself; ${hint}`);
  }
  if (facts && !facts.isFile()) return new ToDevice(name);
  return new ToNewFile(name, facts, options);
}

class ToNewFile implements Sink {
  readonly stream: Writable;
  readonly streams = false;
  readonly #name: string;
  readonly #path: string;
  readonly #ownership: Ownership | undefined;
  readonly #temp: TempFile;

  constructor(name: string, existing: BigIntStats | undefined, options: ToFileOptions) {
    this.#name = name;
    this.#path = existing ? realpathSync(name) : behindFolderLinks(name);
    if (existing) requireWritable(name, this.#path);
    this.#ownership = existing ? ownershipOf(existing) : undefined;
    const temp = new TempFile(
      dirname(this.#path),
      options.random,
      options.signal,
      existing ? PRIVATE_MODE : options.mode & 0o666,
    );
    this.#temp = temp;
    this.stream = streamInto(name, (chunk) => temp.write(chunk));
  }

  async commit(): Promise<boolean> {
    await ended(this.stream, this.#name);
    try {
      this.#temp.finish(this.#ownership);
      this.#temp.moveTo(this.#path);
      return true;
    } catch (error) {
      throw asAppError(this.#name, error);
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.#temp.discard();
    this.stream.destroy();
  }
}

class ToDevice implements Sink {
  readonly stream: Writable;
  readonly streams = true;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    const device = createWriteStream(name, { flags: 'w' });
    device.on('error', () => {});
    // A stream of its own, so that an error names the device.
    const then =
      (done: (error?: Error | null) => void) =>
      (error?: Error | null): void =>
        done(error ? asAppError(name, error) : null);
    this.stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => device.write(chunk, then(done)),
      final: (done) => device.end(then(done)),
      destroy: (error, done) => {
        device.destroy();
        done(error);
      },
    });
    this.stream.on('error', () => {});
  }

  async commit(): Promise<boolean> {
    await ended(this.stream, this.#name);
    return true;
  }

  discard(): void {
    this.stream.destroy();
  }
}

/** The name's folder without links, where the name itself is still free. */
function behindFolderLinks(name: string): string {
  try {
    const found = lstatSync(name, { throwIfNoEntry: false });
    if (found) throw new AppError(`${name}: is a broken symbolic link; remove it or choose another file`);
    return join(realpathSync(dirname(name)), basename(name));
  } catch (error) {
    throw asAppError(name, error);
  }
}
