import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { fixedEnv, programPath, projectRoot, run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { filled, SECRETS } from '../support/secrets.ts';

const scratch = scratchFolder();
const TOKEN = filled('ghp_<36>');
const MARKER = '[redacted:github-token:1]';
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';

function message(text: string, id = 'a', parent: string | null = null): string {
  const content = [{ type: 'text', text }];
  const time = '2026-01-01T00:00:01.000Z';
  return `${JSON.stringify({ type: 'message', id, parentId: parent, timestamp: time, message: { role: 'user', content } })}\n`;
}

function fileWith(text: string, name = 'session.jsonl'): string {
  const path = join(mkdtempSync(join(scratch, 'case-')), name);
  writeFileSync(path, text);
  return path;
}

const log = HEADER + message(`token ${TOKEN}`) + message('password: "wint3r-moon"', 'b', 'a');

test('writes a copy without secrets, and says how many of which kind on standard error', async () => {
  const path = fileWith(log);
  const ran = await run(['redact', path]);
  expect(ran.stdout).toBe(log.replace(TOKEN, MARKER).replace('wint3r-moon', '[redacted:password:1]'));
  expect(ran).toMatchObject({
    code: 0,
    stderr: `sessionctl: ${path}: 2 secrets replaced: github-token 1, password 1\n`,
  });
  expect(await run(['validate'], { stdin: ran.stdout })).toMatchObject({ code: 0 });
});

test('replaces a value before the place that gives it away in a file, and behind it in a pipe', async () => {
  const both =
    HEADER +
    message('use wint3r-moon') +
    message('password: "wint3r-moon"', 'b', 'a') +
    message('wint3r-moon', 'c', 'b');
  expect((await run(['redact', fileWith(both)])).stdout).not.toContain('wint3r-moon');
  const piped = (await run(['redact'], { stdin: both })).stdout;
  expect(piped.split('wint3r-moon')).toHaveLength(2);
  expect(piped.split('\n')[1]).toContain('wint3r-moon');
});

test('changes a file in place, keeps the old one, and leaves a file without secrets untouched', async () => {
  const path = fileWith(log);
  expect(await run(['redact', '-i', '--backup', path])).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(path, 'utf8')).toContain(MARKER);
  expect(readFileSync(`${path}.bak`, 'utf8')).toBe(log);
  const before = statSync(path);
  expect((await run(['redact', '-i', path])).stderr).toContain('no secrets found');
  expect(statSync(path).ino).toBe(before.ino);
});

test('writes what was replaced to a file that nobody else can read, also where others could read it', async () => {
  const path = fileWith(log);
  const map = `${path}.map`;
  writeFileSync(map, '');
  chmodSync(map, 0o644);
  await run(['redact', '--map', map, path]);
  expect(statSync(map).mode & 0o777).toBe(0o600);
  const records = readFileSync(map, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records).toEqual([
    { marker: MARKER, kind: 'github-token', value: TOKEN },
    { marker: '[redacted:password:1]', kind: 'password', value: 'wint3r-moon' },
  ]);
  expect(await run(['redact', '--map', path, path])).toMatchObject({ code: 2 });
});

describe('a folder', () => {
  it('is redacted in place, log by log, and what is no log of lines stays and is counted', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'deep'));
    const other = `{"a":"${TOKEN}"}\n{"a":2}\n`;
    const tools = readFileSync(join(projectRoot, 'fixtures/formats/claude-code/2.1.325/tools.jsonl'), 'utf8');
    writeFileSync(join(folder, 'clean.jsonl'), HEADER);
    writeFileSync(join(folder, 'deep/claude.jsonl'), tools.replaceAll('Change the port', TOKEN));
    writeFileSync(join(folder, 'log.jsonl'), log);
    writeFileSync(join(folder, 'other.jsonl'), other);
    const ran = await run(['redact', '-i', '--backup', folder]);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr.split('\n')).toEqual([
      expect.stringMatching(/deep\/claude\.jsonl: \d secrets? replaced: github-token \d$/),
      expect.stringMatching(/log\.jsonl: 2 secrets replaced: github-token 1, password 1$/),
      'sessionctl: 1 file skipped, of kinds that this command does not take',
      '',
    ]);
    expect(readFileSync(join(folder, 'deep/claude.jsonl'), 'utf8')).toBe(tools.replaceAll('Change the port', MARKER));
    expect(readFileSync(join(folder, 'log.jsonl.bak'), 'utf8')).toBe(log);
    expect(readFileSync(join(folder, 'other.jsonl'), 'utf8')).toBe(other);
    expect((await run(['redact', '-i', folder])).stderr).toMatch(/\nsessionctl: no secrets found in 3 logs\n$/);
  });

  it('has no map among its logs, where it would be taken for one or take the place of one', async () => {
    const path = fileWith(log);
    expect(await run(['redact', '-i', '--map', path, join(path, '..')])).toMatchObject({ code: 2 });
    expect(readFileSync(path, 'utf8')).toBe(log);
  });
});

