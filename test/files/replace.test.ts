import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { makeIo } from '../../src/cli/io.ts';
import { parseArgv } from '../../src/cli/parse.ts';
import { readLines } from '../../src/lines/reader.ts';
import { REWRITE_OPTIONS, type RewriteInput, rewrite, type Transform } from '../../src/shared/rewrite.ts';
import { AppError } from '../../src/util/errors.ts';
import { bundleProgram } from '../support/bundle.ts';
import { killRealRewrites, killWhileRewriting } from '../support/kill.ts';
import { fixedEnv, programPath, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const program = bundleProgram('test/files/rewriter.ts', scratch);

function fresh(): string {
  return realpathSync(mkdtempSync(join(scratch, 'case-')));
}

const shout: Transform = async (input, out) => {
  for await (const line of readLines(input.read())) out.raw(line.raw.toUpperCase() + (line.terminated ? '\n' : ''));
  return 0;
};

const pass: Transform = async (input, out) => {
  for await (const chunk of input.read()) out.bytes(Buffer.from(chunk));
  return 0;
};

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly notes: string;
  readonly failure: string | undefined;
}

async function call(
  argv: readonly string[],
  transform: Transform,
  stdin = '',
  onNote = (): void => {},
): Promise<Result> {
  let stdout = '';
  let notes = '';
  const collect = (take: (text: string) => void): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        take(chunk.toString('utf8'));
        done();
      },
    });
  const io = await makeIo(undefined, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: collect((text) => {
      stdout += text;
    }),
    stderr: collect((text) => {
      notes += text;
      onNote();
    }),
    env: {},
  });
  try {
    const code = await rewrite(parseArgv(REWRITE_OPTIONS, argv).checked(), io, transform);
    return { code, stdout, notes, failure: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: 2, stdout, notes, failure: error.message };
  }
}

test('writes to standard output and leaves the file alone', async () => {
  const file = join(fresh(), 'f');
  writeFileSync(file, 'one\ntwo');
  expect(await call([file], shout)).toMatchObject({ code: 0, stdout: 'ONE\nTWO', failure: undefined });
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo');
});

test('reads standard input where no file or a dash is given', async () => {
  expect((await call([], shout, 'one\n')).stdout).toBe('ONE\n');
  expect((await call(['-'], shout, 'one\n')).stdout).toBe('ONE\n');
});

test('changes a file in place, keeps its mode and leaves nothing else behind', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\ntwo\n');
  chmodSync(file, 0o640);
  expect(await call(['-i', file], shout)).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe('ONE\nTWO\n');
  expect(statSync(file).mode & 0o7777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['f']);
});

test('keeps the owner of a file in place where the system allows it', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root may give files away');
  const { chownSync } = await import('node:fs');
  const file = join(fresh(), 'f');
  writeFileSync(file, 'one\n');
  chownSync(file, 12_345, 23_456);
  await call(['-i', file], shout);
  expect(readFileSync(file, 'utf8')).toBe('ONE\n');
  expect([statSync(file).uid, statSync(file).gid]).toEqual([12_345, 23_456]);
});

test('changes the file behind a link and leaves the link a link', async () => {
  const folder = fresh();
  mkdirSync(join(folder, 'there'));
  const file = join(folder, 'there', 'f');
  writeFileSync(file, 'one\n');
  symlinkSync('there/f', join(folder, 'link'));
  await call(['-i', join(folder, 'link')], shout);
  expect(readFileSync(file, 'utf8')).toBe('ONE\n');
  expect(realpathSync(join(folder, 'link'))).toBe(file);
  expect(readdirSync(join(folder, 'there'))).toEqual(['f']);
});

test('does not touch a file that would not change, and makes no backup of it', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'ONE\nTWO\n');
  utimesSync(file, 1000, 1000);
  const before = statSync(file, { bigint: true });
  expect((await call(['-i', '--backup', file], shout)).code).toBe(0);
  const after = statSync(file, { bigint: true });
  expect([after.ino, after.mtimeNs, after.ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
  expect(readdirSync(folder)).toEqual(['f']);
});

test('notices that the output is only the beginning of the input', async () => {
  const file = join(fresh(), 'f');
  writeFileSync(file, 'one\ntwo\n');
  const cut: Transform = async (_input, out) => {
    out.raw('one\n');
    return 0;
  };
  await call(['-i', file], cut);
  expect(readFileSync(file, 'utf8')).toBe('one\n');
});

