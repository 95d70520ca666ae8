import { requireRunning } from '../files/disk.ts';
import { InPlace, type InPlaceOptions } from '../files/in-place.ts';
import { abortable, factsOf, inputChunks, openStore, requireInput } from '../files/input.ts';
import { behindLink, PRIVATE_MODE, type Sink, toFile, toStream } from '../files/sink.ts';
import { announce } from '../files/walk.ts';
import { Detection, ORIGINS, originOf } from '../formats/index.ts';
import { ByteWriter } from '../lines/writer.ts';
import { ClosedPipe, UsageError } from '../util/errors.ts';
import { flag, type Io, type Option, option, type ParsedArgs } from './command.ts';
import { eachLog, isFolderName } from './each-log.ts';
import { terminalSafe } from './terminal-safe.ts';

/** For every command that changes a log: the way past the refusal of a file that may be another agent's. */
export const FROM_OPTION: Option = option(
  'from',
  'AGENT',
  'Treat FILE as a log of this agent, even if its version is unknown or few of its records are known entries',
  { choices: ORIGINS },
);

/** Detection for a command that changes a log. */
export function rewritingDetection(name: string, args: ParsedArgs, options: { readonly anyVersion: boolean }) {
  return new Detection(name, { rewriting: options, from: originOf(args.text('from')) });
}

/** The options of every command that writes a changed log. */
export const REWRITE_OPTIONS: readonly Option[] = [
  flag('in-place', 'Change the file in place, atomically', { short: 'i' }),
  flag('backup', 'With `-i`: keep the old file as FILE.bak, or `.bak1`, `.bak2` if that exists'),
  option('backup-suffix', 'SUFFIX', 'With `-i`: use this suffix for the old file instead of `.bak`'),
  option('output', 'FILE', 'Write to FILE instead of standard output', { short: 'o' }),
  FROM_OPTION,
  flag('dry-run', 'Write nothing; exit 1 if a file would change', { alias: 'check', short: 'n' }),
];

/** One input of a rewrite, and what the transform may need to know of where its output goes. */
export interface RewriteInput {
  /** For messages; '-' for stdin. */
  readonly name: string;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** The bytes from the start. A chunk's memory is used again for the next one. */
  readonly read: () => AsyncGenerator<Buffer>;
  /** A regular file, but no pipe: that can be read again only where the transform was said to read several times. */
  readonly rereadable: boolean;
  /** How many bytes each reading gives; 0 where that is not known beforehand. */
  readonly size: number;
  /** What a copy of the content may be given at most; 0600 for stdin. */
  readonly mode: number;
  /** The file that the output ends up in, behind a link: FILE with -i, OUT with -o; else undefined or '-'. */
  readonly target: string | undefined;
  /** Others see the output as it is written; else all of it at once, when the transform is done. */
  readonly streams: boolean;
  /** Nothing may be written anywhere. */
  readonly dryRun: boolean;
  /** Makes the exit code at least this, whatever happens to the rest of the output. */
  readonly raiseExitCode: (code: number) => void;
}

/**
 * Writes the new content and returns the exit code, 0 or 1. What it throws leaves a file as it was. Everything
 * else that has to be safe on the disk (a quarantine, blobs) must be so when it returns, for the file is replaced then.
 */
export type Transform = (input: RewriteInput, out: ByteWriter) => Promise<number>;

/** Runs the transform on each FILE or on stdin, to wherever the options say. Gives the exit code. */
export async function rewrite(args: ParsedArgs, io: Io, transform: Transform, passes = 1): Promise<number> {
  const names = args.operands.length > 0 ? args.operands : ['-'];
  const options = readOptions(args, names);
  await announce(names, io, passes);
  for (const name of names)
    if (!options.inPlace && !options.dryRun && (await isFolderName(name)))
      throw new UsageError(`'${name}' is a folder: -i changes the logs in it, and --check says which would change`);
  return await eachLog(names, io, (name) => rewriteOne(name, options, io, transform, passes > 1));
}

interface RewriteOptions extends InPlaceOptions {
  readonly inPlace: boolean;
  readonly output: string | undefined;
}

function readOptions(args: ParsedArgs, names: readonly string[]): RewriteOptions {
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
  return { inPlace, backupSuffix: suffix ?? (args.flag('backup') ? '.bak' : undefined), output, dryRun };
}

async function rewriteOne(name: string, options: RewriteOptions, io: Io, transform: Transform, rereads: boolean) {
  requireRunning(io.signal);
  io.progress.file(name);
  const { inPlace, output, dryRun } = options;
  const facts = name === '-' ? undefined : await factsOf(name);
  // Before it is opened: opening a pipe would wait for a writer.
  if (facts) requireInput(name, facts, inPlace);
  const rereadable = facts?.isFile() ?? false;
  // A pipe that is only read once need not be kept.
  const source = rereadable || rereads || dryRun ? await openStore(name, io) : undefined;
  const mode = facts ? facts.mode & 0o777 : PRIVATE_MODE;
  const target = inPlace ? name : output;
  let exitCode = 0;
  const raiseExitCode = (code: number): void => {
    exitCode = Math.max(exitCode, code);
  };
  let sink: Sink | undefined;
  try {
    sink =
      source && (inPlace || dryRun)
        ? new InPlace(name, source, options, io)
        : outputOf(output, io, mode, facts ? name : '/dev/stdin');
    const input: RewriteInput = {
      name,
      path: facts && name,
      read: () => abortable(source?.chunks() ?? inputChunks(name, io), io),
      rereadable,
      size: facts?.isFile() ? facts.size : 0,
      mode,
      target: target === undefined || target === '-' ? target : behindLink(target),
      streams: sink.streams,
      dryRun,
      raiseExitCode,
    };
    const out = new ByteWriter(sink.stream);
    raiseExitCode(await transform(input, out));
    await out.flush();
    requireRunning(io.signal);
    if ((await sink.commit()) && dryRun) {
      io.note(`${name}: would change`);
      raiseExitCode(1);
    }
    return exitCode;
  } catch (error) {
    throw error instanceof ClosedPipe ? Object.assign(error, { exitCode: exitCode }) : error;
  } finally {
    sink?.discard();
    await source?.close();
  }
}

function outputOf(output: string | undefined, io: Io, mode: number, input: string): Sink {
  if (output === undefined || output === '-') return toStream(terminalSafe(io.stdout));
  return toFile(output, { random: io.random, signal: io.signal, input, hasInPlace: true, mode });
}