describe('a damaged line', () => {
  const torn = `{"type":"message","id":"b","text":"a ${TOKEN} b`;

  it('is searched as text, stays as it is otherwise, is reported and earns exit code 1', async () => {
    const path = fileWith(log + torn);
    const ran = await run(['redact', path]);
    expect(ran.code).toBe(1);
    expect(ran.stdout.endsWith(torn.replace(TOKEN, MARKER))).toBe(true);
    expect(ran.stderr).toContain(
      `${path}: line 4 is damaged (torn-line) and was searched as text; 'sessionctl repair'`,
    );
    expect(await run(['redact'], { stdin: HEADER + '{"type":"mess' })).toMatchObject({
      code: 1,
      stdout: `${HEADER}{"type":"mess`,
      stderr: expect.stringContaining('line 2 is damaged (torn-line)'),
    });
  });

  it.each([
    ['nul-bytes', Buffer.from('\0\0{"type":"custom","customType":"a"}\n')],
    ['invalid-utf8', Buffer.from([...Buffer.from('{"type":"custom","customType":"'), 0xff, ...Buffer.from('"}\n')])],
    ['not-json', Buffer.from('hello\n')],
    ['not-an-object', Buffer.from('[1]\n')],
    ['not-json', Buffer.from('{"a\\x":"blob:"}\n')],
  ])('is reported whatever it has: %s', async (rule, line) => {
    const bytes = Buffer.concat([Buffer.from(HEADER + message('x')), line]);
    for (const env of [{}, { SESSIONCTL_SCANNER: 'off' }]) {
      const piped = await run(['redact'], { env, stdin: bytes });
      expect(piped).toMatchObject({ code: 1, stderr: expect.stringContaining(`line 3 is damaged (${rule})`) });
      expect(piped.stdoutBytes.equals(bytes)).toBe(true);
    }
  });

  it('hides no secret behind escapes', async () => {
    const hidden = torn.replace('ghp_', '\\u0067hp\\u005f');
    const { stdout } = await run(['redact'], { stdin: HEADER + hidden });
    expect(stdout).toBe(HEADER + torn.replace(TOKEN, MARKER));
  });

  it('is a warning of --check, in every format', async () => {
    const path = fileWith(`${HEADER}{"type":"mess`);
    for (const format of ['text', 'json', 'github', 'sarif', 'junit', 'junit-ant', 'markdown']) {
      const ran = await run(['redact', '--check', '--format', format, path]);
      expect(ran.code).toBe(0);
      expect(ran.stdout, format).toContain('damaged-line');
      expect(ran.stdout, format).toContain('torn-line');
    }
  });
});

describe('no secret', () => {
  it('is in what is said or reported, whatever is written', async () => {
    const entries = SECRETS.map(({ text }, at) => message(text, `e${at}`, at === 0 ? null : `e${at - 1}`));
    const path = fileWith(`${HEADER}${entries.join('')}{"type":"mess ${TOKEN}`);
    const outputs: string[] = [];
    for (const format of ['text', 'json', 'github', 'sarif', 'junit', 'junit-ant', 'markdown']) {
      const { stdout, stderr } = await run(['redact', '--check', '--format', format, path]);
      outputs.push(stdout, stderr);
    }
    const report = `${path}.report`;
    outputs.push((await run(['redact', path])).stderr, (await run(['redact', '--check', '--map', path, path])).stderr);
    outputs.push((await run(['export', '--redact', path])).stderr);
    outputs.push((await run(['convert', '--to', 'omp', '--redact', '--report', report, path])).stderr);
    outputs.push(readFileSync(report, 'utf8'));
    const leaked = SECRETS.filter(({ secret }) => outputs.some((output) => output.includes(secret)));
    expect(leaked.map(({ kind }) => kind)).toEqual([]);
  });

  it('is in a file that others can read while it is written', async () => {
    const folder = scratchFolder();
    const argv = [programPath, 'redact', '--map', join(folder, 'map'), '-o', join(folder, 'out.jsonl')];
    const child = spawn(process.execPath, argv, { env: fixedEnv, stdio: 'pipe' });
    child.stdin.write(log);
    await expect.poll(() => readdirSync(folder).length, { timeout: 20_000 }).toBe(1);
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o077)).toEqual([0]);
    child.stdin.end();
    await new Promise((done) => child.on('close', done));
    expect(readdirSync(folder).sort()).toEqual(['map', 'out.jsonl']);
    expect(statSync(join(folder, 'map')).mode & 0o777).toBe(0o600);
  });
});

