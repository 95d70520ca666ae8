import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { InPlace } from '../files/in-place.ts';
import { handleChunks, openForReading, openInput, requireRegularFile } from '../files/input.ts';
import { toFile } from '../files/output-file.ts';
import { announce } from '../files/reading.ts';
import { behindLink, PRIVATE_MODE, type Sink, toStream } from '../files/sink.ts';
import { requireRunning } from '../files/temp.ts';
import { Detection } from '../formats/detection.ts';
import { ORIGINS, type Origin } from '../formats/index.ts';
import { ByteWriter } from '../lines/writer.ts';
import { AppError, ClosedPipe, UsageError } from '../util/errors.ts';
import { abortable } from './abortable.ts';
import type { Io, Option, ParsedArgs } from './command.ts';
import { terminalSafe } from './terminal-safe.ts';

/** For every command that changes a log: the way past the refusal of a file that may be another agent's. */
export const FROM_OPTION: Option = {
  name: 'from',
  kind: 'text',
  value: 'AGENT',
  choices: ORIGINS,
  describe: 'Treat FILE as a log of this agent, even if its version is unknown or few of its records are known entries',
};

/** Detection for a command that changes a log. */
export function rewritingDetection(
  name: string,
  args: ParsedArgs,
  options: { readonly anyVersion: boolean },
): Detection {
  return new Detection(name, { rewriting: { ...options, from: originOf(args) } });
}

export function originOf(args: ParsedArgs): Origin | undefined {
  return ORIGINS.find((one) => one === args.text('from'));
}

/** The options of every command that writes a changed log. */
export const REWRITE_OPTIONS: readonly Option[] = [
  { name: 'in-place', short: 'i', kind: 'flag', describe: 'Change the file in place, atomically' },
  { name: 'backup', kind: 'flag', describe: 'With -i: keep the old file as FILE.bak, or .bak1, .bak2 if that exists' },
  {
    name: 'backup-suffix',
    kind: 'text',
    value: 'SUFFIX',
    describe: 'With -i: use this suffix for the old file instead of .bak',
  },
  { name: 'output', short: 'o', kind: 'text', value: 'FILE', describe: 'Write to FILE instead of standard output' },
  FROM_OPTION,
  {
    name: 'dry-run',
    alias: 'check',
    short: 'n',
    kind: 'flag',
    describe: 'Write nothing; exit 1 if a file would change',
  },
];

/** One input of a rewrite, and what the transform may need to know of where its output goes. */
export interface RewriteInput {
  /** For messages; '-' for stdin. */
  readonly name: string;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** The bytes from the start. A chunk's memory is used again for the next one. */
  readonly read: () => AsyncIterable<Buffer>;
  /** Whether `read` may be called more than once: a regular file, but no pipe. */
  readonly rereadable: boolean;
  /** How many bytes each reading gives; 0 where that is not known beforehand. */
  readonly size: number;
  /** What a copy of the content may be given at most; 0600 for stdin. */
  readonly mode: number;
  /** The file that the output ends up in, behind a link: FILE with -i, OUT with -o, undefined or '-' for standard output. */
  readonly target: string | undefined;
  /** Others see the output as it is written; else all of it at once, when the transform is done. */
  readonly streams: boolean;
  /** Nothing may be written anywhere. */
  readonly dryRun: boolean;
  /** Exit code 1 is earned, whatever happens to the rest of the output. */
  readonly earn: (code: number) => void;
}

/**
 * Writes the new content and gives the exit code earned, 0 or 1. What it throws leaves a file as it was. Everything else
 * that has to be safe on the disk (a quarantine, blobs) must be so when it returns, for the file is replaced then.
 */
export type Transform = (input: RewriteInput, out: ByteWriter) => Promise<number>;

/** Runs the transform, which reads its input so many times, on each FILE or on stdin, to wherever the options say. Gives the exit code. */
export async function rewrite(args: ParsedArgs, io: Io, transform: Transform, passes = 1): Promise<number> {
  const wish = readWish(args);
  await announce(wish.names, io, passes);
  let code = 0;
  for (const name of wish.names) {
    try {
      code = Math.max(code, await rewriteOne(name, wish, io, transform));
    } catch (error) {
      if (wish.names.length === 1 || !(error instanceof AppError) || io.signal.aborted) throw error;
      // One bad file is told; the others have a right to be done.
      io.note(error.message);
      code = 2;
    }
  }
  return code;
}

interface Wish {
  readonly names: readonly string[];
  readonly inPlace: boolean;
  readonly backupSuffix: string | undefined;
  readonly output: string | undefined;
  readonly dryRun: boolean;
}

