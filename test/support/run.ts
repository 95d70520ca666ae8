import { spawn } from 'node:child_process';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { main, type ProcessIo } from '../../src/main.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
}

export interface RunOptions {
  /** Several pieces come as several chunks. */
  readonly stdin?: string | Buffer | readonly Buffer[];
  readonly stdinIsTerminal?: boolean;
  readonly stdoutIsTerminal?: boolean;
  /** As stdout unless told otherwise. */
  readonly stderrIsTerminal?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: () => number;
  readonly random?: (bytes: number) => Uint8Array;
}

/** The program in this process, with streams that are no files. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const out = collector(options.stdoutIsTerminal === true, options.columns);
  const err = collector((options.stderrIsTerminal ?? options.stdoutIsTerminal) === true, options.columns);
  const stdin = options.stdin === undefined ? new PassThrough().end() : Readable.from(chunksOf(options.stdin));
  const io: ProcessIo = {
    stdin: Object.assign(stdin, { isTTY: options.stdinIsTerminal === true }) as ProcessIo['stdin'],
    stdout: out.stream,
    stderr: err.stream,
    // Most logs here are so small that it would not be used.
    env: { SESSIONCTL_SCANNER: 'always', ...options.env },
    ...(options.now ? { now: options.now } : {}),
    ...(options.random ? { random: options.random } : {}),
  };
  const code = await main(argv, io);
  return { code, stdout: out.bytes().toString('utf8'), stderr: err.bytes().toString('utf8'), stdoutBytes: out.bytes() };
}

function chunksOf(stdin: string | Buffer | readonly Buffer[]): Buffer[] {
  if (typeof stdin === 'string') return [Buffer.from(stdin)];
  return Buffer.isBuffer(stdin) ? [stdin] : [...stdin];
}

function collector(isTTY: boolean, columns: number | undefined): { stream: ProcessIo['stdout']; bytes: () => Buffer } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk);
      done();
    },
  });
  const extra = columns === undefined ? { isTTY } : { isTTY, columns };
  return { stream: Object.assign(stream, extra) as ProcessIo['stdout'], bytes: () => Buffer.concat(parts) };
}

export const projectRoot: string = fileURLToPath(new URL('../..', import.meta.url));
export const programPath: string = fileURLToPath(new URL('../../bin/sessionctl.js', import.meta.url));

/** What spawned programs get, so that the machine's own settings decide nothing. */
export const fixedEnv: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  TZ: 'UTC',
  LC_ALL: 'C',
  NO_COLOR: '1',
  TERM: 'dumb',
};

interface SpawnOptions {
  readonly stdin?: string | Buffer;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built program as a process of its own. */
export async function spawnProgram(
  argv: readonly string[],
  options: SpawnOptions = {},
): Promise<Ran & { readonly signal: string | null }> {
  return await spawnCommand(process.execPath, [programPath, ...argv], options);
}

/** Any program; `bash -c` for pipes. */
export async function spawnCommand(
  command: string,
  argv: readonly string[],
  options: SpawnOptions = {},
): Promise<Ran & { readonly signal: string | null }> {
  // With a socket as standard input bash believes that it was started over the network, and reads the user's own settings.
  const words = command === 'bash' ? ['--norc', ...argv] : argv;
  const child = spawn(command, words, { cwd: options.cwd, env: { ...fixedEnv, ...options.env }, stdio: 'pipe' });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  return await new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      const stdoutBytes = Buffer.concat(out);
      done({
        code: code ?? -1,
        signal,
        stdout: stdoutBytes.toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
        stdoutBytes,
      });
    });
  });
}