test('leaves a file as it is if what was replaced cannot be written elsewhere', async () => {
  const path = fileWith(log);
  expect(await run(['redact', '-i', '--map', join(path, '../none/map'), path])).toMatchObject({ code: 2 });
  expect(readFileSync(path, 'utf8')).toBe(log);
});

test('takes values that are no secrets from a file', async () => {
  const allow = fileWith(`${TOKEN}\r\n\nother\n`, 'allow.txt');
  expect((await run(['redact', '--allow', allow], { stdin: log })).stdout).toContain(TOKEN);
});

test('leaves no temporary file where another option is wrong', async () => {
  const folder = scratchFolder();
  const map = join(folder, 'map');
  for (const wrong of ['--allow=none', '--ignore=no-such-kind']) {
    expect(await run(['redact', '--map', map, wrong], { stdin: '{}\n' })).toMatchObject({ code: 2, stdout: '' });
    expect(readdirSync(folder)).toEqual([]);
  }
});

describe('--check', () => {
  it('lists findings with a pointer and never a value, in every format, and exits 1', async () => {
    const path = fileWith(log);
    for (const format of ['text', 'json', 'github', 'sarif', 'junit', 'junit-ant', 'markdown']) {
      const ran = await run(['redact', '--check', '--format', format, path]);
      expect(ran.code).toBe(1);
      expect(ran.stdout).toMatch(/github-token at \/message\/content\/0\/text/);
      expect(ran.stdout).not.toMatch(/sessionctl validate|rules\.md/);
      expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
    }
    const { stdout, stderr } = await run(['redact', '--check', path]);
    expect(stdout.split('\n')[0]).toBe(`${path}:2: error: secret: github-token at /message/content/0/text`);
    expect(stderr).toBe('sessionctl: 2 secrets in 1 session (3 entries)\n');
    expect(readFileSync(path, 'utf8')).toBe(log);
  });

  it('walks through folders and passes over what is no log of lines', async () => {
    const path = fileWith(HEADER);
    const folder = join(path, '..');
    writeFileSync(join(folder, 'other.jsonl'), '{"a":1}\n{"a":2}\n');
    expect(await run(['redact', '--check', folder])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^sessionctl: .*\/other\.jsonl: skipped: is JSON Lines .*\nsessionctl: no secrets found in 1 session \(1 entry\); 1 JSON Lines file, not checked\n$/,
      ),
    });
  });
});

test('takes logs of every format that has one JSON object per line, and gives one without secrets back as it is', async () => {
  const folder = join(projectRoot, 'fixtures/formats');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  let taken = 0;
  for (const name of files) {
    const path = join(folder, name);
    const ran = await run(['redact', path]);
    if (ran.code === 2) {
      expect(ran.stderr, name).toMatch(/only logs with one JSON object per line|--from jsonl/);
      continue;
    }
    taken++;
    expect(ran.stderr, name).toContain('no secrets found');
    expect(ran.stdoutBytes.equals(readFileSync(path)), name).toBe(true);
  }
  expect(taken).toBeGreaterThan(files.length - 10);
});