function readWish(args: ParsedArgs): Wish {
  const names = args.operands.length > 0 ? args.operands : ['-'];
  const inPlace = args.flag('in-place');
  const suffix = args.text('backup-suffix');
  const output = args.text('output');
  const dryRun = args.flag('dry-run');
  if (inPlace && output !== undefined)
    throw new UsageError('use either -i to change the file in place or -o to write elsewhere, not both');
  if (inPlace && names.includes('-'))
    throw new UsageError('-i needs a FILE: standard input cannot be changed in place');
  if ((args.flag('backup') || suffix !== undefined) && !inPlace) throw new UsageError('a backup is only made with -i');
  if (suffix !== undefined && (suffix === '' || suffix.includes('/') || suffix.includes('\0'))) {
    throw new UsageError(`a backup suffix such as '.orig' is needed, not '${suffix}'`);
  }
  if (names.length > 1 && !inPlace && !dryRun)
    throw new UsageError('several FILEs need -i or --check; otherwise pass one');
  return { names, inPlace, backupSuffix: suffix ?? (args.flag('backup') ? '.bak' : undefined), output, dryRun };
}

async function rewriteOne(name: string, wish: Wish, io: Io, transform: Transform): Promise<number> {
  requireRunning(io.signal);
  let earned = 0;
  const earn = (code: number): void => {
    earned = Math.max(earned, code);
  };
  const opened = await open(name, wish, io);
  const { sink } = opened;
  try {
    const input: RewriteInput = {
      name,
      path: name === '-' ? undefined : name,
      read: opened.read,
      rereadable: opened.rereadable,
      size: opened.size,
      mode: opened.mode,
      target: targetOf(wish.inPlace ? name : wish.output),
      streams: sink.streams,
      dryRun: wish.dryRun,
      earn,
    };
    const out = new ByteWriter(sink.stream);
    earn(await transform(input, out));
    await out.flush();
    requireRunning(io.signal);
    const changed = await sink.commit();
    if (wish.dryRun && changed) {
      io.note(`${name}: would change`);
      earn(1);
    }
    return earned;
  } catch (error) {
    throw error instanceof ClosedPipe ? Object.assign(error, { exitCode: earned }) : error;
  } finally {
    sink.discard();
    await opened.close();
  }
}

function targetOf(name: string | undefined): string | undefined {
  return name === undefined || name === '-' ? name : behindLink(name);
}

interface Opened {
  readonly read: () => AsyncIterable<Buffer>;
  readonly rereadable: boolean;
  readonly size: number;
  readonly mode: number;
  readonly sink: Sink;
  readonly close: () => Promise<void>;
}

async function open(name: string, wish: Wish, io: Io): Promise<Opened> {
  const tools = { random: io.random, signal: io.signal };
  io.progress.file(name);
  if (name === '-') {
    const { chunks } = openInput('-', io.stdin);
    const compare = wish.dryRun ? new HashCompare(abortable(chunks, io)) : undefined;
    const sink = compare ?? outputOf(wish, io, PRIVATE_MODE, '/dev/stdin');
    return {
      read: () => compare?.chunks ?? abortable(chunks, io),
      rereadable: false,
      size: 0,
      mode: PRIVATE_MODE,
      sink,
      close,
    };
  }
  // Opening a pipe would wait for somebody to write to it.
  if (wish.inPlace) await requireRegularFile(name);
  const handle = await openForReading(name);
  const facts = await handle.stat();
  const mode = facts.mode & 0o777;
  const size = facts.isFile() ? facts.size : 0;
  try {
    if (facts.isFile() && (wish.inPlace || wish.dryRun)) {
      const inPlace = new InPlace(name, {
        ...tools,
        backupSuffix: wish.backupSuffix,
        dryRun: wish.dryRun,
        note: io.note,
      });
      await handle.close();
      return {
        read: () => abortable(inPlace.read(), io),
        rereadable: true,
        size,
        mode: inPlace.mode,
        sink: inPlace,
        close,
      };
    }
    const read = (): AsyncIterable<Buffer> => abortable(handleChunks(handle, name), io);
    if (wish.dryRun) {
      const compare = new HashCompare(read());
      return { read: () => compare.chunks, rereadable: false, size, mode, sink: compare, close: () => handle.close() };
    }
    return {
      read,
      rereadable: facts.isFile(),
      size,
      mode,
      sink: outputOf(wish, io, mode, name),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function close(): Promise<void> {}

function outputOf(wish: Wish, io: Io, mode: number, input: string): Sink {
  if (wish.output !== undefined && wish.output !== '-')
    return toFile(wish.output, { random: io.random, signal: io.signal, input, hasInPlace: true, mode });
  return toStream(terminalSafe(io.stdout));
}

/** Whether the output equals an input that can be read only once, without holding either. */
class HashCompare implements Sink {
  readonly stream: Writable;
  readonly streams = false;
  readonly chunks: AsyncIterable<Buffer>;
  readonly #input = createHash('sha256');
  readonly #output = createHash('sha256');

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = this.#look(chunks);
    this.stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#output.update(chunk);
        done();
      },
    });
  }

  async commit(): Promise<boolean> {
    return !this.#input.digest().equals(this.#output.digest());
  }

  discard(): void {
    this.stream.destroy();
  }

  async *#look(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of chunks) {
      this.#input.update(chunk);
      yield chunk;
    }
  }
}
