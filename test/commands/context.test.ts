import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/context/context.ts';
import { type PathEntry, PROFILES } from '../../src/context/types.ts';
import { assistant, call, chain, result, text, user } from '../support/chain.ts';
import { plainPath } from '../support/plain-path.ts';
import { settings } from '../support/properties.ts';
import { anthropicFaults, openaiFaults } from '../support/provider-rules.ts';
import { randomPath } from '../support/random-path.ts';
import { projectRoot, type Ran, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { contextVectors, stateOfAnswer } from '../support/vectors.ts';

type Json = Record<string, unknown>;

const scratch = scratchFolder();
const sessions = join(projectRoot, 'fixtures/sessions');
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-02-16T10:00:00.000Z","cwd":"/w"}';

const logOf = (path: readonly PathEntry[], header = HEADER): string =>
  `${[header, ...path.map((entry) => entry.text)].join('\n')}\n`;
const jsonLines = (ran: Ran): Json[] =>
  ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
const context = async (stdin: string, ...options: string[]): Promise<Ran> =>
  await run(['context', ...options], { stdin });
const contents = async (stdin: string, ...options: string[]): Promise<unknown[]> =>
  jsonLines(await context(stdin, ...options)).map((message) => message['content']);

it('context gives every message of a path of 9,000 entries once, in order, past those that are damaged', async () => {
  const lines = Array.from({ length: 9000 }, (_, at) => {
    const parent = at === 0 ? 'null' : `"e${at - 1}"`;
    const content = at % 1000 === 500 ? '[}' : `"m${at}"`;
    return `{"type":"message","id":"e${at}","parentId":${parent},"timestamp":"x","message":{"role":"user","content":${content}}}`;
  });
  const wanted = lines.flatMap((_, at) => (at % 1000 === 500 ? [] : [`m${at}`]));
  expect(await contents(`${[HEADER, ...lines].join('\n')}\n`)).toEqual(wanted);
});

it('context passes the messages of a long path on as they are, and leaves out what is damaged, wherever it is', async () => {
  const filler = 'caf\u00e9 \\"quoted\\" {[ '.repeat(60);
  const messages: Buffer[] = [];
  const lines = Array.from({ length: 9000 }, (_, at) => {
    const parent = at === 0 ? 'null' : `"e${at - 1}"`;
    const broken = at % 1500 === 1400;
    const odd = at % 3000 === 700;
    const message = Buffer.from(
      `{"role":"user", "content":"${at} ${filler}${odd ? '\u00ff' : ''}","big":12345678901234567890${broken ? ',' : ''}}`,
      odd ? 'latin1' : 'utf8',
    );
    if (!broken && !odd) messages.push(message);
    const head = `{"type":"message","id":"e${at}","parentId":${parent},"timestamp":"2026-02-16T10:00:00.000Z","message":`;
    return Buffer.concat([Buffer.from(head), message, Buffer.from('}\n')]);
  });
  const file = join(scratch, 'long-path.jsonl');
  writeFileSync(file, Buffer.concat([Buffer.from(`${HEADER}\n`), ...lines]));
  const ran = await run(['context', file]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('line 702 is damaged (invalid-utf8) and was left out, and 8 other lines');
  const wanted = messages.map((message) => `${message.toString('utf8')}\n`).join('');
  expect(ran.stdout.length).toBe(wanted.length);
  expect(ran.stdout === wanted).toBe(true);
});

/** Vectors whose path ends at a parent that is missing, or at an id met before. */
const CUT_OFF: ReadonlySet<string> = new Set(['c12-orphan-parent', 'c13-dup-ids']);

describe('context on the vectors', () => {
  for (const vector of contextVectors()) {
    const leaf = vector.leaf === undefined ? [] : ['--leaf', vector.leaf];
    for (const agent of ['pi', 'omp'] as const) {
      const answer = vector.answer(agent);
      if (!answer) continue;
      it(`gives what ${agent} makes of ${vector.name}`, async () => {
        const messages = await run(['context', '--profile', agent, ...leaf, vector.file]);
        expect(messages.code).toBe(CUT_OFF.has(vector.name) ? 1 : 0);
        expect(jsonLines(messages)).toEqual(answer.messages);
        const state = jsonLines(await run(['context', '--state', '--profile', agent, ...leaf, vector.file]))[0] ?? {};
        const expected = stateOfAnswer(agent, answer) as Json;
        for (const [key, value] of Object.entries(expected)) expect(state[key], key).toEqual(value);
        expect('modeData' in state && agent === 'omp').toBe('modeData' in expected);
      });
    }

    it(`gives provider messages and an explanation of each entry for ${vector.name}`, async () => {
      expect(anthropicFaults(jsonLines(await run(['context', '--as', 'anthropic', ...leaf, vector.file])))).toEqual([]);
      expect(openaiFaults(jsonLines(await run(['context', '--as', 'openai', ...leaf, vector.file])))).toEqual([]);
      const explained = await run(['context', '--explain', ...leaf, vector.file]);
      expect(explained.stdout.split('\n')).toHaveLength(plainPath(vector.text, vector.leaf).length + 1);
      expect(explained.stdout).toMatch(/^(?:(?:in |out) {2}line:\d+ .*: .+\n)+$/);
    });
  }

  it('answers c13, whose ids lead back to themselves and on which pi hangs: the path ends at the id met before', async () => {
    const file = join(projectRoot, 'fixtures/vectors/context/c13-dup-ids.jsonl');
    for (const profile of PROFILES) {
      const ran = await run(['context', '--profile', profile, file]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('the path has 2 of 3 entries');
      expect(jsonLines(ran).map((message) => message['content'])).toEqual([[text('b')], [text('a2')]]);
    }
  });

  it('answers c17, a message entry without a message on which both agents throw: it gives nothing, and a note says so', async () => {
    const file = join(projectRoot, 'fixtures/vectors/context/c17-no-message.jsonl');
    for (const profile of PROFILES) {
      const ran = await run(['context', '--profile', profile, file]);
      expect(ran.code).toBe(0);
      expect(jsonLines(ran)).toHaveLength(1);
      expect(ran.stderr).toBe(
        `sessionctl: ${file}:3: entry 'b' is a message entry without a message; it is left out\n`,
      );
    }
  });
});

describe('context', () => {
  it('gives messages byte for byte as they stand in the file', async () => {
    const file = join(sessions, 'omp-plan.jsonl');
    const log = readFileSync(file, 'utf8');
    const ran = await run(['context', file]);
    const stored = ran.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{"role":"custom"'));
    expect(stored.length).toBeGreaterThan(3);
    for (const line of stored) expect(log).toContain(`"message":${line}`);
  });

  it('reads by place what the pure function reads from memory, for any session and profile', async () => {
    await fc.assert(
      fc.asyncProperty(randomPath, fc.constantFrom(...PROFILES), async (path: PathEntry[], profile) => {
        const expected = buildContext(path, { profile });
        const ran = await context(logOf(path), '--profile', profile);
        expect(ran.stdout).toBe(expected.messages.map((message) => `${message}\n`).join(''));
        expect(ran.code).toBe(0);
      }),
      settings(60),
    );
  });

  it('looks from the entry that --leaf names, also where its id starts with a dash', async () => {
    const log = logOf(chain({ ...user('a'), id: '-abc' }, user('b'), user('c')));
    expect(await contents(log, '--leaf=-abc')).toEqual(['a']);
    expect(await contents(log, '--leaf', '@~1')).toEqual(['a', 'b']);
    expect(await contents(log, '--leaf', 'null')).toEqual([]);
    const unknown = await context(log, '--leaf', 'e7');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("'e7' does not match any entry");
    expect((await run(['help', 'context'])).stdout).toContain('--leaf=-abc');
  });

  it('gives nothing for a header alone, with exit 0, and a whole state', async () => {
    expect(await context(`${HEADER}\n`)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const state = jsonLines(await context(`${HEADER}\n`, '--state'))[0];
    expect(state).toEqual({
      leafId: null,
      thinkingLevel: 'off',
      models: {},
      mode: 'none',
      injectedTtsrRules: [],
      labels: {},
      counts: { entries: 0, messages: 0, toolCalls: 0, types: {}, roles: {} },
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
      cost: 0,
    });
  });

  it('uses the last line of a session with a stale leaf, and says where the newer work hangs', async () => {
    const [first, second, third] = chain(user('a'), user('b'), { type: 'label', targetId: 'e0', label: 'x' });
    const label = JSON.stringify({ ...third?.value, parentId: 'e0' });
    const ran = await context(`${HEADER}\n${first?.text}\n${second?.text}\n${label}\n`);
    expect(jsonLines(ran).map((message) => message['content'])).toEqual(['a']);
    expect(ran.stderr).toContain('newer work is on another branch');
    const rev = /'--leaf (line:\d+)'/.exec(ran.stderr)?.[1] ?? '';
    const newer = await context(`${HEADER}\n${first?.text}\n${second?.text}\n${label}\n`, '--leaf', rev);
    expect(jsonLines(newer).map((message) => message['content'])).toEqual(['a', 'b']);
    expect(newer.stderr).toBe('');
    expect(ran.code).toBe(0);
  });

  it('resolves repeated ids as the profile does', async () => {
    const log = logOf(
      chain({ ...user('first'), id: 'x' }, { ...user('b'), id: 'b' }, { ...user('second'), id: 'x', parentId: null }),
    );
    expect(await contents(log, '--leaf', 'b', '--profile', 'spec')).toEqual(['first', 'b']);
    expect(await contents(log, '--leaf', 'b', '--profile', 'pi')).toEqual(['second', 'b']);
  });

  it('migrates an old log in memory, from a file and from standard input', async () => {
    const bodies = [
      user('a'),
      user('b'),
      { type: 'compaction', summary: 'S', tokensBefore: 1, firstKeptEntryIndex: 2 },
      user('c'),
    ];
    const lines = [{ type: 'session', id: 's', timestamp: '2026-02-16T10:00:00.000Z', cwd: '/w' }, ...bodies];
    const log = lines.map((line) => `${JSON.stringify({ timestamp: '2026-02-16T10:00:00.000Z', ...line })}\n`).join('');
    const file = join(scratch, 'version-1.jsonl');
    writeFileSync(file, log);
    const fromFile = await run(['context', file]);
    expect(jsonLines(fromFile).map((message) => message['content'] ?? message['summary'])).toEqual(['S', 'b', 'c']);
    expect((await context(log)).stdout).toBe(fromFile.stdout);
    expect(readFileSync(file, 'utf8')).toBe(log);
  });

  it('leaves a damaged line out, says so, and exits 1', async () => {
    const [a, b] = chain(user('a'), user('b'));
    const ran = await context(`${HEADER}\n${a?.text}\n{"type":"mess\n${b?.text}\n`);
    expect(ran.code).toBe(1);
    expect(jsonLines(ran).map((message) => message['content'])).toEqual(['a', 'b']);
    expect(ran.stderr).toContain('line 3 is damaged (torn-line)');
  });

  it('says where the agent of the profile shows nothing, because of the headers of the log', async () => {
    const entries = logOf(chain(user('a'), user('b'))).slice(HEADER.length + 1);
    for (const [log, profiles, note] of [
      [entries, ['pi', 'omp'], 'refuses a log that does not start with a header'],
      [`${entries}${HEADER}\n`, ['pi', 'omp'], 'refuses a log that does not start with a header'],
      [`${HEADER}\n${entries}${HEADER}\n`, ['omp'], 'goes on from line 4, which is no entry, so it shows nothing'],
    ] as const) {
      for (const profile of PROFILES) {
        const ran = await context(log, '--profile', profile);
        expect(jsonLines(ran).map((message) => message['content'])).toEqual(['a', 'b']);
        const isNoted = profiles.some((one) => one === profile);
        expect(ran.stderr).toBe(isNoted ? `sessionctl: -: ${profile} ${note}; 'sessionctl repair' fixes that\n` : '');
      }
    }
  });

  it('keeps from the next entry where a compaction of version 1 keeps from a damaged line', async () => {
    const bodies = [
      { type: 'session', id: 's', cwd: '/w' },
      user('a'),
      user('b'),
      user('c'),
      { type: 'compaction', summary: 'S', tokensBefore: 1, firstKeptEntryIndex: 2 },
    ];
    const lines = bodies.map((body) => JSON.stringify({ timestamp: '2026-02-16T10:00:00.000Z', ...body }));
    const log = `${lines.join('\n').replace('"content":"b","timestamp":1}}', '"cont')}\n`;
    expect(log).toContain('"cont\n');
    const ran = await context(log);
    expect(jsonLines(ran).map((message) => message['content'] ?? message['summary'])).toEqual(['S', 'c']);
    const fixed = await run(['repair', '--quarantine', join(scratch, 'quarantine'), '-'], { stdin: log });
    expect((await context(fixed.stdout)).stdout).toBe(ran.stdout);
  });

  it('goes on behind messages that turn out to be damaged only when they are read', async () => {
    const broken = logOf(chain(user('a'), user('b'), user('c'), user('d'))).replace(
      /"content":"([bc])"/g,
      '"content":$1',
    );
    for (const profile of PROFILES) {
      const ran = await context(broken, '--profile', profile);
      expect(jsonLines(ran).map((message) => message['content'])).toEqual(['a', 'd']);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('line 3 is damaged');
    }
  });

  it('lets the compaction before it rule where the last one turns out to be damaged', async () => {
    const older = { type: 'compaction', summary: 'old', firstKeptEntryId: 'e1' };
    const path = chain(
      user('a'),
      user('b'),
      older,
      user('c'),
      { type: 'compaction', summary: 'new', firstKeptEntryId: 'e3' },
      user('d'),
    );
    const broken = logOf(path).replace('"summary":"new"', '"summary":new');
    for (const profile of PROFILES) {
      const ran = await context(broken, '--profile', profile);
      expect(jsonLines(ran).map((message) => message['content'] ?? message['summary'])).toEqual(['old', 'b', 'c', 'd']);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('line 6 is damaged');
    }
  });

  it('--explain shortens the long ids of another agent to a REV, as log and tree do', async () => {
    const file = 'fixtures/formats/claude-code/2.1.325/plain.jsonl';
    const { stdout } = await run(['context', '--explain', file]);
    const ids = stdout.split('\n').flatMap((line) => line.split(/ +/)[2] ?? []);
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}$/);
      expect(await run(['context', '--leaf', id, file])).toMatchObject({ code: 0 });
    }
  });

  it('--explain names no line for what is in no line of the log', async () => {
    const { stdout } = await run(['context', '--explain', 'fixtures/formats/claude-code/2.1.325/plain.jsonl']);
    expect(stdout).toMatch(/^out {2}- +[0-9a-f]{8} {2}custom /);
    expect(stdout).not.toContain('line:0');
  });

  it('refuses what is not a session, two files, and two kinds of answer at once', async () => {
    expect(await context('{"a":1}\n')).toMatchObject({ code: 2, stdout: '' });
    expect((await run(['context', 'a', 'b'])).stderr).toContain("takes one FILE; unexpected 'b'");
    expect(await run(['context', '--state', '--explain', 'a'])).toMatchObject({ code: 2 });
    expect((await run(['context', '--profile', 'other', 'a'])).code).toBe(2);
    expect((await run(['context', join(scratch, 'absent.jsonl')])).stderr).toContain('no such file');
  });

  it('has what a compaction keeps as copies, and nobody calls such a log wrong', async () => {
    const retainedTail = [{ role: 'user', content: 'b', timestamp: 1 }];
    const log = logOf(
      chain(user('a'), user('b'), { type: 'compaction', summary: 'S', tokensBefore: 9, retainedTail }, user('c')),
    );
    const ran = await context(log);
    expect(
      ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { content?: string }).content),
    ).toEqual([undefined, 'b', 'c']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect((await run(['validate', '--strict', '-'], { stdin: log })).code).toBe(0);
    expect((await run(['status'], { stdin: log })).stdout).not.toContain('compaction-half');
    expect((await run(['export'], { stdin: log })).stdout).toContain('copies of 1 message are kept');
  });

  it('says where a compaction keeps nothing, and not where it means to', async () => {
    const log = (kept: string): string =>
      logOf(chain(user('a'), { type: 'compaction', summary: 'S', firstKeptEntryId: kept }));
    expect((await context(log('gone'))).stderr).toContain("compaction 'e1' keeps from 'gone'");
    expect((await context(log('e1'))).stderr).toBe('');
  });

  it('shows a terminal no character that could do more than be read, and it stays JSON', async () => {
    const log = logOf(chain(user('\u202e\u009b31m \u{e0001}'))).replace('"role":"user"', '"role":\t"user"');
    const ran = await run(['context'], { stdin: log, stdoutIsTerminal: true });
    expect(ran.stdout).toBe('{"role": "user","content":"\\u202e\\u009b31m \\udb40\\udc01","timestamp":1}\n');
    expect((await context(log)).stdout).toContain('\u202e');
    const explained = await run(['context', '--explain'], {
      stdin: logOf(chain({ type: 'x\u202e\n', id: 'i\u001b[2J' })),
      stdoutIsTerminal: true,
    });
    expect(explained.stdout).toContain('i\\x1b[2J');
    expect(explained.stdout).toContain('x\\u202e');
  });

  it('says how many messages of an unknown role a form leaves out', async () => {
    const log = logOf(chain({ type: 'message', message: { role: 'weird', content: 'x' } }, user('a')));
    const ran = await context(log, '--as', 'llm');
    expect(jsonLines(ran)).toHaveLength(1);
    expect(ran.stderr).toContain("1 message with the unknown role 'weird' left out");
    expect((await context(log)).stderr).toBe('');
  });
});

describe('context --state', () => {
  it('tells the state of the path and the title and labels of the file', async () => {
    const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, totalTokens: 18, cost: { total: 0.25 } };
    const path = chain(
      { type: 'mode_change', mode: 'plan', data: { file: 'p' } },
      assistant([call('t')], { usage }),
      result('t'),
      { type: 'label', targetId: 'e1', label: 'start' },
      { type: 'label', targetId: 'e2', label: 'gone' },
      { type: 'label', targetId: 'e2' },
      { type: 'session_info', name: 'A name' },
    );
    const log = logOf(path, HEADER.replace('"cwd"', '"title":"Of the header","cwd"'));
    const state = jsonLines(await context(log, '--state', '--leaf', 'e2'))[0];
    expect(state).toEqual({
      leafId: 'e2',
      thinkingLevel: 'off',
      models: { default: 'anthropic/m' },
      mode: 'plan',
      modeData: { file: 'p' },
      injectedTtsrRules: [],
      title: 'A name',
      labels: { e1: 'start' },
      counts: {
        entries: 3,
        messages: 2,
        toolCalls: 1,
        types: { mode_change: 1, message: 2 },
        roles: { assistant: 1, toolResult: 1 },
      },
      usage: { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, totalTokens: 18 },
      cost: 0.25,
    });
    expect(jsonLines(await context(log, '--state', '--leaf', 'null'))[0]).toMatchObject({
      leafId: null,
      title: 'A name',
      labels: { e1: 'start' },
    });
  });

  it('takes the title from the slot, else the last entry that names it, else the header', async () => {
    const title = async (log: string): Promise<unknown> => jsonLines(await context(log, '--state'))[0]?.['title'];
    const head = HEADER.replace('"cwd"', '"title":"H","cwd"');
    const slot = '{"type":"title","v":1,"title":"Slot","pad":""}';
    const padded = slot.replace('""}', `"${' '.repeat(255 - slot.length)}"}`);
    const change = { type: 'title_change', title: 'Changed' };
    expect(await title(`${padded}\n${logOf(chain(change), head)}`)).toBe('Slot');
    expect(await title(logOf(chain(change, user('a')), head))).toBe('Changed');
    expect(await title(logOf(chain(change, { type: 'session_info', name: '' }), head))).toBe(undefined);
    expect(await title(logOf(chain(user('a')), head))).toBe('H');
  });

  it('has the system text where the messages cannot have it', async () => {
    const log = logOf(
      chain(
        { type: 'message', message: { role: 'system', content: 'be brief', sections: { a: 'and kind' } } },
        user('a'),
      ),
    );
    expect(jsonLines(await context(log, '--state', '--as', 'anthropic'))[0]).toMatchObject({
      system: 'be brief\n\nand kind',
    });
    expect(jsonLines(await context(log, '--state'))[0]).not.toHaveProperty('system');
    expect(jsonLines(await context(log, '--as', 'anthropic'))).toEqual([{ role: 'user', content: [text('a')] }]);
    expect(jsonLines(await context(log, '--as', 'openai'))[0]).toEqual({
      role: 'system',
      content: 'be brief\n\nand kind',
    });
  });
});