test('finds the first difference wherever it is in a large file', async () => {
  const lines = Array.from({ length: 40_000 }, (_, number) => `LINE ${number} ${'X'.repeat(60)}\n`);
  const file = join(fresh(), 'f');
  for (const at of [0, 1, 20_000, 39_999]) {
    const old = lines.with(at, 'line\n').join('');
    writeFileSync(file, old);
    await call(['-i', file], shout);
    expect(readFileSync(file, 'utf8') === old.toUpperCase()).toBe(true);
  }
});

test('keeps every backup under a name of its own', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  for (const content of ['one\n', 'two\n', 'three\n']) {
    writeFileSync(file, content);
    chmodSync(file, 0o600);
    await call(['-i', '--backup', file], shout);
  }
  expect(readdirSync(folder).sort()).toEqual(['f', 'f.bak', 'f.bak1', 'f.bak2']);
  expect(['f', 'f.bak', 'f.bak1', 'f.bak2'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    'THREE\n',
    'one\n',
    'two\n',
    'three\n',
  ]);
  expect(statSync(join(folder, 'f.bak')).mode & 0o777).toBe(0o600);
});

test('names the backup by the suffix that is given', async () => {
  const folder = fresh();
  writeFileSync(join(folder, 'f'), 'one\n');
  await call(['-i', '--backup-suffix', '.orig', join(folder, 'f')], shout);
  expect(readFileSync(join(folder, 'f.orig'), 'utf8')).toBe('one\n');
});

test.each([
  [['-i']],
  [['-i', '-']],
  [['-i', '-o', 'out', 'f']],
  [['--backup', 'f']],
  [['--backup-suffix', '.x', 'f']],
  [['-i', '--backup-suffix', '../x', 'f']],
  [['a', 'b']],
])('refuses the call %j', async (argv) => {
  const result = await call(argv, shout);
  expect(result.code).toBe(2);
  expect(result.failure).toMatch(/-i|backup/);
});

test('refuses an empty folder, a device and a file that is not there', async () => {
  const folder = fresh();
  expect((await call(['-i', folder], shout)).failure).toBe(
    `${folder}: no log found that this command takes; 'sessionctl ls' lists sessions`,
  );
  expect((await call(['-i', '/dev/null'], shout)).failure).toMatch(/not a regular file/);
  expect((await call(['-i', join(folder, 'none')], shout)).failure).toMatch(/no such file/);
});

test('does several files, tells about the bad one and goes on', async () => {
  const folder = fresh();
  writeFileSync(join(folder, 'a'), 'one\n');
  writeFileSync(join(folder, 'c'), 'three\n');
  const result = await call(['-i', join(folder, 'a'), join(folder, 'b'), join(folder, 'c')], shout);
  expect(result.code).toBe(2);
  expect(result.notes).toContain(`${join(folder, 'b')}: no such file`);
  expect(readFileSync(join(folder, 'a'), 'utf8') + readFileSync(join(folder, 'c'), 'utf8')).toBe('ONE\nTHREE\n');
});

test('a dry run writes nothing and exits 1 only if something would change', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\n');
  const before = statSync(file, { bigint: true });
  for (const argv of [
    ['-n', file],
    ['--check', file],
    ['-n', '-i', '--backup', file],
    ['-n', '-o', join(folder, 'out'), file],
  ]) {
    expect(await call(argv, shout)).toMatchObject({
      code: 1,
      stdout: '',
      notes: `sessionctl: ${file}: would change\n`,
    });
  }
  expect(await call(['-n', file], pass)).toMatchObject({ code: 0, stdout: '', notes: '' });
  expect(await call(['-n'], shout, 'one\n')).toMatchObject({ code: 1, stdout: '' });
  expect(await call(['-n'], shout, 'ONE\n')).toMatchObject({ code: 0, stdout: '' });
  expect(readdirSync(folder)).toEqual(['f']);
  expect(statSync(file, { bigint: true }).mtimeNs).toBe(before.mtimeNs);
});

test('gives the code that the transform earned', async () => {
  const file = join(fresh(), 'f');
  writeFileSync(file, 'one\n');
  const found: Transform = async (input, out) => {
    await shout(input, out);
    return 1;
  };
  expect((await call(['-i', file], found)).code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe('ONE\n');
});

test('lets a transform read a file twice, and tells it about mode and target', async () => {
  const file = join(fresh(), 'f');
  writeFileSync(file, 'one\n');
  chmodSync(file, 0o604);
  let seen: RewriteInput | undefined;
  const twice: Transform = async (input, out) => {
    seen = input;
    await pass(input, out);
    await pass(input, out);
    return 0;
  };
  await call(['-i', file], twice);
  expect(readFileSync(file, 'utf8')).toBe('one\none\n');
  expect(seen).toMatchObject({ name: file, path: file, rereadable: true, mode: 0o604, target: file, dryRun: false });
  await call([], twice, 'one\n');
  expect(seen).toMatchObject({ name: '-', path: undefined, rereadable: false, mode: 0o600, target: undefined });
});

test('leaves the file when the transform fails half way', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\ntwo\n');
  const fail: Transform = async (_input, out) => {
    out.raw('SOMETHING ELSE\n');
    await out.flush();
    expect(readdirSync(folder).length).toBe(2);
    throw new AppError('no more');
  };
  expect((await call(['-i', '--backup', file], fail)).failure).toBe('no more');
  expect((await call(['-o', join(folder, 'out'), file], fail)).failure).toBe('no more');
  expect(readdirSync(folder)).toEqual(['f']);
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});

