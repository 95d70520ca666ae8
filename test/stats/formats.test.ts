import { appendFileSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile } from '../../src/stats/read-file.ts';
import { type FileActivity, LineFiles, type UnreadFile } from '../../src/stats/read-lines.ts';
import { GROUPS } from '../../src/stats/rows.ts';
import { testIo } from '../support/io.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const formats = join(projectRoot, 'fixtures/formats');
const scratch = scratchFolder();

async function stats(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(['stats', '--json', '--tz', 'UTC', ...args]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Logs of other agents, counted by hand with jq: turns, tool calls, errors, tokens of input, output, cache read, cache write and reasoning. */
const COUNTED: readonly (readonly [file: string, counts: readonly number[]])[] = [
  ['claude-code/2.1.325/plain.jsonl', [1, 0, 0, 101, 42, 10, 20, 0]],
  ['claude-code/2.1.325/tools.jsonl', [1, 7, 4, 515, 210, 50, 100, 0]],
  ['claude-code/2.1.325/compact-manual.jsonl', [2, 7, 4, 616, 252, 60, 120, 0]],
  ['claude-code/2.1.100/tools.jsonl', [1, 7, 4, 520, 210, 50, 100, 0]],
  ['codex/0.166.0/plain.jsonl', [1, 0, 0, 121, 42, 10, 0, 7]],
  ['codex/0.166.0/tools.jsonl', [1, 7, 4, 615, 210, 50, 0, 35]],
  ['codex/0.166.0/compact-manual.jsonl', [2, 7, 4, 858, 294, 70, 0, 49]],
  ['codex/0.98.0/resume.jsonl', [3, 7, 4, 857, 294, 70, 0, 49]],
  ['gemini/0.61.0/plain.jsonl', [1, 0, 0, 111, 49, 10, 0, 7]],
  ['gemini/0.61.0/tools.jsonl', [1, 7, 3, 565, 245, 50, 0, 35]],
  ['opencode/1.18.33/plain.json', [1, 0, 0, 112, 42, 10, 0, 0]],
  ['opencode/1.18.33/tools.json', [1, 7, 2, 570, 210, 50, 0, 0]],
];

/** The same for native logs, and for one of a format that has no agent of its own. */
const COUNTED_OF_OURS: typeof COUNTED = [
  ['../sessions/pi-branches.jsonl', [3, 5, 0, 21_070, 1190, 56_000, 0, 0]],
  ['../sessions/pi-compaction.jsonl', [5, 2, 2, 16_161, 903, 40_800, 0, 0]],
  ['../sessions/omp-compaction.jsonl', [3, 3, 0, 12_307, 681, 29_600, 0, 0]],
  ['../sessions/omp-plan.jsonl', [1, 1, 0, 5176, 288, 12_800, 0, 0]],
  ['atif/tools-1.4.json', [1, 3, 0, 150, 80, 1000, 50, 0]],
];

describe('stats of one log', () => {
  it.each([...COUNTED, ...COUNTED_OF_OURS])('counts what a count by hand finds: %s', async (file, counts) => {
    const [row, ...others] = await stats('--by', 'agent', join(formats, file));
    expect(others).toEqual([]);
    const keys = [
      'turns',
      'toolCalls',
      'errors',
      'inputTokens',
      'outputTokens',
      'cacheReadTokens',
      'cacheWriteTokens',
      'reasoningTokens',
    ];
    expect([1, ...keys.map((key) => row?.[key])]).toEqual([row?.['sessions'], ...counts]);
  });
});

const [lineFiles, plainFiles] = (['compiled', 'off'] as const).map(
  (scanner) => new LineFiles(scanner, testIo().random),
) as [LineFiles, LineFiles];

/** What counts, without the names that it goes by. */
function countsOf(activity: FileActivity | UnreadFile | undefined): unknown {
  if (!activity || 'error' in activity) throw new Error(`not read: ${activity?.error}`);
  return activity.sessions.map(({ cwd, answers, prompts }) => ({
    cwd,
    answers: answers
      .map(({ time, model, tokens, tools, failed }) => ({
        time,
        model,
        tokens,
        tools,
        failed,
      }))
      .filter(
        ({ tokens, tools, failed }) => failed || tools.length > 0 || Object.values(tokens).some((count) => count > 0),
      )
      .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    prompts: prompts.map(({ time }) => time),
  }));
}

describe('what stats reads of the records themselves', () => {
  const logs = ['claude-code/2.1.325', 'claude-code/2.1.100']
    .flatMap((folder) => readdirSync(join(formats, folder)).map((name) => join(folder, name)))
    .filter((name) => /(?<!\.native)\.jsonl$/.test(name));

  it.each(logs)('is what their native form says: %s', async (name) => {
    const path = join(formats, name);
    expect(countsOf(await lineFiles.read(path))).toEqual(countsOf(await readFile({ path }, testIo())));
    expect(await lineFiles.read(path)).toEqual(await plainFiles.read(path));
  });

  it.each(['pi-branches', 'pi-compaction'])('is what the open log says: %s', async (name) => {
    const path = join(projectRoot, 'fixtures/sessions', `${name}.jsonl`);
    expect(countsOf(await lineFiles.read(path))).toEqual(countsOf(await readFile({ path }, testIo())));
  });
});

describe('stats of several logs', () => {
  const total = async (...files: readonly string[]): Promise<Record<string, unknown>> => {
    const [row = {}] = await stats('--by', 'agent', ...files);
    return row;
  };

  it.each([
    ['claude-code/2.1.325/fork.jsonl', 'claude-code/2.1.325/fork-2.jsonl', 3, 303],
    ['claude-code/2.1.100/fork.jsonl', 'claude-code/2.1.100/fork-2.jsonl', 3, 306],
    ['codex/0.166.0/fork.jsonl', 'codex/0.166.0/fork-2.jsonl', 3, 363],
    ['opencode/1.18.33/fork.json', 'opencode/1.18.33/fork-2.json', 3, 334],
  ])('counts what a fork has copied once: %s', async (original, fork, turns, inputTokens) => {
    const both = await total(join(formats, original), join(formats, fork));
    expect(both).toMatchObject({ turns, inputTokens, sessions: 2 });
    expect(await total(join(formats, fork), join(formats, original))).toEqual(both);
  });

  it.each([
    ['codex/0.166.0/fork-2.jsonl', 1, 121],
    ['codex/hand/copied-fork.jsonl', 1, 10],
  ])('counts of a fork alone what is its own: %s', async (fork, turns, inputTokens) => {
    expect(await total(join(formats, fork))).toMatchObject({ turns, inputTokens, sessions: 1 });
  });

  it.each(COUNTED)('counts a copy and a converted session once: %s', async (file) => {
    const [path, copy, native] = [
      join(formats, file),
      join(scratch, `copy.${file.split('.').at(-1)}`),
      join(scratch, 'n.jsonl'),
    ];
    copyFileSync(path, copy);
    const converted = await run(['convert', path, '-o', native]);
    expect(converted.code, converted.stderr).toBe(0);
    const alone = (await stats('--by', 'month', path))[0];
    expect((await stats('--by', 'month', path, copy, native))[0]).toEqual(alone);
    expect((await stats('--by', 'month', native, copy, path))[0]).toEqual(alone);
  });

  /** What becomes of a session, and how that is made of its file. */
  const MADE: Readonly<Record<string, (path: string, made: string) => Promise<void>>> = {
    copied: async (path, made) => copyFileSync(path, made),
    forked: async (path, made) => await succeed('fork', path, '@', '-o', made),
    'forked with new ids': async (path, made) => await succeed('fork', '--new-ids', path, '@', '-o', made),
    converted: async (path, made) => await succeed('convert', '--to', toOther(path), path, '-o', made),
  };
  const toOther = (path: string): string => (path.includes('/pi-') ? 'omp' : 'pi');
  const succeed = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await run(args);
    // 1 says that something is not as it was, such as a branch that a fork does not have.
    expect(code, stderr).toBeLessThan(2);
  };
  /** Without the names of agents and sessions. */
  const counted = async (...files: readonly string[]): Promise<unknown> => await stats('--by', 'day', ...files);

  describe.each(Object.entries(MADE))('counts a session once that was %s', (_, make) => {
    it.each([
      'pi-branches',
      'pi-compaction',
      'pi-images',
      'pi-reworded',
      'pi-version-2',
      'omp-compaction',
      'omp-plan',
      'omp-screenshot',
    ])('%s', async (name) => {
      const path = join(projectRoot, 'fixtures/sessions', `${name}.jsonl`);
      const made = join(scratch, 'made.jsonl');
      rmSync(made, { force: true });
      await make(path, made);
      const alone = await counted(path);
      expect(await counted(path, made)).toEqual(alone);
      expect(await counted(made, path)).toEqual(alone);
    });
  });

  it.each(COUNTED)('counts a session once that was converted and then forked with new ids: %s', async (file) => {
    const [path, native, fork] = [join(formats, file), join(scratch, 'n.jsonl'), join(scratch, 'f.jsonl')];
    await succeed('convert', path, '-o', native);
    await succeed('fork', '--new-ids', native, '@', '-o', fork);
    expect(await counted(path, native, fork)).toEqual(await counted(path));
    expect(await counted(native, fork)).toEqual(await counted(native));
  });

  it('adds what a session that was resumed did in a copy of its log', async () => {
    const path = join(projectRoot, 'fixtures/sessions/pi-compaction.jsonl');
    const resumed = join(scratch, 'resumed.jsonl');
    await succeed('fork', '--new-ids', path, '@', '-o', resumed);
    const before = await total(path, resumed);
    const usage = { input: 5, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: 12 };
    const message = { role: 'assistant', content: [], provider: 'p', model: 'm', usage, timestamp: 1 };
    const facts = { type: 'message', id: 'ffffffff', parentId: null, timestamp: '2027-01-01T00:00:00.000Z' };
    appendFileSync(resumed, `${JSON.stringify({ ...facts, message })}\n`);
    expect((await total(path, resumed))['totalTokens']).toBe(Number(before['totalTokens']) + 12);
  });

  it.each(['claude-code', 'codex', 'gemini', 'opencode'])('has one sum, whatever the rows are: %s', async (agent) => {
    const sums = async (by: string): Promise<unknown> => {
      const rows = await stats('--by', by, join(formats, agent));
      const keys = Object.keys(rows[0] ?? {}).filter((key) => key !== by && key !== 'sessions');
      return Object.fromEntries(keys.map((key) => [key, rows.reduce((sum, row) => sum + Number(row[key]), 0)]));
    };
    const byDay = await sums('day');
    expect(byDay).toHaveProperty(
      'outputTokens',
      expect.toSatisfy((tokens) => tokens > 0),
    );
    for (const by of GROUPS) expect(await sums(by), by).toEqual(byDay);
  });

  it('keeps calls apart that were made at the same time', async () => {
    const log = (id: string, ...outputs: readonly number[]): string =>
      `{"type":"session","version":3,"id":"${id}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/r"}\n${outputs
        .map((output, at) =>
          JSON.stringify({
            ...{ type: 'message', id: `${id}${at}`, parentId: null, timestamp: '2026-01-01T00:00:01.000Z' },
            message: { role: 'assistant', content: [], provider: 'p', model: 'm', usage: { input: 1, output } },
          }),
        )
        .join('\n')}\n`;
    const [one, other] = [join(scratch, 'one.jsonl'), join(scratch, 'other.jsonl')];
    writeFileSync(one, log('s1', 10, 10));
    writeFileSync(other, log('s2', 20));
    expect(await total(one, other)).toMatchObject({ outputTokens: 40 });
  });

  it('keeps two sessions apart whose entries have one id by chance', async () => {
    const log = (id: string, time: string): string =>
      `{"type":"session","version":3,"id":"${id}","timestamp":"${time}","cwd":"/r"}\n` +
      `{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"${time}","message":{"role":"user","content":"hi"}}\n`;
    const [one, other] = [join(scratch, 'one.jsonl'), join(scratch, 'other.jsonl')];
    writeFileSync(one, log('s1', '2026-01-01T00:00:00.000Z'));
    writeFileSync(other, log('s2', '2026-01-02T00:00:00.000Z'));
    expect(await total(one, other)).toMatchObject({ sessions: 2, turns: 2 });
  });
});