describe('context --explain', () => {
  it('tells for each entry whether it is in or out, and by which rule', async () => {
    const path = chain(
      user('a'),
      user('b'),
      { type: 'compaction', summary: 'S', firstKeptEntryId: 'e1' },
      { type: 'label', targetId: 'e1' },
    );
    expect((await context(logOf(path), '--explain')).stdout).toBe(
      [
        'out  line:2     e0        message user           summarised: comes before what the last compaction keeps (compaction e2)',
        'in   line:3     e1        message user           message: a stored message, unchanged',
        'in   line:4     e2        compaction             compaction-summary: the last compaction on the path; its summary comes first',
        'out  line:5     e3        label                  state-only: changes the state, not the messages',
        '',
      ].join('\n'),
    );
  });

  it('speaks of the form that was asked for', async () => {
    const bash = {
      type: 'message',
      message: { role: 'bashExecution', command: 'x', output: '', excludeFromContext: true },
    };
    expect((await context(logOf(chain(bash)), '--explain')).stdout).toContain('in   line:2');
    expect((await context(logOf(chain(bash)), '--explain', '--as', 'llm')).stdout).toContain(
      'excluded: the user ran it outside the context',
    );
  });
});

describe('context --blobs', () => {
  const bytes = Buffer.from('an image');
  const hash = createHash('sha256').update(bytes).digest('hex');
  const store = join(scratch, 'blobs');
  mkdirSync(store);
  writeFileSync(join(store, hash), bytes);
  const image = (data: string): object => ({ type: 'image', data, mimeType: 'image/png' });
  const log = (...hashes: string[]): string =>
    logOf(chain(user([text('é'), ...hashes.map((one) => image(`blob:sha256:${one}`))])));

  it('puts images in the place of their refs, named by the option or the variable', async () => {
    const resolved = [[text('é'), image(bytes.toString('base64'))]];
    expect(await contents(log(hash), '--blobs', store)).toEqual(resolved);
    const byVariable = await run(['context'], { stdin: log(hash), env: { SESSIONCTL_BLOBS: store } });
    expect(jsonLines(byVariable).map((message) => message['content'])).toEqual(resolved);
    const sent = jsonLines(await context(log(hash), '--blobs', store, '--as', 'anthropic'));
    expect(sent[0]?.['content']).toContainEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
    });
  });

  it('leaves refs as they are where no store is named', async () => {
    expect(await contents(log(hash))).toEqual([[text('é'), image(`blob:sha256:${hash}`)]]);
  });

  it('keeps a ref whose blob is missing, with a note and exit 1', async () => {
    const missing = 'f'.repeat(64);
    const ran = await context(log(missing, hash), '--blobs', store);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`-:2: 'blob:sha256:${missing}' is not in the store; the ref is kept`);
    expect(jsonLines(ran)[0]?.['content']).toEqual([
      text('é'),
      image(`blob:sha256:${missing}`),
      image(bytes.toString('base64')),
    ]);
  });
});

