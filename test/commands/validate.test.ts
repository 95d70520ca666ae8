import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { assistant, HEADER, result, user } from '../support/sessions.ts';
import { parseXml } from '../support/xml.ts';

const scratch = scratchFolder();
const healthy = HEADER + user('a', null) + assistant('b', 'a');
const broken = `${HEADER}${user('a', null)}{"type":"mess\n${assistant('b', 'gone')}`;

function file(name: string, content: string | Buffer): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
}

interface Sarif {
  readonly runs: readonly [
    {
      readonly invocations: readonly [
        {
          readonly executionSuccessful: boolean;
          readonly toolExecutionNotifications: readonly {
            readonly level: string;
            readonly message: { readonly text: string };
          }[];
        },
      ];
    },
  ];
}

const good = file('good.jsonl', healthy);
const bad = file('bad.jsonl', broken);

describe('validate', () => {
  it('finds nothing in a healthy log, ends with a summary on stderr and exits 0', async () => {
    const said = 'sessionctl: no problems found in 1 session (2 entries)\n';
    expect(await run(['validate', good])).toMatchObject({ code: 0, stdout: '', stderr: said });
    expect(await run(['validate', '--pass', good])).toMatchObject({ code: 0, stderr: said });
    expect(await run(['validate', good], { stdoutIsTerminal: true })).toMatchObject({ code: 0, stderr: '' });
    for (const format of ['json', 'github', 'sarif', 'junit']) {
      expect(await run(['validate', '--format', format, good])).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('reports every finding of a broken log, one greppable line each, and exits 1', async () => {
    const ran = await run(['validate', bad]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe(
      `${bad}:3: error: torn-line: the line ends before its object closes, after 13 bytes\n` +
        `${bad}:4: error: dangling-parent: parent 'gone' is not in this file\n`,
    );
  });

  it('finds the same in logs that are too small for a scanner, in those behind them, and without one', async () => {
    const many = Array.from({ length: 150 }, (_, at) => user(`e${at}`, at === 0 ? null : `e${at - 1}`)).join('');
    const logs = [file('small.jsonl', broken), file('large.jsonl', HEADER + many + broken.slice(HEADER.length))];
    const found = [{}, { SESSIONCTL_SCANNER: 'always' }, { SESSIONCTL_SCANNER: 'off' }].map((env) =>
      spawnProgram(['validate', '--jobs', '1', ...logs, ...logs], { env }),
    );
    const [automatic, always, off] = await Promise.all(found);
    expect(automatic?.stdout).toContain('large.jsonl:154: error: dangling-parent');
    expect(automatic).toEqual(off);
    expect(always).toEqual(off);
  });

  it('reads standard input where no FILE is given, and for -', async () => {
    expect((await run(['validate'], { stdin: broken })).stdout).toContain('-:3: error: torn-line');
    expect((await run(['validate', '-'], { stdin: broken })).stdout).toContain('-:3: error: torn-line');
  });

  it('refuses to read standard input twice', async () => {
    const ran = await run(['validate', '-', '-'], { stdin: HEADER });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain("pass '-' once");
  });

  it('exits 0 with warnings only, and 1 with --strict', async () => {
    const log = HEADER + user('a', null) + '\n';
    expect((await run(['validate'], { stdin: log })).code).toBe(0);
    const strict = await run(['validate', '--strict'], { stdin: log });
    expect(strict).toMatchObject({ code: 1, stdout: '-:3: error: blank-line: the line is blank\n' });
  });

  it('lets the levels of rules be changed one by one', async () => {
    expect((await run(['validate', '--rule', 'torn-line=off', '--rule', 'dangling-parent=warning', bad])).code).toBe(0);
    expect(await run(['validate', '--rule', 'torn-lin=off', bad])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown rule 'torn-lin'; did you mean 'torn-line'?"),
    });
    expect(await run(['validate', '--rule', 'torn-line=maybe', bad])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "'--rule torn-line=maybe' needs a level: torn-line=error, torn-line=warning or torn-line=off",
      ),
    });
  });

  it('shows at most so many findings as asked, counts on, and says how many more there were', async () => {
    const ran = await run(['validate', '--max-findings', '1', '--format', 'json', bad]);
    const records = ran.stdout.trimEnd().split('\n');
    expect(records.length).toBe(2);
    expect(JSON.parse(records[1] ?? '')).toMatchObject({ summary: { errors: 2, hidden: 1 } });
    const text = await run(['validate', '--max-findings', '1', bad], { stdoutIsTerminal: true });
    expect(text.stdout).toContain('1 finding not shown');
    for (const [most, errors] of Object.entries({ 0: '2 errors', 1: '1 error' })) {
      const reason = `${errors} not shown because of --max-findings`;
      const report = async (format: string): Promise<string> =>
        (await run(['validate', '--max-findings', most, '--format', format, bad])).stdout;
      expect(await report('github')).toContain(`::error::${reason}\n`);
      expect(JSON.parse(await report('sarif'))).toMatchObject({
        runs: [{ invocations: [{ toolExecutionNotifications: [{ level: 'error', message: { text: reason } }] }] }],
      });
    }
  });

  it('shows nothing with -q; the exit code tells', async () => {
    expect(await run(['validate', '-q', bad])).toMatchObject({ code: 1, stdout: '', stderr: '' });
  });

  it('hands the log on byte for byte with --pass, findings on stderr', async () => {
    const bytes = Buffer.concat([Buffer.from(broken), Buffer.from([0xff, 0x00, 0x0a]), Buffer.from('tail')]);
    const ran = await run(['validate', '--pass'], { stdin: bytes });
    expect(ran.stdoutBytes.equals(bytes)).toBe(true);
    expect(ran.stderr).toContain('-:3: error: torn-line');
    expect(ran.code).toBe(1);
  });

  it('hands on what is no session log too, says so and exits 2', async () => {
    const ran = await run(['validate', '--pass'], { stdin: 'hello\n'.repeat(1000) });
    expect(ran.stdout).toBe('hello\n'.repeat(1000));
    expect(ran.code).toBe(2);
  });

  it('checks several files, and a bad one does not stop the others', async () => {
    const ran = await run(['validate', join(scratch, 'missing.jsonl'), bad, good]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toBe(
      `sessionctl: ${join(scratch, 'missing.jsonl')}: no such file or folder; check the path\n` +
        "sessionctl: 2 errors in 2 sessions (4 entries); all can be fixed by 'sessionctl repair'; 1 file could not be checked\n",
    );
    expect(ran.stdout).toContain(`${bad}:3: error: torn-line`);
  });

  it('checks every *.jsonl below a folder, skips what is no session log, and follows no link in circles', async () => {
    const folder = join(scratch, 'tree');
    mkdirSync(join(folder, 'deeper'), { recursive: true });
    writeFileSync(join(folder, 'deeper', 'b.jsonl'), broken);
    writeFileSync(join(folder, 'a.jsonl'), healthy);
    writeFileSync(join(folder, 'other.jsonl'), '{"some":"json"}\n');
    writeFileSync(join(folder, 'notes.txt'), 'no log\n');
    symlinkSync('..', join(folder, 'deeper', 'up'));
    const ran = await run(['validate', '--format', 'json', folder]);
    expect(ran.code).toBe(1);
    const records = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.at(-1)).toMatchObject({ summary: { sessions: 2, skipped: 1, errors: 2 } });
    expect(records[0]).toMatchObject({ file: join(folder, 'deeper', 'b.jsonl'), line: 3, rule: 'torn-line' });
  });

  describe('of a folder without a session log of ours', () => {
    const folder = join(scratch, 'foreign');
    const transcript = '{"type":"session_start","id":"s","title":"t","owner":"ada","version":2,"cwd":"/w"}\n';
    mkdirSync(folder);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.jsonl`), transcript);
    writeFileSync(join(folder, 'd.jsonl'), 'hello\n');
    const said = 'no sessions checked: 3 Factory Droid sessions and 1 text file, not checked';
    const validate = (format: string, ...more: string[]) => run(['validate', '--format', format, folder, ...more]);

    it('says what was found there, and that nothing was checked', async () => {
      const skipped = ['a', 'b', 'c', 'd'].map((name) => `sessionctl: ${join(folder, `${name}.jsonl`)}: skipped: .*\n`);
      const named = expect.stringMatching(`^${skipped.join('')}sessionctl: ${said}\n$`) as string;
      expect(await validate('text')).toMatchObject({ code: 2, stdout: '', stderr: named });
      expect(await validate('text', '--jobs', '2')).toMatchObject({ code: 2, stdout: '', stderr: named });
      const quiet = { code: 2, stdout: '', stderr: `sessionctl: ${said}\n` };
      expect(await validate('text', '--quiet')).toMatchObject(quiet);
      expect(await run(['validate', folder], { stdoutIsTerminal: true, env: { NO_COLOR: '1' } })).toMatchObject({
        code: 2,
        stdout: `${said}\n`,
        stderr: expect.stringMatching(`^${skipped.join('')}$`) as string,
      });
      for (const format of ['json', 'github', 'sarif', 'junit']) {
        expect(await validate(format)).toMatchObject({ code: 2, stderr: `sessionctl: ${said}\n` });
      }
    });

    it('tells what was left out beside what was checked', async () => {
      expect((await validate('text', good)).stderr.split('\n').at(-2)).toBe(
        'sessionctl: no problems found in 1 session (2 entries); 3 Factory Droid sessions and 1 text file, not checked',
      );
    });

    it('names the first ten of many, and all of them with --all', async () => {
      const many = join(scratch, 'many-others');
      mkdirSync(many);
      for (let at = 10; at < 25; at++) writeFileSync(join(many, `${at}.jsonl`), transcript);
      const stderr = (await run(['validate', many])).stderr;
      expect(stderr.match(/: skipped: /g)).toHaveLength(10);
      expect(stderr).toContain('sessionctl: 5 skipped files not named here; --all names all\n');
      expect((await run(['validate', '--all', many])).stderr.match(/: skipped: /g)).toHaveLength(15);
    });

    it('names each file that was skipped or failed in the formats for programs, with the reason', async () => {
      const missing = join(scratch, 'nowhere.jsonl');
      const reason = expect.stringContaining('a Factory Droid session') as string;
      const failed = 'no such file or folder; check the path';
      const records = (await validate('json', missing)).stdout.trimEnd().split('\n');
      expect(records.map((line) => JSON.parse(line) as unknown)).toEqual([
        ...['a', 'b', 'c'].map((name) => ({ file: join(folder, `${name}.jsonl`), skipped: reason })),
        { file: join(folder, 'd.jsonl'), skipped: expect.stringContaining('plain text') as string },
        { file: missing, failed },
        { summary: expect.objectContaining({ sessions: 0, skipped: 4, failed: 1 }) as unknown },
      ]);
      const sarif = JSON.parse((await validate('sarif', missing)).stdout) as Sarif;
      const [invocation] = sarif.runs[0].invocations;
      expect(invocation.executionSuccessful).toBe(false);
      expect(invocation.toolExecutionNotifications.map(({ level, message }) => [level, message.text])).toEqual([
        ['error', failed],
        ...Array.from({ length: 3 }, () => ['note', reason]),
        ['note', expect.stringContaining('plain text')],
      ]);
      expect(JSON.parse((await validate('sarif')).stdout)).toMatchObject({
        runs: [{ invocations: [{ executionSuccessful: false }] }],
      });
      const suites = parseXml((await validate('junit', missing)).stdout).children;
      expect(suites.map((suite) => [suite.attributes['skipped'], suite.attributes['errors']])).toEqual([
        ...Array.from({ length: 4 }, () => ['1', '0']),
        ['0', '1'],
      ]);
      const [skipped] = suites[0]?.children.filter(({ name }) => name === 'testcase') ?? [];
      expect(skipped?.children[0]).toMatchObject({ name: 'skipped', text: reason });
      expect((await validate('github', missing)).stdout.split('\n')).toEqual([
        `::error file=${missing}::${failed}`,
        ...['a', 'b', 'c'].map(
          (name) => expect.stringMatching(`^::notice file=.*/${name}.jsonl::.*Factory Droid session`) as string,
        ),
        expect.stringMatching('^::notice file=.*/d.jsonl::.*plain text'),
        `::error::${said}; 1 file could not be checked`,
        '',
      ]);
    });
  });

  it.each([
    ['a folder without sessions', 'empty-folder', undefined, 'no session log found'],
    ['a missing file', 'nowhere.jsonl', undefined, 'no such file'],
    ['a session that is not read', 'droid.jsonl', '{"type":"session_start","id":"s","cwd":"/w"}\n', 'Factory Droid'],
    ['a JSON file', 'package.jsonl', '{\n  "name": "x"\n}\n', 'JSON'],
    ['a binary', 'binary.jsonl', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff]), 'binary'],
    ['plain text', 'text.jsonl', 'hello\nworld\n', 'plain text'],
    ['a log of the SDK harness', 'sdk.jsonl', '{"v":4,"kind":"header","id":"x"}\n', 'pi'],
  ])('tells %s in one clear line, checks nothing and exits 2', async (_what, name, content, said) => {
    const path = join(scratch, name);
    if (content !== undefined) writeFileSync(path, content);
    else if (name === 'empty-folder') mkdirSync(path, { recursive: true });
    const ran = await run(['validate', path]);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(
      /^sessionctl: [^\n]+\nsessionctl: no sessions checked(: 1 file could not be checked)?\n$/,
    );
    expect(ran.stderr).toContain(name);
    expect(ran.stderr).toContain(said);
  });

  it('takes an empty file for a log without a header', async () => {
    expect(await run(['validate', file('empty.jsonl', '')])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('missing-header: the file is empty'),
    });
  });

  it('tells a file that may not be read', async () => {
    if (process.getuid?.() === 0) return;
    const path = file('locked.jsonl', healthy);
    chmodSync(path, 0);
    expect(await run(['validate', path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('permission denied'),
    });
  });

  it('reports a line over the limit and still checks the lines after it', async () => {
    const log = HEADER + user('a', null, 'x'.repeat(5000)) + '{"torn\n';
    const ran = await run(['validate', '--max-line-bytes', '1000'], { stdin: log });
    expect(ran.stdout).toMatch(/^-:2: error: oversize-line: .*\n-:3: error: torn-line: /);
    const path = file('long-line.jsonl', log);
    expect((await run(['validate', '--max-line-bytes', '1000', path])).stdout).toBe(
      ran.stdout.replaceAll(/^-/gm, path),
    );
    expect(await run(['validate', '--max-line-bytes', '999999999999', good])).toMatchObject({ code: 2 });
  });

  it('explains a rule: why it matters, how it arises, what to do, with an example', async () => {
    const ran = await run(['validate', '--explain', 'dangling-parent']);
    for (const part of ['Why it matters', 'How it arises', 'What to do', 'Example', 'sessionctl repair'])
      expect(ran.stdout).toContain(part);
    expect(ran.stdout.split('\n').every((line) => line.length <= 110)).toBe(true);
    expect((await run(['validate', '--explain', 'nothing'])).code).toBe(2);
  });

  it('lists all rules with their levels', async () => {
    const ran = await run(['validate', '--list-rules']);
    expect(ran.stdout).toMatch(/^torn-line +error +/m);
    expect(ran.stdout).toMatch(/^inline-image +off +/m);
  });

  it('lists the rules that apply to the logs of one agent, with the levels that they have there', async () => {
    const claude = (await run(['validate', '--list-rules', '--from', 'claude-code'])).stdout;
    expect(claude).toMatch(/^no-conversation +error +/m);
    expect(claude).toMatch(/^not-json +warning +/m);
    expect(claude).not.toContain('missing-header');
    const native = (await run(['validate', '--list-rules', '--from', 'pi'])).stdout;
    expect(native).toMatch(/^not-json +error +/m);
    expect(native).not.toContain('no-conversation');
  });

  it('explains a rule with what the agents do, and how severe that is', async () => {
    const { stdout } = await run(['validate', '--explain', 'half-compaction']);
    expect(stdout).toMatch(/^half-compaction \(error, fixed by repair\): /);
    expect(stdout).toContain('In a Codex rollout (warning, fixed by repair --only)\n  Codex 0.166 puts');
    expect(stdout).toContain('In a Claude Code transcript (error, fixed by repair)\n  Without its summary');
  });

  it('explains a rule as it applies to the logs of one agent', async () => {
    const explain = async (from: string): Promise<string> =>
      (await run(['validate', '--explain', 'orphan-result', '--from', from])).stdout;
    expect(await explain('claude-code')).toMatch(/^orphan-result \(error, fixed by repair\): /);
    expect(await explain('claude-code')).not.toContain('Codex rollout');
    expect(await explain('pi')).toMatch(/^orphan-result \(warning\): /);
    expect(await explain('pi')).not.toContain('In a Claude Code transcript');
    const other = await run(['validate', '--explain', 'bad-cwd', '--from', 'codex']);
    expect(other.stdout).toMatch(/^bad-cwd \(off\): /);
  });

  it('gives every damage vector the findings that were checked by eye', async () => {
    const expected: Record<string, string[]> = {
      'l01-torn-tail': ['4 torn-line'],
      'l02-torn-mid-string': ['3 torn-line', '4 dangling-parent'],
      'l03-torn-mid-colon-1after': ['3 torn-line', '4 dangling-parent'],
      'l04-torn-mid-colon-2after': ['3 torn-line', '4 dangling-parent'],
      'l05-concat': ['2 glued-entries'],
      'l06-torn-glued': ['3 glued-entries', '3 dangling-parent'],
      'l07-nul-run': ['3 nul-bytes'],
      'l08-nul-glued': ['3 nul-bytes'],
      'l09-bom': ['1 byte-order-mark'],
      'l10-crlf': [],
      'l11-blank-lines': ['1 blank-line', '2 blank-line', '4 blank-line', '6 blank-line', '8 blank-line'],
      'l12-header-torn': ['1 torn-line', '1 missing-header'],
      'l13-header-second': ['2 late-header'],
      'l14-empty': ['1 missing-header'],
      'l15-garbage-only': [],
      'l16-no-final-newline': ['3 missing-final-newline'],
      'l17-pretty': [
        '1 torn-line',
        '2 not-json',
        '3 not-json',
        '4 not-json',
        '5 not-json',
        '6 not-json',
        '7 not-json',
        '1 missing-header',
      ],
      'l18-null-prims': ['2 not-an-object', '3 not-an-object', '4 not-an-object', '5 not-an-object'],
      'l19-header-id-number': ['1 bad-header'],
      'l20-merge-conflict': ['2 not-json', '4 not-json', '6 not-json'],
      'l21-title-slot': [],
      'l22-trailing-garbage-after-json': ['2 glued-entries'],
      'l23-js-comment': ['2 not-json'],
      'l24-leading-garbage-before-header': ['1 not-json'],
      'l25-invalid-utf8': ['3 invalid-utf8', '3 bad-timestamp'],
    };
    for (const [name, findings] of Object.entries(expected)) {
      const ran = await run(['validate', '--format', 'json', `fixtures/vectors/damage/${name}.jsonl`]);
      const found = ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter((one) => 'rule' in one)
        .map((one) => `${one.line} ${one.rule}`);
      expect({ name, found }).toEqual({ name, found: findings });
      expect(ran.code).toBe(
        name === 'l15-garbage-only' ? 2 : findings.some((one) => !/blank|timestamp/.test(one)) ? 1 : 0,
      );
    }
  });

  it('works beside jq in a real pipe', async () => {
    const jq = await spawnCommand('bash', ['-c', 'command -v jq']);
    if (jq.code !== 0) return console.warn('skipped: jq is not installed');
    const ran = await spawnCommand(
      'bash',
      ['-c', `node bin/sessionctl.js validate --format json "$1" | jq -r 'select(.severity=="error").rule'`, 'x', bad],
      {
        cwd: projectRoot,
      },
    );
    expect(ran.stdout).toBe('torn-line\ndangling-parent\n');
  });

  it('ends at once and quietly when its reader goes away', async () => {
    const many = file('many.jsonl', HEADER + '{"torn\n'.repeat(200_000));
    const ran = await spawnCommand(
      'bash',
      ['-c', 'set -o pipefail; node bin/sessionctl.js validate "$1" | head -1; echo $?', 'x', many],
      {
        cwd: projectRoot,
      },
    );
    expect(ran.stdout).toBe(`${many}:2: error: torn-line: the line ends before its object closes, after 6 bytes\n1\n`);
    expect(ran.stderr).toBe('');
  });

  it('gives the same through the built program as in process', async () => {
    const spawned = await spawnProgram(['validate', bad, good]);
    const inProcess = await run(['validate', bad, good]);
    expect([spawned.code, spawned.stdout, spawned.stderr]).toEqual([
      inProcess.code,
      inProcess.stdout,
      inProcess.stderr,
    ]);
  });

  it('finds no error in a log with calls, results and several branches', async () => {
    const log =
      HEADER +
      user('a', null) +
      assistant('b', 'a', ['t']) +
      result('c', 'b', 't') +
      assistant('d', 'c') +
      user('e', 'a');
    expect(await run(['validate'], { stdin: log })).toMatchObject({ code: 0, stdout: '' });
  });

  it('has healthy sessions of its own to check', async () => {
    const ran = await run(['validate', '--strict', '--format', 'json', 'fixtures/sessions']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).summary.sessions).toBeGreaterThan(0);
  });
});

describe('validate of many files', () => {
  it('tells the same in the same order, however many threads check them', async () => {
    const folder = join(scratch, 'many');
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < 60; at++) {
      const extra = at % 7 === 0 ? '{"torn\n' : at % 11 === 0 ? '\n' : '';
      writeFileSync(
        join(folder, `s${String(at).padStart(3, '0')}.jsonl`),
        HEADER + user('a', null, 'x'.repeat(at * 1000)) + extra,
      );
    }
    writeFileSync(join(folder, 'x.jsonl'), 'no log\n');
    const operands = [folder, join(scratch, 'missing.jsonl'), bad];
    const [one, two, many] = await Promise.all(
      ['1', '2', '5'].map((jobs) => spawnProgram(['validate', '--jobs', jobs, '--format', 'json', ...operands])),
    );
    expect(one?.stdout.split('\n').length).toBeGreaterThan(10);
    for (const ran of [two, many])
      expect([ran?.code, ran?.stdout, ran?.stderr]).toEqual([one?.code, one?.stdout, one?.stderr]);
    expect(one?.code).toBe(2);
  });

  it('waits with the small files behind a large one until that is reported', async () => {
    const folder = join(scratch, 'one-large');
    mkdirSync(folder, { recursive: true });
    const large = Array.from({ length: 4_000 }, (_, at) =>
      at % 50 === 0 ? '{"torn\n' : user(`a${at}`, at === 1 ? null : 'a1'),
    );
    writeFileSync(join(folder, 'a.jsonl'), HEADER + large.join(''));
    for (let at = 0; at < 300; at++) writeFileSync(join(folder, `b${at}.jsonl`), `${HEADER}{"torn\n`);
    const [one, two, four] = await Promise.all(
      ['1', '2', '4'].map((jobs) => spawnProgram(['validate', '--jobs', jobs, '--format', 'json', folder])),
    );
    expect(one?.stdout.split('\n').length).toBeGreaterThan(380);
    for (const ran of [two, four]) expect([ran?.code, ran?.stdout, ran?.stderr]).toEqual([1, one?.stdout, '']);
  });

  it('checks blobs and levels in other threads too', async () => {
    const options = ['--blobs', 'fixtures/rules/missing-blob/blobs', '--rule', 'torn-line=warning'];
    const operands = [join('fixtures', 'rules', 'missing-blob', 'bad.jsonl'), bad];
    const [one, two] = await Promise.all(
      ['1', '2'].map((jobs) =>
        spawnProgram(['validate', '--jobs', jobs, ...options, ...operands], { cwd: projectRoot }),
      ),
    );
    expect(one?.stdout).toContain('missing-blob');
    expect(one?.stdout).toContain('warning: torn-line');
    expect(two?.stdout).toBe(one?.stdout);
  });
});
