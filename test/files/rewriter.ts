import process from 'node:process';
import { parseArgv } from '../../src/cli/parse.ts';
import { readLines } from '../../src/lines/reader.ts';
import type { Command, Io } from '../../src/shared/command.ts';
import { REWRITE_OPTIONS, rewrite } from '../../src/shared/rewrite.ts';
import { AppError } from '../../src/util/errors.ts';

/**
 * A program that does nothing but rewrite: the first byte of each line goes from a to b or from b to a. It stands for
 * every command that uses the same room, and can be told to go on for ever, or to wait before it ends.
 */
const swap: Record<string, string> = { a: 'b', b: 'a' };
const command: Command = {
  operands: '[FILE]...',
  description: [],
  memory: '',
  options: [
    ...REWRITE_OPTIONS,
    { name: 'for-ever', kind: 'flag', describe: '' },
    { name: 'wait', kind: 'flag', describe: '' },
  ],
  examples: {},
  run: async (given, io) => {
    let code: number;
    do {
      code = await rewrite(given, io, async (input, out) => {
        for await (const line of readLines(input.read())) {
          out.raw((swap[line.raw[0] ?? ''] ?? line.raw[0] ?? '') + line.raw.slice(1) + (line.terminated ? '\n' : ''));
          if (out.full) await out.flush();
        }
        await out.flush();
        if (given.flag('wait')) {
          process.stderr.write('waiting\n');
          await new Promise((done) => setTimeout(done, 60_000));
        }
        return 0;
      });
    } while (given.flag('for-ever'));
    return code;
  },
};

const stop = new AbortController();
for (const [name, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.once(name, () => {
    stop.abort(name);
    setTimeout(() => process.exit(code), 100);
  });
}
const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  style: {} as Io['style'],
  errorStyle: {} as Io['style'],
  now: Date.now,
  random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  processes: { own: process.pid, isRunning: () => true },
  signal: stop.signal,
  note: (message) => {
    process.stderr.write(`${message}\n`);
  },
  progress: { isShown: false, expect() {}, read() {}, file() {}, phase() {} },
};
try {
  process.exitCode = await command.run(parseArgv(command.options, process.argv.slice(2)).checked(), io);
} catch (error) {
  process.stderr.write(`${error instanceof AppError ? error.message : error}\n`);
  process.exitCode = 2;
}