describe('context on deep and wide trees', () => {
  it('walks a chain of 100,000 entries and picks one of 50,000 branches without trouble', async () => {
    const deep = Array.from({ length: 100_000 }, (_, at) => {
      const parent = at === 0 ? null : `e${at - 1}`;
      return `{"type":"custom","id":"e${at}","parentId":${JSON.stringify(parent)},"timestamp":"2026-02-16T10:00:00.000Z","customType":"x"}`;
    });
    const wide = Array.from(
      { length: 50_000 },
      (_, at) =>
        `{"type":"message","id":"w${at}","parentId":"e99999","timestamp":"2026-02-16T10:00:00.000Z","message":{"role":"user","content":"${at}"}}`,
    );
    const file = join(scratch, 'deep.jsonl');
    writeFileSync(file, `${[HEADER, ...deep, ...wide].join('\n')}\n`);
    const ran = await run(['context', '--leaf', 'w777', '--profile', 'omp', file]);
    expect(ran).toMatchObject({ code: 0, stdout: '{"role":"user","content":"777"}\n', stderr: '' });
  });
});

describe('context as a program', () => {
  it('reads a file and standard input, and feeds jq', async () => {
    const file = join(sessions, 'omp-compaction.jsonl');
    const ran = await spawnProgram(['context', file]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect((await spawnProgram(['context'], { stdin: readFileSync(file) })).stdout).toBe(ran.stdout);
  });

  it('works in a pipe with jq', async ({ skip }) => {
    const jq = await spawnCommand('bash', ['-c', 'command -v jq']);
    if (jq.code !== 0) skip('jq is not installed');
    const script = 'node bin/sessionctl.js context "$1" | jq -r \'select(.role=="user").content[0].text\'';
    const piped = await spawnCommand('bash', ['-c', script, 'bash', join(sessions, 'omp-compaction.jsonl')], {
      cwd: projectRoot,
    });
    expect(piped.stdout).toBe('Cache the measurements.\nMeasure again.\n');
  });

  it('ends quietly when its reader does', async () => {
    const lines = Array.from({ length: 20_000 }, () => user('x'.repeat(100)));
    const file = join(scratch, 'long.jsonl');
    writeFileSync(file, logOf(chain(...lines)));
    const script = 'set -o pipefail; node bin/sessionctl.js context "$1" | head -n 1';
    const ran = await spawnCommand('bash', ['-c', script, 'bash', file], { cwd: projectRoot });
    expect(ran.stderr).toBe('');
    expect(ran.stdout.split('\n')).toHaveLength(2);
    expect(ran.code).toBe(0);
  });
});
