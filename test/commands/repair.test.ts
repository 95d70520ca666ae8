import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChangeRecord, QuarantineRecord } from '../../src/repair/index.ts';
import { readRecords, rebuildInput } from '../support/rebuild.ts';
import { projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const vector = (name: string): string => join(projectRoot, 'fixtures', 'vectors', 'damage', `${name}.jsonl`);
const repaired = (name: string): string =>
  readFileSync(join(projectRoot, 'fixtures', 'repair', name, 'repaired.jsonl'), 'utf8');
const TORN = 'l02-torn-mid-string';
const GLUED = 'l05-concat';

let folders = 0;
function folder(): string {
  const path = join(scratch, String(folders++));
  mkdirSync(path);
  return path;
}

/** A file of its own with the content of a vector. */
function copyOf(name: string, mode = 0o640): string {
  const path = join(folder(), 'log.jsonl');
  copyFileSync(vector(name), path);
  chmodSync(path, mode);
  return path;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const quarantined = (path: string): (QuarantineRecord & { file: string })[] => readRecords(readFileSync(path, 'utf8'));

describe('sessionctl repair FILE', () => {
  it('writes the repaired log to standard output, tells each change, and makes no other file', async () => {
    const file = copyOf(TORN);
    const ran = await run(['repair', file]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(repaired(TORN));
    expect(ran.stderr).toBe(
      [
        `sessionctl: ${file}:3: torn-line: moved 60 bytes to quarantine`,
        `sessionctl: ${file}:4: dangling-parent: reattached the entry to 'a'`,
        `sessionctl: ${file}: 2 changes`,
        '',
      ].join('\n'),
    );
    expect(readdirSync(join(file, '..'))).toEqual(['log.jsonl']);
  });

  it('hands a log without an error on as it is, and says nothing', async () => {
    const ran = await run(['repair', vector('l10-crlf')]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdoutBytes.equals(readFileSync(vector('l10-crlf')))).toBe(true);
  });

  it('says on a terminal that there is nothing to fix, of one file', async () => {
    const file = join(scratchFolder(), 'sound.jsonl');
    copyFileSync('fixtures/sessions/pi-branches.jsonl', file);
    const ran = await run(['repair', '-i', file], { stderrIsTerminal: true });
    expect(ran).toMatchObject({ code: 0, stderr: `sessionctl: ${file}: no errors, nothing to fix\n` });
    expect(await run(['repair', '-i', file, file], { stderrIsTerminal: true })).toMatchObject({ code: 0, stderr: '' });
  });

  it('keeps what leaves in the quarantine that was named, with the mode of the input', async () => {
    const file = copyOf(TORN, 0o600);
    const quarantine = join(file, '..', 'lost');
    const ran = await run(['repair', '--quarantine', quarantine, file]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`2 changes, 1 piece in '${quarantine}'`);
    expect(quarantined(quarantine)).toEqual([
      {
        file,
        line: 3,
        offset: 300,
        length: 61,
        rule: 'torn-line',
        raw: '{"type": "message", "id": "b", "parentId": "a", "timestamp":\n',
      },
    ]);
    expect(modeOf(quarantine)).toBe(0o600);
  });

  it('writes each change to the report, from which the input can be rebuilt', async () => {
    const file = copyOf(TORN, 0o600);
    const report = join(file, '..', 'report');
    const ran = await run(['repair', '--report', report, file]);
    const changes = readRecords<ChangeRecord>(readFileSync(report, 'utf8'));
    expect(changes).toHaveLength(2);
    expect(changes[1]).toEqual({
      line: 4,
      offset: 404,
      length: 3,
      rule: 'dangling-parent',
      action: 'rewritten',
      out: { offset: 343, length: 3 },
      raw: '"b"',
      idBefore: 'b',
      idAfter: 'a',
    });
    expect(rebuildInput(ran.stdoutBytes, changes, []).equals(readFileSync(file))).toBe(true);
    expect(modeOf(report)).toBe(0o600);
  });

  it('lists what it cannot repair and exits 1', async () => {
    const file = join(folder(), 'log.jsonl');
    writeFileSync(file, readFileSync(vector(GLUED), 'utf8').replace('"version": 3', '"version": 4'));
    const ran = await run(['repair', '--from', 'pi', file]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`${file}:1: unknown-version: not fixed\n`);
    expect(ran.stderr).toContain(`${file}: 1 change, 1 error not fixed\n`);
    expect(ran.stdout.split('\n')).toHaveLength(5);
  });

  it('makes a log of an empty file only if it is told whose', async () => {
    const empty = vector('l14-empty');
    expect(await run(['repair', empty])).toMatchObject({ code: 1, stdout: '' });
    expect((await run(['repair', empty])).stderr).toContain(
      `${empty}: is empty, so its agent is unknown; --from pi or omp writes a header\n`,
    );
    const found = await run(['validate', '--format', 'json', empty]);
    expect(JSON.parse(found.stdout.split('\n', 1)[0] ?? '')).toMatchObject({ rule: 'missing-header', fixable: false });
    const ran = await run(['repair', '--from', 'pi', empty]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ type: 'session', version: 3, cwd: '', rebuiltBy: 'sessionctl' });
    for (const from of ['claude-code', 'codex'])
      expect(await run(['repair', '--from', from, empty])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('sessionctl repair -i', () => {
  it('replaces the file, keeps its mode and a backup, and what left in FILE.quarantine', async () => {
    const file = copyOf(TORN, 0o640);
    const before = readFileSync(file);
    const ran = await run(['repair', '-i', '--backup', file]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe('');
    expect(readFileSync(file, 'utf8')).toBe(repaired(TORN));
    expect(modeOf(file)).toBe(0o640);
    expect(readFileSync(`${file}.bak`).equals(before)).toBe(true);
    expect(quarantined(`${file}.quarantine`)).toHaveLength(1);
    expect(modeOf(`${file}.quarantine`)).toBe(0o640);
    expect(readdirSync(join(file, '..')).sort()).toEqual(['log.jsonl', 'log.jsonl.bak', 'log.jsonl.quarantine']);
  });

  it('makes no quarantine where nothing leaves', async () => {
    const file = copyOf(GLUED);
    expect((await run(['repair', '-i', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(repaired(GLUED));
    expect(readdirSync(join(file, '..'))).toEqual(['log.jsonl']);
  });

  it('does not touch a file that needs no repair', async () => {
    const file = copyOf('l10-crlf');
    utimesSync(file, 1_000_000, 1_000_000);
    expect(await run(['repair', '-i', file])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(statSync(file).mtimeMs).toBe(1_000_000_000);
  });

  it('appends to a quarantine that is there, never into a record that was cut off, and narrows its mode', async () => {
    const file = copyOf(TORN, 0o600);
    writeFileSync(`${file}.quarantine`, '{"file":"an older one"}\n{"cut of', { mode: 0o644 });
    expect((await run(['repair', '-i', file])).code).toBe(0);
    const lines = readFileSync(`${file}.quarantine`, 'utf8').split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"file":"an older one"}', '{"cut of']);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ rule: 'torn-line', line: 3 });
    expect(modeOf(`${file}.quarantine`)).toBe(0o600);
  });

  it('repairs several files, and goes on where one of them is no log', async () => {
    const first = copyOf(TORN);
    const second = copyOf(GLUED);
    const ran = await run(['repair', '-i', first, vector('l15-garbage-only'), second]);
    expect(ran.code).toBe(2);
    expect(readFileSync(first, 'utf8')).toBe(repaired(TORN));
    expect(readFileSync(second, 'utf8')).toBe(repaired(GLUED));
  });
});

describe('sessionctl repair of a link', () => {
  it.each(['-i', '-o'])(
    'puts the quarantine beside the file that it writes, not beside the link, with %s',
    async (option) => {
      const file = copyOf(TORN);
      const links = folder();
      const link = join(links, 'link.jsonl');
      symlinkSync(file, link);
      const ran = await run(
        option === '-i' ? ['repair', '-i', '--backup', link] : ['repair', vector(TORN), '-o', link],
      );
      expect(ran.code).toBe(0);
      expect(readdirSync(links)).toEqual(['link.jsonl']);
      expect(readFileSync(file, 'utf8')).toBe(repaired(TORN));
      expect(quarantined(`${realpathSync(file)}.quarantine`)).toHaveLength(1);
      expect(ran.stderr).toContain(`in '${realpathSync(file)}.quarantine'`);
    },
  );
});

describe('sessionctl repair -o', () => {
  it('writes there, and what left to OUT.quarantine', async () => {
    const out = join(folder(), 'out.jsonl');
    expect((await run(['repair', vector(TORN), '-o', out])).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(repaired(TORN));
    expect(quarantined(`${out}.quarantine`)).toHaveLength(1);
  });

  it('puts no quarantine beside a device', async () => {
    const ran = await run(['repair', vector(TORN), '-o', '/dev/null']);
    expect(ran.code).toBe(0);
    expect(existsSync('/dev/null.quarantine')).toBe(false);
  });
});

describe('sessionctl repair < FILE', () => {
  it.each(['--report', '--quarantine'])(
    'refuses to write what %s names over the file that it reads',
    async (option) => {
      const file = `${copyOf(TORN)}.log`;
      writeFileSync(file, readFileSync(vector(TORN)));
      const program = join(projectRoot, 'bin', 'sessionctl.js');
      const ran = await spawnCommand('bash', ['-c', `node ${program} repair ${option} ${file} < ${file}`]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain(`is '/dev/stdin' itself; choose another file with ${option}`);
      expect(readFileSync(file).equals(readFileSync(vector(TORN)))).toBe(true);
    },
  );

  it.each(['--report', '--quarantine'])('takes no dash for %s, which would be a file of that name', async (option) => {
    const cwd = folder();
    const ran = await spawnProgram(['repair', option, '-', vector(TORN)], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`'-' is no file for ${option}; pass a name, or './-'`);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('takes /dev/null for a report where nothing comes from it', async () => {
    const ran = await spawnProgram(['repair', '--report', '/dev/null', vector(TORN)]);
    expect(ran.code, ran.stderr).toBe(0);
  });
});

describe('sessionctl repair -n', () => {
  it('writes nothing but the report, and exits 1 where something would change', async () => {
    const file = copyOf(TORN);
    const report = join(file, '..', 'report');
    const ran = await run(['repair', '-n', '--quarantine', `${file}.q`, '--report', report, file]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain(`${file}:3: torn-line: would have moved 60 bytes to quarantine`);
    expect(ran.stderr).toContain(`${file}: 2 changes, not made\n`);
    expect(ran.stderr).toContain(`${file}: would change`);
    expect(readFileSync(file).equals(readFileSync(vector(TORN)))).toBe(true);
    expect(readdirSync(join(file, '..')).sort()).toEqual(['log.jsonl', 'report']);
    expect(readRecords<ChangeRecord>(readFileSync(report, 'utf8'))[0]).toHaveProperty('raw');
  });

  it('says of every kind of change what it would have done', async () => {
    const folders = ['rules', 'repair'].map((name) => join(projectRoot, 'fixtures', name));
    const { stderr } = await run(['repair', '-n', '--settle-tools', ...folders]);
    const changes = stderr.match(/(?<=jsonl:\d+: [a-z-]+: )(?!not fixed).*/g) ?? [];
    expect(changes.length).toBeGreaterThan(100);
    for (const words of changes) expect(words).toMatch(/^would have (\w+ed|left|made|set|split) /);
  });

  it('exits 0 where nothing would', async () => {
    expect(await run(['repair', '--check', vector('l10-crlf'), vector('l11-blank-lines')])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('asks for no quarantine of what comes from standard input', async () => {
    expect((await run(['repair', '-n'], { stdin: readFileSync(vector(TORN)) })).code).toBe(1);
  });
});

describe('sessionctl repair from standard input', () => {
  it('refuses to lose what has to leave, before it writes anything', async () => {
    const ran = await run(['repair'], { stdin: readFileSync(vector(TORN)) });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('--quarantine FILE');
  });

  it('keeps it in a private file where one is named', async () => {
    const quarantine = join(folder(), 'lost');
    const ran = await run(['repair', '--quarantine', quarantine, '-'], { stdin: readFileSync(vector(TORN)) });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(repaired(TORN));
    expect(quarantined(quarantine)[0]).toMatchObject({ file: '-', line: 3 });
    expect(modeOf(quarantine)).toBe(0o600);
  });

  it('needs none where nothing leaves', async () => {
    const ran = await run(['repair'], { stdin: readFileSync(vector(GLUED)) });
    expect(ran).toMatchObject({ code: 0, stdout: repaired(GLUED) });
  });
});

describe('a log in which no line is whole', () => {
  it('is repaired where it was printed, and where it lost its line ends, which validate finds too', async () => {
    const log = HEADER + user('a', null) + user('b', 'a');
    const lines = log.trimEnd().split('\n');
    const printed = lines.map((line) => `${JSON.stringify(JSON.parse(line), null, 2)}\n`).join('');
    const joined = await run(['repair'], { stdin: printed });
    expect(joined.stdout.split('\n').map((line) => (line === '' ? '' : JSON.stringify(JSON.parse(line))))).toEqual([
      ...lines,
      '',
    ]);
    for (const between of ['', '\r']) {
      expect(await run(['repair'], { stdin: lines.join(between) })).toMatchObject({ code: 0 });
      const found = await run(['validate'], { stdin: lines.join(between) });
      expect(found.code).toBe(1);
      expect(found.stdout).toContain('glued-entries');
      expect(found.stdout).not.toContain('missing-header');
    }
  });
});

describe('what repair refuses', () => {
  it.each([
    ['JSON', '{\n  "messages": [],\n  "title": "x"\n}\n'],
    [
      'an array of entries, printed',
      JSON.stringify([JSON.parse(HEADER), JSON.parse(user('a', null)), JSON.parse(user('b', 'a'))], null, 2),
    ],
    ['binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0xff, 0xfe, 0x0a, 0, 0])],
    ['text', 'hello\nworld\n'],
  ])('another kind of file is named and stays as it is: %s', async (_kind, content) => {
    const file = join(folder(), 'other.jsonl');
    writeFileSync(file, content);
    utimesSync(file, 1_000_000, 1_000_000);
    const ran = await run(['repair', '-i', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^sessionctl: \S+: not a supported session log \(looks like .+\).*\n$/);
    expect(statSync(file).mtimeMs).toBe(1_000_000_000);
    expect(readdirSync(join(file, '..'))).toEqual(['other.jsonl']);
  });

  it('is not said to be another log than that of pi or omp where those of other agents are taken too', async () => {
    const file = join(folder(), 'notes.txt');
    writeFileSync(file, 'hello\nworld\n');
    const reason = `sessionctl: ${file}: not a supported session log (looks like plain text); 'sessionctl formats' lists those that are\n`;
    for (const command of ['repair', 'validate', 'log'])
      expect((await run([command, file])).stderr.startsWith(reason), command).toBe(true);
    expect((await run(['migrate', file])).stderr).toContain('not a pi or omp session log (looks like plain text)');
  });

  it('a file with 256 lines that are nothing of ours, whatever follows', async () => {
    const ran = await run(['repair', '--quarantine', join(folder(), 'q')], {
      stdin: `${'nothing\n'.repeat(256)}${readFileSync(vector(GLUED), 'utf8')}`,
    });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    const later = await run(['repair', '--quarantine', join(folder(), 'q')], {
      stdin: `${'nothing\n'.repeat(255)}${readFileSync(vector(GLUED), 'utf8')}`,
    });
    expect(later).toMatchObject({ code: 0, stdout: repaired(GLUED) });
  });

  it.each([
    [['--quarantine', 'lost.jsonl'], /must not end in '.jsonl'/],
    [['--only', 'torn-lines'], /unknown rule or group 'torn-lines'; did you mean 'torn-line'/],
    [['--only', 'unanswered-call'], /does not fix 'unanswered-call'.*--settle-tools/],
    [['--only', 'unknown-version'], /does not fix 'unknown-version'/],
  ])('%j', async (options, message) => {
    const ran = await run(['repair', ...options, vector(TORN)]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });

  it('a quarantine or report that is the input, the output or the other one', async () => {
    const place = folder();
    const file = join(place, 'log');
    const before = readFileSync(vector(TORN));
    writeFileSync(file, before);
    const out = join(place, 'out');
    for (const options of [
      ['--quarantine', join(place, '.', 'log')],
      ['-i', '--report', file],
      ['-o', out, '--quarantine', out],
      ['-o', out, '--report', `${out}.quarantine`],
    ]) {
      const ran = await run(['repair', ...options, file]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toMatch(/ itself; choose another file with --(quarantine|report)\n$/);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(place)).toEqual(['log']);
  });

  it('one report for several files, and a folder', async () => {
    expect((await run(['repair', '-n', '--report', join(folder(), 'r'), vector(TORN), vector(GLUED)])).code).toBe(2);
    const ran = await run(['repair', scratch]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('is a folder');
  });

  it('--settle-tools on a log of version 1, and names it', async () => {
    const file = join(projectRoot, 'fixtures', 'repair', 'v1-second-header', 'damaged.jsonl');
    const ran = await run(['repair', '--settle-tools', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${file}: a version 1 log`);
  });
});

it('leaves the file alone where the quarantine cannot be written', async () => {
  const file = copyOf(TORN);
  const ran = await run(['repair', '-i', '--quarantine', join(file, '..', 'nowhere', 'lost'), file]);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('nowhere/lost: no such folder; make it first');
  expect(readFileSync(file).equals(readFileSync(vector(TORN)))).toBe(true);
  expect(readdirSync(join(file, '..'))).toEqual(['log.jsonl']);
});

it('repairs only what --only names', async () => {
  const ran = await run(['repair', '--only', 'dangling-parent', '--only', 'blank-line', vector('l06-torn-glued')]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('glued-entries: not fixed');
  const blank = await run(['repair', '--only', 'blank-line', vector('l11-blank-lines')]);
  expect(blank.code).toBe(0);
  expect(blank.stdout.split('\n')).toHaveLength(4);
});

it('exits 0 where the other error of the log went with the line that it fixed', async () => {
  const input = join(projectRoot, 'fixtures', 'repair', 'mark-on-blank-line', 'damaged.jsonl');
  const ran = await run(['repair', '--only', 'blank-line', input]);
  expect(ran.stderr).toBe(
    `sessionctl: ${input}:1: blank-line: removed the blank line\nsessionctl: ${input}: 1 change\n`,
  );
  expect(ran.code).toBe(0);
  expect((await run(['validate', '-q', '-'], { stdin: Buffer.from(ran.stdout) })).code).toBe(0);
});

describe('the program as a process', () => {
  it('repairs in the middle of a pipe', async () => {
    const v1 = join(projectRoot, 'fixtures', 'repair', 'v1-second-header', 'damaged.jsonl');
    const quarantine = join(folder(), 'lost');
    const program = `node ${join(projectRoot, 'bin', 'sessionctl.js')}`;
    const ran = await spawnCommand('bash', [
      '-c',
      `set -o pipefail; ${program} repair --quarantine ${quarantine} < ${v1} | ${program} migrate | ${program} validate --pass | wc -l`,
    ]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.trim()).toBe('5');
  });

  it('tells on standard error and ends quietly when nobody reads on', async () => {
    const ran = await spawnProgram(['repair', vector(TORN)]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(repaired(TORN));
    const big = join(folder(), 'big.jsonl');
    const line =
      '{"type":"custom","id":"ID","parentId":null,"timestamp":"2026-04-01T08:00:01.000Z","customType":"x"}\n';
    const head = readFileSync(vector(GLUED), 'utf8');
    writeFileSync(big, head + Array.from({ length: 30_000 }, (_, at) => line.replace('ID', `n${at}`)).join(''));
    const piped = await spawnCommand('bash', [
      '-c',
      `node ${join(projectRoot, 'bin', 'sessionctl.js')} repair ${big} | head -n 1 | wc -l`,
    ]);
    expect(piped.stdout.trim()).toBe('1');
    expect(piped.stderr).not.toMatch(/Error|EPIPE/);
  });
});