describe('a log of another agent', () => {
  it.each(['claude-code/2.1.325/tools.jsonl', 'codex/0.166.0/tools.jsonl', 'gemini'])(
    '%s still validates and converts when it is redacted',
    async (name) => {
      const path = join(projectRoot, 'fixtures/formats', name);
      const file = name.endsWith('.jsonl') ? path : firstLog(path);
      const secret = `see ${TOKEN} and password="wint3r-moon"`;
      // In all prompts and answers, wherever the format has them.
      const planted = readFileSync(file, 'utf8').replace(
        /((?:"text"|"content"):")(?=[A-Z])/g,
        `$1${secret.replaceAll('"', '\\"')} `,
      );
      expect(planted).toContain(TOKEN);
      const ran = await run(['redact'], { stdin: planted });
      expect(ran.code).toBe(0);
      expect(ran.stdout).not.toMatch(new RegExp(`${TOKEN}|wint3r-moon`));
      const before = await run(['validate', '--format', 'json'], { stdin: planted });
      expect((await run(['validate', '--format', 'json'], { stdin: ran.stdout })).code).toBe(before.code);
      expect((await run(['convert'], { stdin: ran.stdout })).stdout).toContain(MARKER);
    },
  );
});

function firstLog(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return join(folder, names.find((name) => /(?<!native)\.jsonl$/.test(name)) ?? '');
}

test('a Codex log that others may name offsets of keeps the place of every line', async () => {
  const paginated = readFileSync(join(projectRoot, 'fixtures/formats/codex/0.166.0/tools.jsonl'), 'utf8').split('\n');
  expect(paginated[0]).toContain('"history_mode":"paginated"');
  // One marker is longer than its secret and the other one shorter, by another number of bytes.
  const planted = paginated.map((line) => line.replace('"text":"', `"text":"PASSWORD=abc12345 ${TOKEN} `)).join('\n');
  const { stdout, code } = await run(['redact'], { stdin: planted });
  expect(code).toBe(0);
  expect(stdout).not.toMatch(new RegExp(`${TOKEN}|abc12345`));
  expect(stdout.split('\n').map((line) => Buffer.byteLength(line))).toEqual(
    planted.split('\n').map((line) => Buffer.byteLength(line)),
  );
});

test("omp's title slot keeps its 256 bytes", async () => {
  const title = { type: 'title', v: 1, title: `fix ${TOKEN}`, updatedAt: '2026-01-01T00:00:00.000Z', pad: '' };
  const slot = JSON.stringify({ ...title, pad: ' '.repeat(255 - JSON.stringify(title).length) });
  const { stdout } = await run(['redact'], { stdin: `${slot}\n${log}` });
  expect(stdout.split('\n')[0]).toHaveLength(255);
  expect(stdout).not.toContain(TOKEN);
  expect(await run(['validate'], { stdin: stdout })).toMatchObject({ code: 0 });
});

test('says that signed thinking was removed', async () => {
  const thinking = { type: 'thinking', thinking: `hm ${TOKEN}`, thinkingSignature: 'c2ln' };
  const ran = await run(['redact'], { stdin: HEADER + message('x').replace('[{', `[${JSON.stringify(thinking)},{`) });
  expect(ran.stdout).toBe(HEADER + message('x'));
  expect(ran.stderr).toContain('github-token 1; 1 signed thinking block removed, for a changed one would be rejected');
});

test('counts blob refs, whose blobs are not searched', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: `blob:sha256:${filled('<64h>')}` };
  const line = message('x').replace('[{', `[${JSON.stringify(image)},{`);
  for (const argv of [['redact'], ['redact', '--check']])
    expect((await run(argv, { stdin: HEADER + line })).stderr).toContain('1 blob ref; the blobs were not searched');
});

test.each([
  [['redact', '--only', 'github-tokn'], "unknown kind 'github-tokn'; did you mean 'github-token'"],
  [['redact', '--format', 'json'], '--format is for --check'],
  [['redact', join(projectRoot, 'fixtures/formats/aider')], 'is a folder'],
])('refuses %j', async (argv, words) => {
  const ran = await run(argv, { stdin: log });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(words);
});

test('refuses what is not one JSON object per line, with the way to do it', async () => {
  const path = fileWith('{\n  "info": {"id":"ses_1"},\n  "messages": []\n}\n', 'export.json');
  const ran = await run(['redact', path]);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('sessionctl convert FILE | sessionctl redact');
});

