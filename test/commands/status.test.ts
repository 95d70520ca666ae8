import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DialectDetector } from '../../src/entries/dialect.ts';
import type { Status } from '../../src/status/types.ts';
import { projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = join(projectRoot, 'fixtures/status');
const scratch = scratchFolder();

/** One row for each boundary that a native log can show: the fixture, the verdict, the state. */
const ROWS: readonly (readonly [fixture: string, verdict: string, state: string])[] = [
  ['header-only', 'ready', 'no-assistant-yet'],
  ['no-assistant-yet', 'ready', 'no-assistant-yet'],
  ['user-last', 'ready', 'user-last'],
  ['stable-stop', 'ready', 'stable'],
  ['stable-answered', 'ready', 'stable'],
  ['version-1', 'ready', 'stable'],
  ['intent-only-read', 'ready', 'intent-only'],
  ['intent-only-write', 'check', 'intent-only'],
  ['intent-without-markers', 'confirm', 'started'],
  ['approved-not-started', 'confirm', 'approved-not-started'],
  ['started-pure', 'ready', 'started'],
  ['started-read', 'ready', 'started'],
  ['started-ask-user', 'confirm', 'started'],
  ['started-network', 'check', 'started'],
  ['started-workspace-write', 'confirm', 'started'],
  ['started-process', 'confirm', 'started'],
  ['started-external-write', 'confirm', 'started'],
  ['started-delegated', 'confirm', 'started'],
  ['started-unknown', 'confirm', 'started'],
  ['finished-no-observation', 'check', 'finished-no-observation'],
  ['partially-answered', 'confirm', 'partially-answered'],
  ['result-off-path', 'confirm', 'started'],
  ['synthetic-after-marker', 'ready', 'stable'],
  ['earlier-unanswered', 'check', 'unknown'],
  ['interrupted-turn', 'confirm', 'interrupted'],
  ['interrupted-turn-answered-by-user', 'ready', 'user-last'],
  ['interrupted-tool', 'confirm', 'interrupted'],
  ['interrupted-command', 'confirm', 'interrupted'],
  ['timed-out-command', 'ready', 'stable'],
  ['skipped-for-queued-message', 'check', 'interrupted'],
  ['provider-error-transient', 'ready', 'provider-error'],
  ['provider-error-context', 'confirm', 'provider-error'],
  ['provider-error-auth', 'confirm', 'provider-error'],
  ['provider-error-refusal', 'confirm', 'provider-error'],
  ['provider-error-unknown', 'confirm', 'provider-error'],
  ['provider-error-with-calls', 'check', 'provider-error'],
  ['output-cut-calls', 'blocked', 'output-cut'],
  ['output-cut-text', 'check', 'output-cut'],
  ['deferred', 'confirm', 'deferred'],
  ['unknown-stop', 'check', 'unknown'],
  ['permission-denied', 'confirm', 'permission-denied'],
  ['permission-blocked', 'confirm', 'permission-denied'],
  ['permission-denied-earlier', 'ready', 'stable'],
  ['budget-exhausted', 'confirm', 'budget-exhausted'],
  ['budget-goal-limit', 'confirm', 'budget-exhausted'],
  ['compaction-whole', 'ready', 'stable'],
  ['compaction-dangling', 'blocked', 'compaction-half'],
  ['compaction-no-summary', 'blocked', 'compaction-half'],
  ['background-command', 'check', 'background-process'],
  ['background-result', 'check', 'background-process'],
  ['user-command-open', 'check', 'background-process'],
  ['exit-normal', 'ready', 'stable'],
  ['killed-stable', 'check', 'process-killed'],
  ['killed-read', 'check', 'process-killed'],
  ['killed-process', 'blocked', 'started'],
  ['killed-and-taken-up', 'ready', 'stable'],
  ['damaged-tail', 'blocked', 'damaged'],
  ['damaged-no-newline', 'blocked', 'damaged'],
  ['damaged-missing-parent', 'blocked', 'damaged'],
  ['damaged-cycle', 'blocked', 'damaged'],
  ['damaged-version', 'blocked', 'damaged'],
  ['damaged-no-header', 'blocked', 'damaged'],
  ['damaged-line-elsewhere', 'check', 'damaged'],
];

function fixture(name: string): string {
  return join(folder, `${name}.jsonl`);
}

async function statusOf(file: string, ...more: string[]): Promise<Status> {
  const ran = await run(['status', file, '--json', ...more]);
  expect(ran.stdout, ran.stderr).not.toBe('');
  return JSON.parse(ran.stdout) as Status;
}

it('does not say of a call that was not started that it may have run', async () => {
  const { stdout } = await run(['status', join(folder, 'interrupted-turn-answered-by-user.jsonl')]);
  expect(stdout).toContain('why: 1 call without a result (bash), not started as far as the log shows (line 4)');
  expect(stdout).not.toContain('may have run');
});

it('blocks a version 1 log with a damaged line before the leaf, for there every line is on the path', async () => {
  const [header, first, ...rest] = readFileSync(join(folder, 'version-1.jsonl'), 'utf8').split('\n');
  const file = join(mkdtempSync(join(scratch, 'v1-')), 'f.jsonl');
  writeFileSync(file, [header, first, '{"type":"message","mess', ...rest].join('\n'));
  const { code, stdout } = await run(['status', '--json', file]);
  expect({ code, ...(JSON.parse(stdout) as Status) }).toMatchObject({ code: 1, verdict: 'blocked', state: 'damaged' });
});

describe('sessionctl status', () => {
  it('has a row for every fixture', () => {
    expect(ROWS.map(([name]) => `${name}.jsonl`).sort()).toEqual(readdirSync(folder).sort());
  });

  it.each(ROWS)('judges %s as %s (%s), and exits 0 only where it is ready', async (name, verdict, state) => {
    const ran = await run(['status', fixture(name), '--json']);
    const status = JSON.parse(ran.stdout) as Status;
    expect([status.verdict, status.state]).toEqual([verdict, state]);
    expect(ran.code).toBe(verdict === 'ready' ? 0 : 1);
  });

  it.each(ROWS)(
    'says what it must about %s: all keys, a reason for the verdict, nothing unknown made known',
    async (name, verdict) => {
      const status = await statusOf(fixture(name));
      for (const key of [
        'session',
        'leafId',
        'pending',
        'denials',
        'lastStableEntryId',
        'checklist',
        'evidence',
        'limits',
      ]) {
        expect(Object.keys(status)).toContain(key);
      }
      expect(status.reasons.some((reason) => reason.verdict === verdict)).toBe(true);
      const checklist = new Map(status.checklist.map((item) => [item.item, item.value]));
      expect(checklist.size).toBe(11);
      expect(checklist.get('no unpersisted events')).toMatch(/^(?:unknown|no)$/);
      for (const item of ['permission still valid', 'budget left', 'external world unchanged', 'workspace matches']) {
        expect(checklist.get(item)).toBe('unknown');
      }
      expect(status.limits[0]).toContain('cannot see processes, approvals or remote systems');
    },
  );

  it('tells a person the same in at most ten lines', async () => {
    for (const [name, verdict] of ROWS) {
      const ran = await run(['status', fixture(name)]);
      const lines = ran.stdout.trimEnd().split('\n');
      expect(lines[0]).toMatch(new RegExp(`^${verdict}: `));
      expect(lines.length, name).toBeLessThanOrEqual(10);
    }
  });

  it('lists what is unknown with -v', async () => {
    const ran = await run(['status', '-v', fixture('header-only')]);
    expect(ran.stdout).toContain('\n  unknown: ');
    expect(ran).toEqual(await run(['status', '--verbose', fixture('header-only')]));
  });

  it('names the handle of an answer that the provider deferred', async () => {
    const { reasons } = await statusOf(fixture('deferred'));
    expect(reasons[0]?.reason).toContain('the provider deferred its answer (resp_68a1 of anthropic/claude-sonnet-4-5)');
    expect((await run(['validate', '--strict', fixture('deferred')])).code).toBe(0);
  });

  it('says where it is ready why the last stable entry is not the leaf', async () => {
    expect((await run(['status', fixture('user-last')])).stdout).toContain(
      ", because the user's message after it has no answer yet (",
    );
    expect((await run(['status', fixture('intent-only-read')])).stdout).toContain(
      ', because 1 call after it has no result (grep) (',
    );
    expect((await run(['status', fixture('stable-stop')])).stdout).toContain(', the leaf itself\n');
    expect(await statusOf(fixture('stable-stop'))).toMatchObject({ lastStableReason: null });
  });

  it('says where it is ready why no entry is stable', async () => {
    const log = readFileSync(join(projectRoot, 'fixtures/sessions/pi-branches.jsonl'), 'utf8');
    // As repair leaves it: the first result is lost, and what came after it is attached to the call.
    const lines = log.split('\n').filter((line) => !line.includes('"id":"caadceca"'));
    const stdin = lines.join('\n').replace('"parentId":"caadceca"', '"parentId":"02501558"');
    const { stdout } = await run(['status'], { stdin });
    expect(stdout).toContain('ready: safe to resume (stable)\n');
    expect(stdout).toContain('  last stable entry: none, because 1 earlier call has no result (bash)\n');
  });

  it('names the last stable entry as a REV to fork from', async () => {
    expect((await statusOf(fixture('started-process'))).lastStableEntryId).toBe('a00060b3');
    expect((await statusOf(fixture('stable-answered'))).lastStableEntryId).toBe('a0004d5c');
    expect((await statusOf(fixture('partially-answered'))).lastStableEntryId).toBeNull();
    const ran = await run(['status', fixture('started-process')]);
    expect(ran.stdout).toContain(
      `last stable entry: a00060b3 (sessionctl fork ${fixture('started-process')} a00060b3 starts from there)`,
    );
  });

  it('tells of a pending call its class, what is known of its execution, a policy and a hint', async () => {
    const [call] = (await statusOf(fixture('intent-without-markers'))).pending;
    expect(call).toMatchObject({
      toolCallId: 't1',
      toolName: 'bash',
      class: 'process',
      idempotency: 'unsafe',
      policy: 'require-user-confirmation',
      started: 'maybe',
      hint: 'destructive or external',
    });
    expect((await statusOf(fixture('intent-only-write'))).pending[0]?.started).toBe('no');
    expect((await statusOf(fixture('finished-no-observation'))).pending[0]?.started).toBe('yes');
    const elsewhere = await statusOf(fixture('result-off-path'));
    expect(elsewhere.pending[0]).toMatchObject({ started: 'yes', resultElsewhere: { line: 5 } });
    expect((await statusOf(fixture('output-cut-calls'))).pending[0]).toMatchObject({
      policy: 'never-rerun',
      verdict: 'blocked',
    });
  });

  it('lists denials, those before the last word of the user as past', async () => {
    expect((await statusOf(fixture('permission-denied'))).denials).toMatchObject([{ toolCallId: 't1', current: true }]);
    expect((await statusOf(fixture('permission-denied-earlier'))).denials).toMatchObject([
      { toolCallId: 't1', current: false },
    ]);
  });

  it('says in the checklist that events are missing where the tail is cut', async () => {
    const { checklist } = await statusOf(fixture('damaged-tail'));
    expect(checklist.find((item) => item.item === 'no unpersisted events')?.value).toBe('no');
    expect(checklist.find((item) => item.item === 'state rebuildable from entries')?.value).toBe('no');
  });

  it('tells damage before the only entry from damage behind it', async () => {
    const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';
    const entry =
      '{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}\n';
    const reason = async (log: string): Promise<string> => (await run(['status', '-'], { stdin: log })).stdout;
    expect(await reason(`${header}garbage\n${entry}`)).toContain(
      'a line that is not on the path is damaged (not-json)',
    );
    expect(await reason(`${header}${entry}garbage\n`)).toContain('the end of the file is damaged (not-json)');
  });

  it('names the parent at which the path ends, and the entry at which it runs in a circle', async () => {
    const reason = async (name: string): Promise<string | undefined> =>
      (await statusOf(fixture(name))).reasons[0]?.reason;
    expect(await reason('damaged-missing-parent')).toMatch(
      /^the path ends at parent '[^']+', which is not in the file/,
    );
    expect(await reason('damaged-cycle')).toMatch(/^the path is a cycle through '[^']+'/);
  });

  it('sends nobody to repair with an empty file', async () => {
    const file = join(scratch, 'empty.jsonl');
    writeFileSync(file, '');
    const ran = await run(['status', file]);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/^blocked: /) });
    expect(ran.stdout).toContain(`\n  next: sessionctl validate ${file}\n`);
  });

  it('judges another entry with --leaf, and refuses one that is not there', async () => {
    expect((await statusOf(fixture('partially-answered'), '--leaf', '@~2')).state).toBe('no-assistant-yet');
    const ran = await run(['status', fixture('partially-answered'), '--leaf', 'nowhere']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("'nowhere' does not match any entry");
  });

  it('reads standard input and never writes to the file', async () => {
    const text = readFileSync(fixture('stable-stop'));
    const before = statSync(fixture('stable-stop'));
    const ran = await run(['status'], { stdin: text });
    expect(ran.code).toBe(0);
    await run(['status', fixture('stable-stop')]);
    expect(statSync(fixture('stable-stop')).mtimeMs).toBe(before.mtimeMs);
  });

  it('takes a stale leaf for what it is and names the newer work', async () => {
    const file = join(scratch, 'stale.jsonl');
    const entry = (id: string, parentId: string | null, rest: object): string =>
      JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', ...rest });
    writeFileSync(
      file,
      [
        JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' }),
        entry('a', null, { message: { role: 'user', content: 'Hi' } }),
        entry('b', 'a', { message: { role: 'assistant', content: [], stopReason: 'stop' } }),
        entry('c', 'a', { type: 'label', targetId: 'a', label: 'x' }),
        '',
      ].join('\n'),
    );
    const ran = await run(['status', file, '--json']);
    expect(ran.stderr).toContain("newer work is on another branch; '--leaf line:3' shows it");
    const status = JSON.parse(ran.stdout) as Status;
    expect(status.leafId).toBe('c');
    expect(status.evidence.some((one) => one.what.includes('line:3 is not on this path'))).toBe(true);
  });

  it.each([
    ['pi', {}, { type: 'active_tools_change', tools: [] }, 'no'],
    ['pi', {}, { type: 'model_change', provider: 'p', modelId: 'm' }, 'no'],
    ['either', {}, { type: 'model_change', modelId: 'm' }, 'maybe'],
    ['omp', { title: 'T' }, { type: 'thinking_level_change', thinkingLevel: 'off' }, 'maybe'],
    ['both', { title: 'T' }, { type: 'model_change', provider: 'p', modelId: 'm' }, 'maybe'],
  ])(
    'takes a log that %s wrote for the same as append and externalize do: header %j, entry %j',
    async (_, head, reported, started) => {
      const base = { timestamp: '2026-01-01T00:00:00.000Z' };
      const call = { type: 'toolCall', id: 't', name: 'bash', arguments: { command: 'x' } };
      const lines = [
        { type: 'session', version: 3, id: 's', cwd: '/', ...base, ...head },
        { ...reported, id: 'a', parentId: null, ...base },
        {
          type: 'message',
          id: 'b',
          parentId: 'a',
          ...base,
          message: { role: 'assistant', content: [call], stopReason: 'aborted' },
        },
      ];
      const watch = new DialectDetector();
      for (const line of lines) watch.add(line);
      const ran = await run(['status', '--json'], { stdin: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
      expect((JSON.parse(ran.stdout) as Status).pending[0]?.started).toBe(started);
      expect(watch.dialect === 'pi').toBe(started === 'no');
    },
  );

  const blocked = ROWS.filter(([, verdict]) => verdict === 'blocked').map(([name]) => name);
  it.each(blocked)('ends %s with a command that leads out of it', async (name) => {
    const file = join(mkdtempSync(join(scratch, 'next-')), 'log.jsonl');
    const copy = join(file, '../new.jsonl');
    writeFileSync(file, readFileSync(fixture(name)));
    const last = (await run(['status', file])).stdout.trimEnd().split('\n').at(-1) ?? '';
    expect(last).toMatch(/^ {2}next: sessionctl (?:repair|fork|migrate|validate|log) /);
    const words = last.replace('  next: sessionctl ', '').replace('new.jsonl', copy).split(' ');
    const ran = await run(words);
    const reported = JSON.parse((await run(['status', '--json', words[0] === 'fork' ? copy : file])).stdout) as Status;
    if (words[0] === 'validate' || words[0] === 'log') expect(ran.stdout).not.toBe('');
    else expect([ran.code, reported.verdict]).toEqual([0, expect.not.stringContaining('blocked')]);
  });

  it('does not advise to fork a path that does not reach its root', async () => {
    const entry = (id: string, parentId: string | null, message: object): string =>
      JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', message });
    const stop = { role: 'assistant', content: [], stopReason: 'stop' };
    const file = join(scratch, 'stump.jsonl');
    const header = JSON.stringify({
      type: 'session',
      version: 3,
      id: 's',
      timestamp: '2026-01-01T00:00:00.000Z',
      cwd: '/',
    });
    const user = { role: 'user', content: 'Hi' };
    const lines = [
      header,
      entry('a', null, user),
      entry('b', 'a', stop),
      entry('c', 'gone', stop),
      entry('d', 'c', user),
      '',
    ];
    writeFileSync(file, lines.join('\n'));
    expect(await statusOf(file)).toMatchObject({
      verdict: 'blocked',
      lastStableEntryId: null,
      next: { command: 'repair' },
    });
    const { stdout } = await run(['status', file]);
    expect(stdout).not.toContain('sessionctl fork');
    expect(stdout).toMatch(new RegExp(`\\n {2}next: sessionctl repair -i --backup ${file}\\n$`));
  });

  it('reports a damaged line on the path, which only the reading shows, as blocked', async () => {
    const file = join(scratch, 'hole.jsonl');
    const lines = readFileSync(fixture('stable-stop'), 'utf8').split('\n');
    // The envelope stays readable; the message behind it does not.
    lines[4] = (lines[4] ?? '').replace('"isError":false', '"isError":fals');
    writeFileSync(file, lines.join('\n'));
    const ran = await run(['status', file, '--json']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ verdict: 'blocked', state: 'damaged', next: { command: 'repair' } });
  });

  it.each(['damaged-tail', 'damaged-line-elsewhere'])(
    'says once what is damaged, as the reason, and once what to do about it: %s',
    async (name) => {
      const { stdout, stderr } = await run(['status', fixture(name)]);
      expect(stderr).toBe('');
      expect(stdout.match(/damaged \(torn-line\)/g)).toHaveLength(1);
      expect(stdout.match(/sessionctl repair/g)).toHaveLength(1);
    },
  );

  it('escapes what a log would do to a terminal', async () => {
    const file = join(scratch, 'escape.jsonl');
    writeFileSync(file, readFileSync(fixture('started-unknown'), 'utf8').replaceAll('frobnicate', '\\u001b[2Jx'));
    const ran = await run(['status', file, '--color=never'], { stdoutIsTerminal: true });
    expect(ran.stdout).toContain('\\x1b[2Jx');
    expect(ran.stdout).not.toContain('\u001b');
  });

  it('refuses two files and a file of another kind', async () => {
    expect((await run(['status', 'a', 'b'])).code).toBe(2);
    const ran = await run(['status', join(projectRoot, 'package.json')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('sessionctl status --classes', () => {
  const file = fixture('started-unknown');

  it('takes rules for tools of the user', async () => {
    const rules = join(scratch, 'classes.json');
    writeFileSync(rules, JSON.stringify([{ pattern: 'frob*', class: 'read' }]));
    const status = await statusOf(file, '--classes', rules);
    expect(status.verdict).toBe('ready');
    expect(status.pending[0]).toMatchObject({ class: 'read', idempotency: 'safe', policy: 'rerun-after-check' });
  });

  it.each([
    ['[{"pattern":"x","class":"raed"}]', "did you mean 'read'"],
    ['nope', 'not JSON'],
  ])('refuses %s with a clear word', async (text, message) => {
    const rules = join(scratch, 'bad.json');
    writeFileSync(rules, text);
    const ran = await run(['status', file, '--classes', rules]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
  });

  it('refuses a file that is not there', async () => {
    const ran = await run(['status', file, '--classes', join(scratch, 'none.json')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('no such file');
  });
});

describe('sessionctl status --workspace', () => {
  /** A log with one pending call, in a workspace of its own. */
  function pending(name: string, args: object, cwd = '/home/dev/shop'): { file: string; workspace: string } {
    const workspace = mkdtempSync(join(scratch, 'work-'));
    const file = join(workspace, '..', `${workspace.slice(-6)}.jsonl`);
    const timestamp = '2026-01-01T00:00:00.000Z';
    const call = { type: 'toolCall', id: 't1', name, arguments: args };
    writeFileSync(
      file,
      `${JSON.stringify({ type: 'session', version: 3, id: 's', timestamp, cwd })}\n` +
        `${JSON.stringify({ type: 'message', id: 'a', parentId: null, timestamp, message: { role: 'assistant', content: [call], stopReason: 'toolUse', timestamp: Date.parse(timestamp) } })}\n`,
    );
    return { file, workspace };
  }

  async function probe(made: {
    file: string;
    workspace: string;
  }): Promise<{ verdict: string; result: string; policy: string; reason: string }> {
    const status = await statusOf(made.file, '--workspace', made.workspace);
    const [call] = status.pending;
    return {
      verdict: status.verdict,
      result: call?.probe?.result ?? 'none',
      policy: call?.policy ?? '',
      reason: call?.probe?.reason ?? '',
    };
  }

  it('sees that a write was made, or not, and lowers confirm to check', async () => {
    const made = pending('write', { path: 'src/a.ts', content: 'é\n' });
    expect(await probe(made)).toMatchObject({
      verdict: 'check',
      result: 'appears not applied',
      policy: 'rerun-after-check',
    });
    mkdirSync(join(made.workspace, 'src'));
    writeFileSync(join(made.workspace, 'src/a.ts'), 'é\n');
    expect(await probe(made)).toMatchObject({ verdict: 'check', result: 'appears applied' });
    writeFileSync(join(made.workspace, 'src/a.ts'), 'e\n\n');
    expect(await probe(made)).toMatchObject({ verdict: 'check', result: 'appears not applied' });
    expect((await statusOf(made.file)).verdict).toBe('confirm');
  });

  it.each([
    ['all new and no old', [{ oldText: 'one', newText: 'uno' }], 'uno two', 'appears applied'],
    ['all old and no new', [{ oldText: 'one', newText: 'uno' }], 'one two', 'appears not applied'],
    ['both', [{ oldText: 'one', newText: 'uno' }], 'one uno', 'ambiguous'],
    ['neither', [{ oldText: 'one', newText: 'uno' }], 'two', 'ambiguous'],
    [
      'some edits and not others',
      [
        { oldText: 'one', newText: 'uno' },
        { oldText: 'two', newText: 'due' },
      ],
      'uno two',
      'ambiguous',
    ],
    ['an empty new text', [{ oldText: 'one', newText: '' }], 'two', 'ambiguous'],
    ['a new text inside the old one', [{ oldText: 'one two', newText: 'two' }], 'two', 'ambiguous'],
    ['other line ends', [{ oldText: 'a\nb', newText: 'c\nd' }], 'c\r\nd', 'appears applied'],
  ])('judges an edit by what the file holds: %s', async (_, edits, content, result) => {
    const made = pending('edit', { path: 'a.ts', edits });
    writeFileSync(join(made.workspace, 'a.ts'), content);
    expect(await probe(made)).toMatchObject({ result, verdict: result.startsWith('appears') ? 'check' : 'confirm' });
  });

  it('reads the arguments of other agents and older versions', async () => {
    for (const args of [
      { path: 'a.ts', oldText: 'one', newText: 'uno' },
      { file_path: '/home/dev/shop/a.ts', old_string: 'one', new_string: 'uno', replace_all: true },
    ]) {
      const made = pending('Edit', args);
      writeFileSync(join(made.workspace, 'a.ts'), 'uno');
      expect(await probe(made)).toMatchObject({ result: 'appears applied' });
    }
    const windows = pending('Write', { file_path: 'C:\\shop\\src\\a.ts', content: 'x' }, 'C:\\shop');
    mkdirSync(join(windows.workspace, 'src'));
    writeFileSync(join(windows.workspace, 'src/a.ts'), 'x');
    expect(await probe(windows)).toMatchObject({ result: 'appears applied' });
  });

  it('calls a patch unknown and reports the time of the file only', async () => {
    const made = pending('apply_patch', { path: 'a.ts', patch: '...' });
    writeFileSync(join(made.workspace, 'a.ts'), 'x');
    const status = await statusOf(made.file, '--workspace', made.workspace);
    expect(status.pending[0]?.probe).toMatchObject({ result: 'unknown', modifiedAfterCall: true });
    expect(status.verdict).toBe('confirm');
  });

  it.each(['../secret.txt', '/etc/hostname', '/home/dev/other/a.ts', '~/a.ts', 'a/../../secret.txt', 'a\0b'])(
    'never looks outside the folder: %j',
    async (path) => {
      const made = pending('write', { path, content: 'secret' });
      writeFileSync(join(scratch, 'secret.txt'), 'secret');
      expect(await probe(made)).toMatchObject({
        result: 'unknown',
        verdict: 'confirm',
        reason: expect.stringContaining('outside'),
      });
    },
  );

  it('resolves links first and follows none that leads out', async () => {
    const made = pending('write', { path: 'link/secret.txt', content: 'secret' });
    const outside = mkdtempSync(join(scratch, 'out-'));
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    symlinkSync(outside, join(made.workspace, 'link'));
    expect(await probe(made)).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('link points outside'),
    });
    const absent = pending('write', { path: 'link/none.txt', content: 'secret' });
    symlinkSync(outside, join(absent.workspace, 'link'));
    expect(await probe(absent)).toMatchObject({ result: 'unknown' });
    const dangling = pending('write', { path: 'gone.txt', content: 'secret' });
    symlinkSync(join(outside, 'nothing'), join(dangling.workspace, 'gone.txt'));
    expect(await probe(dangling)).toMatchObject({ result: 'unknown' });
    const inside = pending('write', { path: 'in.txt', content: 'x' });
    writeFileSync(join(inside.workspace, 'real.txt'), 'x');
    symlinkSync('real.txt', join(inside.workspace, 'in.txt'));
    expect(await probe(inside)).toMatchObject({ result: 'appears applied' });
  });

  it.skipIf(process.platform === 'win32')('never opens a pipe or a device, and does not hang on one', async () => {
    const pipe = pending('write', { path: 'pipe', content: 'x' });
    execFileSync('mkfifo', [join(pipe.workspace, 'pipe')]);
    expect(await probe(pipe)).toMatchObject({ result: 'unknown', reason: expect.stringContaining('pipe; not opened') });
    const device = pending('write', { path: 'null', content: '' });
    symlinkSync('/dev/null', join(device.workspace, 'null'));
    expect(await probe(device)).toMatchObject({ result: 'unknown' });
    const within = pending('write', { path: 'null', content: '' }, '/dev');
    const status = await statusOf(within.file, '--workspace', '/dev');
    expect(status.pending[0]?.probe).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('device; not opened'),
    });
  });

  it('never probes a process, and never makes anything ready', async () => {
    const made = pending('bash', { command: 'touch a.ts', path: 'a.ts' });
    expect(await probe(made)).toMatchObject({ verdict: 'confirm', result: 'none' });
  });

  it('says in the checklist what the workspace shows', async () => {
    const made = pending('write', { path: 'a.ts', content: 'x' });
    const value = async (): Promise<string | undefined> =>
      (await statusOf(made.file, '--workspace', made.workspace)).checklist.find(
        (item) => item.item === 'workspace effects recorded',
      )?.value;
    expect(await value()).toBe('yes');
    writeFileSync(join(made.workspace, 'a.ts'), 'x');
    expect(await value()).toBe('no');
  });

  it('refuses a workspace that is no folder', async () => {
    const ran = await run(['status', fixture('stable-stop'), '--workspace', fixture('stable-stop')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('is not a folder');
  });
});

describe('sessionctl status as a gate', () => {
  it('works from a pipe with jq', async (context) => {
    if ((await spawnCommand('bash', ['-c', 'command -v jq'])).code !== 0) return context.skip('jq is not installed');
    const gate = async (name: string): Promise<number> =>
      (
        await spawnCommand(
          'bash',
          [
            '-c',
            `"$0" bin/sessionctl.js status "$1" --json | jq -e '.verdict=="ready"'`,
            process.execPath,
            fixture(name),
          ],
          { cwd: projectRoot },
        )
      ).code;
    expect(await gate('stable-stop')).toBe(0);
    expect(await gate('started-process')).toBe(1);
  });

  it('exits 0, 1 or 2 as a process of its own', async () => {
    expect((await spawnProgram(['status', fixture('user-last')])).code).toBe(0);
    expect((await spawnProgram(['status', fixture('output-cut-calls')])).code).toBe(1);
    expect((await spawnProgram(['status', 'nowhere.jsonl'])).code).toBe(2);
  });
});

describe('damage in the log of another agent', () => {
  it.each([
    ['torn-line', 'claude-code', 5],
    ['torn-line', 'codex', 3],
    ['glued-entries', 'claude-code', 3],
    ['nul-bytes', 'claude-code', 4],
    ['missing-final-newline', 'claude-code', 4],
    ['not-an-object', 'claude-code', 3],
  ])('by %s in %s is reported once, and blocks', async (rule, format, line) => {
    const log = join(projectRoot, 'fixtures/rules', rule, format, 'bad.jsonl');
    const { stdout } = await run(['status', '--from', format, log]);
    expect(stdout).toMatch(/^blocked: /);
    expect(stdout.match(new RegExp(`^  why: .*\\(line ${line}\\)$`, 'gm'))).toHaveLength(1);
    expect(stdout).toMatch(/^ {2}next: sessionctl repair -i --backup /m);
  });

  it.each([
    ['not-json', 'codex'],
    ['not-an-object', 'codex'],
    ['invalid-utf8', 'claude-code'],
    ['not-json', 'claude-code'],
  ])('by %s in %s, a warning that repair leaves alone, is fixed by what it says', async (rule, format) => {
    const log = join(scratch, `${rule}-${format}.jsonl`);
    copyFileSync(join(projectRoot, 'fixtures/rules', rule, format, 'bad.jsonl'), log);
    expect((await run(['repair', '--check', log])).code).toBe(0);
    const { stdout } = await run(['status', log]);
    expect(stdout).toContain(`\n  next: sessionctl repair -i --backup --only ${rule} ${log}\n`);
    const { next } = JSON.parse((await run(['status', '--json', log])).stdout) as Status;
    expect(next).toEqual({ command: 'repair', only: [rule] });
    // What comes from a pipe is not checked.
    const piped = await run(['status', '--from', format, '-'], { stdin: readFileSync(log) });
    expect(piped.stdout).toMatch(/^ {2}next: sessionctl repair -i --backup FILE$/m);
    expect((await run(['repair', '-i', '--backup', '--only', rule, log])).code).toBe(0);
    expect((await run(['status', log])).stdout).not.toContain('damaged');
  });
});