test.each([
  ['grew', (file: string) => appendFileSync(file, 'late\n')],
  ['was rewritten in place', (file: string) => utimesSync(file, 5, 5)],
  [
    'was replaced by another',
    (file: string) => {
      writeFileSync(`${file}.new`, 'one\n');
      renameSync(`${file}.new`, file);
    },
  ],
])('replaces nothing when the file %s meanwhile', async (_how, change) => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\n');
  const meanwhile: Transform = async (input, out) => {
    const code = await shout(input, out);
    change(file);
    return code;
  };
  const result = await call(['-i', '--backup', file], meanwhile);
  expect(result.code).toBe(2);
  expect(result.failure).toMatch(/changed by another program in the meantime, nothing was replaced/);
  expect(readFileSync(file, 'utf8').startsWith('one\n')).toBe(true);
  expect(readdirSync(folder)).toEqual(['f']);
});

test('says that other names of the file keep the old content', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\n');
  linkSync(file, join(folder, 'g'));
  expect((await call(['-i', file], shout)).notes).toMatch(/hard links/);
  expect(readFileSync(join(folder, 'g'), 'utf8')).toBe('one\n');
});

test.each([
  [
    'appended',
    (file: string) => appendFileSync(file, 'late\n'),
    'late\n',
    /5 bytes were written to the old file at that moment/,
  ],
  [
    'rewritten',
    (file: string) => writeFileSync(file, 'ten\n', { flag: 'r+' }),
    'ten\n',
    /the old file was changed at that moment/,
  ],
])('saves what was %s to the old file between the last look and the rename', async (_how, write, late, message) => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\n');
  chmodSync(file, 0o600);
  writeFileSync(join(folder, 'f.late'), 'from another day');
  // The note about hard links is the last thing before the rename, so it tells the moment.
  linkSync(file, join(folder, 'g'));
  const result = await call(['-i', file], shout, '', () => write(file));
  expect(result.code).toBe(2);
  expect(result.failure).toMatch(message);
  expect(result.failure).toContain(`${file}.late1`);
  expect(readFileSync(file, 'utf8')).toBe('ONE\n');
  expect(readFileSync(`${file}.late1`, 'utf8')).toBe(late);
  expect(readFileSync(`${file}.late`, 'utf8')).toBe('from another day');
  expect(statSync(`${file}.late1`).mode & 0o777).toBe(0o600);
});

test('-o makes a file no wider than the input, and only when all of it is there', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  const out = join(folder, 'out');
  writeFileSync(file, 'one\n');
  chmodSync(file, 0o600);
  const look: Transform = async (input, writer) => {
    const code = await shout(input, writer);
    await writer.flush();
    expect(existsSync(out)).toBe(false);
    return code;
  };
  expect(await call(['-o', out, file], look)).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(out, 'utf8')).toBe('ONE\n');
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).sort()).toEqual(['f', 'out']);
});

test('-o replaces a file that is there, behind a link too, and keeps its mode', async () => {
  const folder = fresh();
  writeFileSync(join(folder, 'f'), 'one\n');
  writeFileSync(join(folder, 'out'), 'old');
  chmodSync(join(folder, 'out'), 0o664);
  symlinkSync('out', join(folder, 'link'));
  await call(['-o', join(folder, 'link'), join(folder, 'f')], shout);
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('ONE\n');
  expect(statSync(join(folder, 'out')).mode & 0o777).toBe(0o664);
  expect(readdirSync(folder).sort()).toEqual(['f', 'link', 'out']);
});

test('-o never overwrites the input, under whatever name', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'one\n');
  symlinkSync('f', join(folder, 'link'));
  linkSync(file, join(folder, 'hard'));
  for (const name of ['f', 'link', 'hard', './f']) {
    expect((await call(['-o', join(folder, name), file], shout)).failure).toMatch(/is the input file itself; use -i/);
  }
  expect(readFileSync(file, 'utf8')).toBe('one\n');
});