describe('--redact of other commands', () => {
  const claude = readFileSync(join(projectRoot, 'fixtures/formats/claude-code/2.1.325/tools.jsonl'), 'utf8');
  const planted = claude.replaceAll('Change the port to 4000', `Use ${TOKEN}`);
  const version1 = readFileSync(join(projectRoot, 'fixtures/sessions/pi-version-1.jsonl'), 'utf8');

  it.each([
    ['a log of ours', log],
    ['a log of version 1', version1.replace(/"text":"/, `"text":"${TOKEN} `)],
    ['a log of Claude Code', planted],
  ])('takes secrets out of what is made of %s', async (_name, text) => {
    const path = fileWith(text);
    for (const argv of [
      ['export', '--tools', 'full'],
      ['export', '--format', 'html', '--all'],
      ['convert', '--to', 'pi'],
      ['convert', '--to', 'omp'],
      ['convert', '--to', 'atif'],
      ['convert', '--to', 'sts'],
    ]) {
      const ran = await run([...argv, '--redact', path]);
      expect(ran.stdout, argv.join(' ')).toContain('redacted:github-token:1');
      expect(ran.stdout + ran.stderr, argv.join(' ')).not.toContain(TOKEN);
      expect(ran.stderr).toContain('replaced: github-token');
    }
  });

  it('takes secrets out of texts that a conversion hands on without parsing them', async () => {
    const id = '00000000-0000-4000-8000-00000000000';
    const base = { sessionId: 's', cwd: '/w', version: '2.1.325', isSidechain: false, userType: 'external' };
    const time = '2026-01-01T00:00:00.000Z';
    const result = `${'x'.repeat(700_000)} ${TOKEN} ${'y'.repeat(700_000)}`;
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'cat' } };
    const records = [
      { type: 'user', uuid: `${id}1`, parentUuid: null, message: { role: 'user', content: 'Go.' } },
      {
        ...{ type: 'assistant', uuid: `${id}2`, parentUuid: `${id}1`, requestId: 'r' },
        message: { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [call], usage: {} },
      },
      {
        ...{ type: 'user', uuid: `${id}3`, parentUuid: `${id}2` },
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }] },
      },
    ];
    const text = records.map((record) => `${JSON.stringify({ ...base, timestamp: time, ...record })}\n`).join('');
    const ran = await run(['convert', '--redact', fileWith(text)]);
    // Not the texts themselves, which would fill the report of a failure.
    expect(ran.stdout.includes('redacted:github-token:1')).toBe(true);
    expect((ran.stdout + ran.stderr).includes(TOKEN)).toBe(false);
  });

  it('changes nothing but secrets', async () => {
    const [plain, redacted] = [
      await run(['convert'], { stdin: planted }),
      await run(['convert', '--redact'], { stdin: planted }),
    ];
    expect(redacted.stdout).toBe(plain.stdout.replaceAll(TOKEN, MARKER));
    expect(redacted.code).toBe(plain.code);
    const path = fileWith(HEADER + message('all is well'));
    const exports = [await run(['export', path]), await run(['export', '--redact', path])];
    expect(exports[1]?.stdout).toBe(exports[0]?.stdout);
  });

  it('counts what a file had for that file alone, also after one that came to nothing', async () => {
    const [secret, clean] = [
      fileWith(log, 'a.jsonl'),
      fileWith(HEADER.replace('"s"', '"t"') + message('x'), 'b.jsonl'),
    ];
    const copy = fileWith(log, 'c.jsonl');
    const folder = `${mkdtempSync(join(scratch, 'out-'))}/`;
    const { code, stderr } = await run(['convert', '--to', 'atif', '--redact', '-o', folder, secret, copy, clean]);
    expect(code).toBe(2);
    expect(stderr).toContain('a.jsonl: 2 secrets replaced: github-token 1, password 1');
    expect(stderr).toContain('b.jsonl: no secrets found');
  });

  it('goes without a log that is kept as it is', async () => {
    expect(await run(['convert', '--to', 'atif', '--embed', '--redact'], { stdin: log })).toMatchObject({ code: 2 });
  });
});

test('lists its kinds', async () => {
  const { stdout } = await run(['redact', '--list-kinds']);
  expect(stdout.split('\n')).toContain('github-token');
  expect(stdout.split('\n').length).toBeGreaterThan(100);
});

test('works as a built program in a pipe', async () => {
  expect(existsSync(join(projectRoot, 'dist'))).toBe(true);
  const ran = await spawnProgram(['redact'], { stdin: log });
  expect(ran.stdout).toContain(MARKER);
});
