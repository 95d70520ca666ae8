import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killWhileAppending } from '../support/append-kill.ts';
import { programPath, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';
const entry = (id: string, parentId: string | null): string =>
  `{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}\n`;
const LABEL = '{"type":"label","targetId":"a","label":"x"}\n';
const user = (text: string): string =>
  `{"type":"message","message":{"role":"user","content":"${text}","timestamp":1}}\n`;
const now = (): number => Date.parse('2026-05-01T10:00:00.000Z');

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

function fresh(content?: string): string {
  const file = join(mkdtempSync(join(scratch, 'case-')), 'f.jsonl');
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

function linesOf(file: string): Entry[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}

test('adds entries behind the last one and acknowledges each with its id', async () => {
  const before = HEADER + entry('a', null) + entry('b', 'a');
  const file = fresh(before);
  const out = await run(['append', file], { stdin: user('one') + LABEL, now });
  expect(out).toMatchObject({ code: 0, stderr: '' });
  const [first, second] = out.stdout.trimEnd().split('\n');
  expect(first).toMatch(/^[0-9a-f]{8}$/);
  expect(readFileSync(file, 'utf8')).toBe(
    `${before}{"type":"message","id":"${first}","parentId":"b","timestamp":"2026-05-01T10:00:00.000Z","message":{"role":"user","content":"one","timestamp":1}}\n` +
      `{"type":"label","id":"${second}","parentId":"${first}","timestamp":"2026-05-01T10:00:00.000Z","targetId":"a","label":"x"}\n`,
  );
  expect(readdirSync(join(file, '..'))).toEqual(['f.jsonl']);
});

test('keeps the bytes of a body: order, spelling of numbers, escapes, unicode', async () => {
  const file = fresh(HEADER);
  const body = '{ "customType":"x/y", "type" : "custom" ,"data":{"big":12345678901234567890,"n":1.0,"e":"\\u00e9é"}}';
  const out = await run(['append', file], { stdin: `  ${body} \r\n\n`, now });
  const id = out.stdout.trimEnd();
  expect(readFileSync(file, 'utf8')).toBe(
    `${HEADER}{ "customType":"x/y", "type" : "custom","id":"${id}","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z" ,"data":{"big":12345678901234567890,"n":1.0,"e":"\\u00e9é"}}\n`,
  );
});

test('makes a new file with a header, also from an empty one and behind a link', async () => {
  const file = fresh();
  const out = await run(['append', '--cwd', '/wörk', '--title', 'Notes ✓', file], { stdin: user('one'), now });
  const [header, first] = linesOf(file);
  expect(header).toMatchObject({
    type: 'session',
    version: 3,
    timestamp: '2026-05-01T10:00:00.000Z',
    cwd: '/wörk',
    title: 'Notes ✓',
  });
  expect(header?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(first).toMatchObject({ id: out.stdout.trimEnd(), parentId: null });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const empty = fresh('');
  symlinkSync('f.jsonl', `${empty}.link`);
  expect((await run(['append', `${empty}.link`], { stdin: user('one') })).code).toBe(0);
  expect(linesOf(empty).map((line) => line.type)).toEqual(['session', 'message']);
  const none = fresh();
  expect(await run(['append', none], { stdin: '' })).toMatchObject({ code: 0, stdout: '' });
  expect(linesOf(none).map((line) => line.type)).toEqual(['session']);
});

test('--at is the parent of the first entry, and the next hangs from the one before', async () => {
  const file = fresh(HEADER + entry('aaaa1111', null) + entry('bbbb2222', 'aaaa1111') + entry('-ccc', 'bbbb2222'));
  const out = await run(['append', '--at', 'aaaa', file], { stdin: user('one') + user('two') });
  const [first, second] = out.stdout.trimEnd().split('\n');
  expect(
    linesOf(file)
      .slice(4)
      .map(({ id, parentId }) => [id, parentId]),
  ).toEqual([
    [first, 'aaaa1111'],
    [second, first],
  ]);
  expect((await run(['append', '--at=-ccc', file], { stdin: user('three') })).code).toBe(0);
  expect(linesOf(file).at(-1)?.parentId).toBe('-ccc');
  const before = readFileSync(file, 'utf8');
  const unknown = await run(['append', '--at', 'zzzz', file], { stdin: user('four') });
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("'zzzz'");
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test.each([
  [
    'a torn last line',
    HEADER + entry('a', null).slice(0, 50),
    /line 2 is damaged \(torn-line\); run 'sessionctl repair' first/,
  ],
  ['a missing newline', HEADER + entry('a', null).trimEnd(), /the last line has no newline.*'sessionctl repair'/],
  [
    'a damaged line in the middle',
    `${HEADER}nonsense\n${entry('a', null)}`,
    /line 2 is damaged \(not-json\).*'sessionctl repair'/,
  ],
  [
    'version 1',
    '{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n',
    /version 1.*'sessionctl migrate -i'/,
  ],
  ['version 4', HEADER.replace('"version":3', '"version":4'), /version 4 is unknown/],
  ['no header', entry('a', null), /an entry comes before the header.*'sessionctl repair'/],
  [
    'an entry without an id',
    `${HEADER}{"type":"custom","timestamp":"2026-01-01T00:00:00.000Z"}\n`,
    /line 2, has no id.*'sessionctl repair'/,
  ],
  ['a byte order mark', `\ufeff${HEADER}`, /byte order mark.*'sessionctl repair'/],
  ['another format', '{"some":"thing"}\n', /not a pi or omp session log/],
])('refuses a log with %s and leaves it', async (_what, content, message) => {
  const file = fresh(content);
  const out = await run(['append', file], { stdin: user('one') });
  expect(out).toMatchObject({ code: 2, stdout: '' });
  expect(out.stderr).toMatch(message);
  expect(readFileSync(file, 'utf8')).toBe(content);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test.each([
  ['{"type":"message"}', /message/],
  ['{"type":"message","message":{"role":"user"}}', /content/],
  ['{"type":"label","targetId":5}', /targetId/],
  ['{"message":{}}', /has no string 'type'/],
  ['{"type":"session","cwd":"/"}', /is of type 'session', which is not an entry/],
  ['{"type":"title","v":1,"title":"x"}', /which is not an entry/],
  ['{"type":"custom","customType":"x","id":"mine"}', /already has 'id'/],
  ['{"type":"custom","customType":"x","parentId":null}', /already has 'parentId'/],
  ['{"type":"custom","customType":"x","timestamp":"x"}', /already has 'timestamp'/],
  ['{"type":"custom"', /not a complete JSON object \(torn-line\)/],
  ['[1]', /not a complete JSON object \(not-an-object\)/],
])('refuses the body %s, and keeps what was acknowledged before', async (body, message) => {
  const file = fresh(HEADER);
  const out = await run(['append', file], { stdin: `${user('good')}${body}\n${user('never')}` });
  expect(out.code).toBe(2);
  expect(out.stderr).toMatch(message);
  expect(out.stderr).toMatch(/^sessionctl: -:2: the entry/);
  expect(
    linesOf(file)
      .slice(1)
      .map((one) => one.id),
  ).toEqual([out.stdout.trimEnd()]);
});

test('says what does not fit in a body, and where, once', async () => {
  const file = fresh(HEADER);
  const { code, stderr } = await run(['append', file], { stdin: '{"type":"message","message":{}}\n' });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'sessionctl: -:1: the entry does not match the schema: expected a string at message.role, found nothing\n',
  });
});

test('lets unknown types pass, and refuses what the dialect of the log does not know', async () => {
  const file = fresh(HEADER);
  const model = '{"type":"model_change","provider":"p","modelId":"m"}\n';
  expect((await run(['append', file], { stdin: `{"type":"from_the_future","x":1}\n${model}` })).code).toBe(0);
  const refused = await run(['append', file], { stdin: '{"type":"model_change","model":"p/m"}\n' });
  expect(refused.stderr).toMatch(/is an entry in the form that omp writes, but this is a log of pi/);
  const omp = fresh(HEADER.replace('"cwd"', '"title":"t","cwd"'));
  expect((await run(['append', omp], { stdin: model })).stderr).toMatch(
    /in the form that pi writes, but this is a log of omp/,
  );
});

test.each([[[]], [['-']], [['a', 'b']]])('refuses the call append %j', async (argv) => {
  expect((await run(['append', ...argv], { stdin: user('x') })).code).toBe(2);
});

test('refuses --cwd and --title for a log that has a header, a folder and --at in a new file', async () => {
  const file = fresh(HEADER);
  expect((await run(['append', '--title', 't', file], { stdin: '' })).stderr).toMatch(/--title is for a new file/);
  expect((await run(['append', join(file, '..')], { stdin: '' })).stderr).toMatch(/is a folder/);
  expect((await run(['append', '--at', '@', fresh()], { stdin: '' })).stderr).toMatch(/is new, so '@' does not exist/);
  expect((await run(['append', join(file, '..', 'no', 'where')], { stdin: '' })).stderr).toMatch(
    /where: no such folder; make it first\n/,
  );
  symlinkSync('nowhere', `${file}.link`);
  expect((await run(['append', `${file}.link`], { stdin: '' })).stderr).toMatch(/is a broken symbolic link; remove it/);
});

test('waits for a lock that is held, and then says who holds it', async () => {
  const file = fresh(HEADER);
  writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid, host: hostname(), start: '' }));
  const held = await run(['append', '--lock-timeout', '0', file], { stdin: user('x') });
  expect(held).toMatchObject({ code: 2, stdout: '' });
  expect(held.stderr).toContain(`is held by process ${process.ppid} on ${hostname()}`);
  // On another machine nobody can tell whether the process is gone.
  writeFileSync(`${file}.lock`, JSON.stringify({ pid: 999_999_999, host: 'elsewhere', start: '' }));
  expect((await run(['append', '--lock-timeout', '0', file], { stdin: user('x') })).stderr).toContain('on elsewhere');
  const waiting = run(['append', '--lock-timeout', '30', file], { stdin: user('x') });
  await new Promise((later) => setTimeout(later, 60));
  renameSync(`${file}.lock`, `${file}.gone`);
  expect((await waiting).code).toBe(0);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test('takes over the lock of a process that is gone, or of another process with its number', async () => {
  const file = fresh(HEADER);
  const gone = await spawnCommand('bash', ['-c', 'echo $$']);
  for (const holder of [
    { pid: Number(gone.stdout), host: hostname(), start: '' },
    { pid: process.ppid, host: hostname(), start: 'another boot/1' },
  ]) {
    if (holder.start !== '' && !existsSync('/proc/self/stat')) continue;
    writeFileSync(`${file}.lock`, `${JSON.stringify(holder)}\n`);
    expect((await run(['append', '--lock-timeout', '0', file], { stdin: user('x') })).code).toBe(0);
    expect(readdirSync(join(file, '..'))).toEqual(['f.jsonl']);
  }
});

test('sees what was added meanwhile, and a file that took the place of the old one', async () => {
  const file = fresh(HEADER + entry('a', null));
  const program = `"${process.execPath}" "${programPath}" append f.jsonl`;
  const other = entry('b', 'a').trimEnd();
  const script = `{ echo '${user('1').trimEnd()}'; read -r first; echo '${other}' >> f.jsonl; echo '${user('2').trimEnd()}'; read -r second;
    { head -1 f.jsonl; echo '${entry('z', null).trimEnd()}'; } > new; mv new f.jsonl; echo '${user('3').trimEnd()}'; read -r third; } < acks | ${program} > acks`;
  const ran = await spawnCommand('bash', ['-c', `mkfifo acks; ${script}`], { cwd: join(file, '..') });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(
    linesOf(file)
      .slice(1)
      .map(({ parentId }) => parentId),
  ).toEqual([null, 'z']);
});

test('three who append at once, over the lock of a dead one, leave one chain of whole lines', async () => {
  const file = fresh(HEADER);
  const gone = await spawnCommand('bash', ['-c', 'echo $$']);
  writeFileSync(`${file}.lock`, `${JSON.stringify({ pid: Number(gone.stdout), host: hostname(), start: '' })}\n`);
  const bodies = (name: string): string =>
    Array.from({ length: 60 }, (_, number) => user(`${name} ${number} ${'x'.repeat((number % 7) * 3000)}`)).join('');
  const ran = await Promise.all(
    ['a', 'b', 'c'].map((name) => spawnProgram(['append', '--lock-timeout', '60', file], { stdin: bodies(name) })),
  );
  expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ran.map(() => ({ code: 0, stderr: '' })));
  const [, ...entries] = linesOf(file);
  expect(entries.length).toBe(180);
  expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(180);
  expect(new Set(ran.flatMap((one) => one.stdout.trimEnd().split('\n')))).toEqual(new Set(entries.map(({ id }) => id)));
  expect(readdirSync(join(file, '..'))).toEqual(['f.jsonl']);
});

test('SIGKILL at any moment loses nothing that was acknowledged', async () => {
  const file = fresh(HEADER);
  const result = await killWhileAppending(file, 6, 30_000);
  expect(result).toMatchObject({ lost: [], broken: [] });
  expect(result.acknowledged).toBeGreaterThan(6);
});

test('a write limit cuts the entry off again and leaves the log whole', async () => {
  const file = fresh(HEADER + entry('a', null));
  const stdin = user('small') + user('x'.repeat(300_000));
  const ran = await spawnCommand(
    'bash',
    ['-c', `ulimit -f 100; exec "${process.execPath}" "${programPath}" append --fsync f.jsonl`],
    {
      cwd: join(file, '..'),
      stdin,
    },
  );
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/f\.jsonl: the file would exceed a size limit/);
  expect(
    linesOf(file)
      .slice(2)
      .map(({ id }) => id),
  ).toEqual([ran.stdout.trimEnd()]);
  expect(readdirSync(join(file, '..'))).toEqual(['f.jsonl']);
});

test('a full disk cuts the entry off again and leaves the log whole', async ({ skip }) => {
  const folder = mkdtempSync(join(scratch, 'disk-'));
  const mounted = await spawnCommand('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', folder]);
  if (mounted.code !== 0) skip('no right to mount a small disk here');
  try {
    const file = join(folder, 'f.jsonl');
    writeFileSync(file, HEADER);
    const ran = await spawnProgram(['append', file], { stdin: user('small') + user('x'.repeat(300_000)) });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toBe(`sessionctl: ${file}: no space left on the disk; free some space and run again\n`);
    expect(
      linesOf(file)
        .slice(1)
        .map(({ id }) => id),
    ).toEqual([ran.stdout.trimEnd()]);
  } finally {
    await spawnCommand('umount', [folder]);
  }
});

test('a log that may not be written is refused', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may write everywhere');
  const file = fresh(HEADER);
  chmodSync(file, 0o400);
  expect((await run(['append', file], { stdin: user('x') })).stderr).toMatch(/permission denied/);
});

test('SIGTERM while it waits for input leaves no lock', async () => {
  const file = fresh(HEADER);
  const script = `mkfifo in; "${process.execPath}" "${programPath}" append f.jsonl < in & exec 3> in; echo '${user('1').trimEnd()}' >&3
    until [ $(wc -l < f.jsonl) = 2 ]; do sleep 0.02; done; kill -TERM $!; wait $!`;
  const ran = await spawnCommand('bash', ['-c', script], { cwd: join(file, '..') });
  expect(ran.code).toBe(143);
  expect(readdirSync(join(file, '..')).sort()).toEqual(['f.jsonl', 'in']);
});