test('-o never overwrites the file that standard input comes from', async () => {
  const folder = fresh();
  writeFileSync(join(folder, 'f'), 'a1\n');
  const ran = await spawnCommand('bash', ['-c', `"${process.execPath}" "${program}" -o f < f`], { cwd: folder });
  expect(ran).toMatchObject({ code: 2, stderr: 'f: is the input file itself; use -i to change a file in place\n' });
  expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('a1\n');
});

test('-o refuses a folder and a link that leads nowhere', async () => {
  const folder = fresh();
  symlinkSync('nowhere', join(folder, 'link'));
  expect((await call(['-o', folder], shout, 'one\n')).failure).toMatch(/is a folder/);
  expect((await call(['-o', join(folder, 'link')], shout, 'one\n')).failure).toMatch(/broken symbolic link/);
  expect((await call(['-o', join(folder, 'no', 'where')], shout, 'one\n')).failure).toMatch(
    /where: no such folder; make it first$/,
  );
});

test.skipIf(!existsSync('/dev/full'))('-o names the device that takes no more', async () => {
  const ran = await call(['-o', '/dev/full'], shout, 'one\n');
  expect(ran.failure).toMatch(/^\/dev\/full: .*space/);
});

test('-o writes straight to a device or a pipe', async () => {
  const folder = fresh();
  expect((await call(['-o', '/dev/null'], shout, 'one\n')).code).toBe(0);
  const ran = await spawnCommand(
    'bash',
    ['-c', `mkfifo p; cat p & printf 'a1\\nb2\\n' | "${process.execPath}" "${program}" -o p; wait`],
    {
      cwd: folder,
    },
  );
  expect(ran).toMatchObject({ code: 0, stdout: 'b1\na2\n', stderr: '' });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s removes the temp file and leaves the original', async (signal, code) => {
  const folder = fresh();
  const file = join(folder, 'f');
  writeFileSync(file, 'a1\nb2\n');
  const child = spawn(process.execPath, [program, '-i', '--wait', file], { stdio: 'pipe' });
  const ended = new Promise<number | null>((done) => child.on('close', (exit) => done(exit)));
  await new Promise((waiting) => child.stderr.on('data', waiting));
  expect(readdirSync(folder).length).toBe(2);
  child.kill(signal);
  expect(await ended).toBe(code);
  expect(readdirSync(folder)).toEqual(['f']);
  expect(readFileSync(file, 'utf8')).toBe('a1\nb2\n');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s ends the real program with its code and without a trace, while standard input is idle',
  async (signal, code) => {
    const folder = fresh();
    const child = spawn(process.execPath, [programPath, 'inline', '-o', join(folder, 'out')], {
      stdio: 'pipe',
      env: fixedEnv,
    });
    const ended = new Promise<number | null>((done) => child.on('close', (exit) => done(exit)));
    child.stdin.write('{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n');
    while (readdirSync(folder).length === 0) await new Promise((later) => setTimeout(later, 10));
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('SIGKILL in the middle of real commands leaves the old log or the new one, whole', async () => {
  const result = await killRealRewrites(fresh(), 6);
  expect(result.torn).toEqual([]);
});

test('SIGKILL at any moment leaves the old file or the new one, whole', async () => {
  const result = await killWhileRewriting(program, fresh(), 10);
  expect(result.torn).toEqual([]);
  expect(result.whole).toBe(10);
});

test('a write limit leaves the original and no temp file', async () => {
  const folder = fresh();
  const file = join(folder, 'f');
  const old = `a${'x'.repeat(99)}\n`.repeat(4000);
  writeFileSync(file, old);
  const ran = await spawnCommand('bash', ['-c', `ulimit -f 100; exec "${process.execPath}" "${program}" -i f`], {
    cwd: folder,
  });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/^f: the file would exceed a size limit/);
  expect(readFileSync(file, 'utf8') === old).toBe(true);
  expect(readdirSync(folder)).toEqual(['f']);
});

test('a full disk leaves the original and no temp file', async ({ skip }) => {
  const folder = fresh();
  const mounted = await spawnCommand('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (mounted.code !== 0) skip('no right to mount a small disk here');
  try {
    const file = join(folder, 'f');
    const old = `a${'x'.repeat(99)}\n`.repeat(7000);
    writeFileSync(file, old);
    const ran = await spawnCommand(process.execPath, [program, '-i', '--backup', file]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toBe(`${file}: no space left on the disk; free some space and run again\n`);
    expect(readFileSync(file, 'utf8') === old).toBe(true);
    expect(readdirSync(folder)).toEqual(['f']);
  } finally {
    await spawnCommand('umount', [folder]);
  }
});
