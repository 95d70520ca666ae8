import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/json/value.ts';
import { severity } from '../../src/status/classes.ts';
import { outcomeOf } from '../../src/status/results.ts';
import { settings } from '../support/properties.ts';
import { projectRoot } from '../support/run.ts';
import { type Row, rowsOf, statusOf } from '../support/status-of.ts';

const folder = join(projectRoot, 'fixtures/status');

/** Taking a denial or an interruption away takes away what was said against going on; every other result is an answer. */
function isPlainResult(row: Row): boolean {
  const message = row.value['message'];
  if (row.value['type'] !== 'message' || !isObject(message) || message['role'] !== 'toolResult') return false;
  const { kind } = outcomeOf(message);
  return kind !== 'denied' && kind !== 'interrupted';
}

/** The log without one entry: its children hang from its parent, and where it was the leaf its parent is. */
function without(rows: readonly Row[], gone: Row, leafId: string | null): { rows: Row[]; leafId: string | null } {
  const parentId = gone.value['parentId'] ?? null;
  const rest = rows
    .filter((row) => row !== gone)
    .map((row) => (row.value['parentId'] === gone.value['id'] ? { ...row, value: { ...row.value, parentId } } : row));
  return {
    rows: rest,
    leafId: leafId === gone.value['id'] ? (typeof parentId === 'string' ? parentId : null) : leafId,
  };
}

function expectNeverMilder(
  rows: readonly Row[],
  leafId: string | null,
  damage: { line: number; rule: string }[] = [],
): number {
  const before = statusOf(rows, { leafId, damage });
  let removed = 0;
  for (const gone of rows.filter(isPlainResult)) {
    const mutated = without(rows, gone, leafId);
    const after = statusOf(mutated.rows, { leafId: mutated.leafId, damage });
    const reported = `${before.verdict} (${before.state}) became ${after.verdict} (${after.state}) without line ${gone.line}`;
    expect(severity(after.verdict), reported).toBeGreaterThanOrEqual(severity(before.verdict));
    // The plain cut, which leaves the children without their parent.
    const cut = rows.filter((row) => row !== gone);
    if (leafId !== gone.value['id']) {
      expect(severity(statusOf(cut, { leafId, damage }).verdict), reported).toBeGreaterThanOrEqual(
        severity(before.verdict),
      );
    }
    removed++;
  }
  return removed;
}

describe('removing a tool result that is no denial and no interruption', () => {
  it('never makes the verdict milder, over all fixtures', () => {
    let removed = 0;
    for (const name of readdirSync(folder)) {
      const { rows, damage } = rowsOf(readFileSync(join(folder, name), 'utf8'));
      if (rows.some((row) => typeof row.value['id'] !== 'string')) continue;
      const leaf = rows.filter((row) => row.value['type'] !== 'session').at(-1)?.value['id'];
      removed += expectNeverMilder(rows, typeof leaf === 'string' ? leaf : null, damage);
    }
    expect(removed).toBeGreaterThan(15);
  });

  it.each([
    ['one says that it runs and one that it ended', ['bash'], ['Process running with session ID 5', 'ok']],
    ['one says that it was skipped and one that it ended', ['task'], ['Skipped due to queued user message.', 'ok']],
    ['two calls have one id', ['bash', 'read'], ['ok', 'Skipped due to queued user message.']],
  ])('never makes the verdict milder where a call has several results: %s', (_, tools, results) => {
    const content = tools.map((name) => ({ type: 'toolCall', id: 'c', name, arguments: { command: 'x' } }));
    const messages: JsonObject[] = [
      { role: 'assistant', content, stopReason: 'toolUse' },
      ...results.map((text) => ({
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'x',
        content: text,
        isError: text.startsWith('Skipped'),
      })),
    ];
    for (const order of [messages, [messages[0], ...messages.slice(1).toReversed()]]) {
      const rows = order.map((message, index) => ({
        line: index + 2,
        value: { type: 'message', id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}`, message },
      }));
      const header = { line: 1, value: { type: 'session', version: 3, id: 's' } };
      expect(expectNeverMilder([header, ...rows], `e${rows.length - 1}`)).toBe(results.length);
    }
  });

  it('never makes the verdict milder, over random sessions', () => {
    let removed = 0;
    fc.assert(
      fc.property(randomSession, ({ rows, leafId }) => {
        removed += expectNeverMilder(rows, leafId);
      }),
      settings(1500),
    );
    expect(removed).toBeGreaterThan(1000);
  });
});

/** A log of entries that hang from each other. */
function chained(...values: readonly JsonObject[]): Row[] {
  const entries = values.map((value, at) => ({
    line: at + 2,
    value: { id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, ...value },
  }));
  return [{ line: 1, value: { type: 'session', version: 3, id: 's' } }, ...entries];
}

const said = (message: JsonObject): JsonObject => ({ type: 'message', message });

describe('a call of a turn that was stopped', () => {
  const stopped = said({
    role: 'assistant',
    content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'make' } }],
    stopReason: 'aborted',
  });
  const startedAfter = (...before: JsonObject[]): string | undefined =>
    statusOf(chained(...before, stopped)).pending[0]?.started;

  it.each<JsonObject>([
    { type: 'model_change', provider: 'a', modelId: 'b' },
    { type: 'session_info', name: 'x' },
    { type: 'context_edit', targetId: 'e0' },
  ])('was not started where the log is by pi, as $type shows', (mark) => {
    expect(startedAfter(mark)).toBe('no');
    expect(startedAfter(mark, { type: 'custom', customType: 'other', data: {} })).toBe('no');
    expect(startedAfter(mark, { type: 'custom', customType: 'session_exit', data: {} })).toBe('maybe');
    expect(startedAfter(mark, { type: 'label', targetId: 'e0', customType: 'session_exit' })).toBe('no');
    expect(startedAfter(mark, { type: 'mode_change', mode: 'plan' })).toBe('maybe');
  });

  it.each<JsonObject>([
    { type: 'model_change', model: 'a/b' },
    { type: 'title_change', title: 'x' },
    { type: 'mode_change', mode: 'plan' },
    { type: 'ttsr_injection' },
    { type: 'model_usage' },
    { type: 'label', targetId: 'e0' },
    { type: 'custom', customType: 'session_exit', data: {} },
  ])('may have been started where $type does not speak for pi', (mark) => {
    expect(startedAfter(mark)).toBe('maybe');
    expect(startedAfter()).toBe('maybe');
  });
});

describe('what a pending call is worth', () => {
  const stopped = (name: string): JsonObject =>
    said({ role: 'assistant', content: [{ type: 'toolCall', id: 'c', name, arguments: {} }], stopReason: 'aborted' });
  const verdictOf = (name: string): string | undefined =>
    statusOf(chained({ type: 'mode_change', mode: 'x' }, stopped(name))).pending[0]?.verdict;

  it('is a look where its turn was stopped, and nothing where it could only read', () => {
    expect(verdictOf('read')).toBe('ready');
    expect(verdictOf('bash')).toBe('check');
  });

  it('is open where one result answers two calls of one id, for which is whose is not known', () => {
    const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: {} };
    const result = said({ role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: 'ok' });
    const turn = said({ role: 'assistant', content: [call, call], stopReason: 'toolUse' });
    expect(statusOf(chained(turn, result)).pending).toHaveLength(2);
    expect(statusOf(chained(turn, result, result)).pending).toHaveLength(0);
    const running = said({
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'bash',
      content: 'Process running with session ID 5',
    });
    const states = (...entries: JsonObject[]): string[] =>
      statusOf(chained(turn, ...entries)).reasons.map(({ state }) => state);
    expect(states(running)).not.toContain('background-process');
    expect(states(running, running)).toContain('background-process');
  });

  it('is known to have started where another branch marks its start, and not where that is about another call', () => {
    const rows = chained(
      said({
        role: 'assistant',
        content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: {} }],
        stopReason: 'toolUse',
      }),
    );
    const mark = (toolCallId: string): Row => ({
      line: 9,
      value: { type: 'custom', id: 'm', parentId: 'e0', customType: 'tool_execution_start', data: { toolCallId } },
    });
    expect(statusOf([...rows, mark('c')], { leafId: 'e0' }).pending[0]?.started).toBe('maybe');
    expect(statusOf([...rows, mark('d')], { leafId: 'e0' }).pending[0]?.started).toBe('no');
    const empty: Row = { line: 9, value: { type: 'message', id: 'm', parentId: 'e0' } };
    expect(statusOf([...rows, empty], { leafId: 'e0' }).pending[0]?.started).toBe('maybe');
  });
});

describe('the last stable entry', () => {
  it('is no turn that was cut off, and no turn whose calls are open', () => {
    const stop = said({ role: 'assistant', content: 'done', stopReason: 'stop' });
    const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: {} };
    const stableOf = (message: JsonObject): string | null =>
      statusOf(chained(stop, said({ role: 'assistant', ...message }))).lastStableEntryId;
    expect(stableOf({ content: 'on', stopReason: 'stop' })).toBe('e1');
    for (const stopReason of ['aborted', 'error', 'length', 'toolUse'])
      expect(stableOf({ content: 'on', stopReason })).toBe('e0');
    expect(stableOf({ content: [call], stopReason: 'stop' })).toBe('e0');
    expect(statusOf(chained(stop, said({ role: 'user', content: 'go' }))).lastStableEntryId).toBe('e0');
  });

  it('comes with the reason why it is not the leaf', () => {
    const stop = said({ role: 'assistant', content: 'done', stopReason: 'stop' });
    const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: {} };
    const why = (...entries: JsonObject[]): string | null => statusOf(chained(stop, ...entries)).lastStableReason;
    expect(why()).toBe(null);
    expect(why({ type: 'label', targetId: 'e0', label: 'x' })).toBe(null);
    expect(why(said({ role: 'user', content: 'go' }))).toBe("the user's message after it has no answer yet");
    const user = said({ role: 'user', content: 'go' });
    expect(why(user, said({ role: 'assistant', content: [call, { ...call, id: 'd' }], stopReason: 'toolUse' }))).toBe(
      '2 calls after it have no result (bash)',
    );
    expect(why(user, said({ role: 'assistant', content: [], stopReason: 'error' }))).toBe(
      "the turn after it ended as 'error'",
    );
    expect(why(user, said({ role: 'assistant', content: [] }))).toBe('the turn after it does not say how it ended');
    expect(why({ type: 'custom_message', customType: 'x', content: 'c' })).toBe(
      'an extension added a message after it',
    );
    expect(why(said({ role: 'bashExecution', command: 'ls' }))).toBe("a message of role 'bashExecution' follows it");
    expect(statusOf(chained(said({ role: 'user', content: 'go' })))).toMatchObject({
      lastStableEntryId: null,
      lastStableReason: null,
    });
  });
});

describe('what is said', () => {
  const stop = said({ role: 'assistant', content: 'done', stopReason: 'stop' });

  it('of lines that are damaged off the path names the rule of one and counts several', () => {
    const rows = chained(stop, stop, stop);
    const reasonOf = (...lines: number[]): string | undefined =>
      statusOf(rows, { damage: lines.map((line) => ({ line, rule: 'torn-line' })) }).reasons.find(
        ({ state }) => state === 'damaged',
      )?.reason;
    expect(reasonOf(2)).toBe('a line that is not on the path is damaged (torn-line): newer work may have been there');
    expect(reasonOf(2, 3)).toBe('2 lines that are not on the path are damaged: newer work may have been there');
  });

  it('of damage behind the last entry is that an append was cut, although the file ends with a newline', () => {
    const damage = (more: object) => [{ line: 9, rule: 'torn-line', ...more }];
    expect(statusOf(chained(stop), { damage: damage({}) })).toMatchObject({ verdict: 'blocked', state: 'damaged' });
    const reasons = (more: object): string[] =>
      statusOf(chained(stop), { damage: damage(more) }).reasons.map(({ reason }) => reason);
    expect(reasons({})).toEqual([
      'the end of the file is damaged (torn-line): an append was interrupted, and its content is unknown',
    ]);
    const { evidence } = statusOf(chained(stop), { damage: damage({}) });
    expect(evidence).toContainEqual({ entryId: null, line: 9, what: 'damaged: torn-line' });
    expect(reasons({ needed: true })).toEqual([
      'a line that the session needs is damaged (torn-line): the log is incomplete',
    ]);
  });

  it('of a provider error is that its kind is guessed, and of a version 1 log that agents rewrite it', () => {
    const limits = (...entries: JsonObject[]): string => statusOf(chained(...entries)).limits.join('\n');
    const failed = said({ role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' });
    expect(limits(failed)).toContain('the kind of a provider error is guessed from its text');
    expect(limits(stop)).not.toContain('provider error');
    expect(limits(stop)).toContain('how the process ended is not recorded at this leaf');
  });

  it('of a denial names the tool, where the log does', () => {
    const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'make' } };
    const denied = (toolName: string): string | undefined =>
      statusOf(
        chained(
          said({ role: 'assistant', content: [call], stopReason: 'toolUse' }),
          said({ role: 'toolResult', toolCallId: 'c', toolName, content: 'Tool call rejected by user', isError: true }),
        ),
      ).reasons.find(({ state }) => state === 'permission-denied')?.reason;
    expect(denied('bash')).toMatch(/^bash \(c\) was denied/);
    expect(denied('')).toMatch(/^a tool \(c\) was denied/);
  });

  it('of a budget that was used up decides until the user speaks again, and is evidence then', () => {
    const note: JsonObject = { type: 'custom_message', customType: 'goal-budget-limit', content: '', display: false };
    const user = said({ role: 'user', content: 'go on' });
    const what = "the host said that the goal's budget is used up";
    expect(statusOf(chained(user, stop, note))).toMatchObject({ verdict: 'confirm', state: 'budget-exhausted' });
    const later = statusOf(chained(user, stop, note, user));
    expect(later).toMatchObject({ verdict: 'ready', state: 'user-last' });
    expect(later.evidence).toContainEqual({ entryId: 'e2', line: 4, what });
  });
});

describe('calls and results that are not as they should be', () => {
  const turn = (...calls: JsonObject[]): JsonObject =>
    said({ role: 'assistant', content: calls.map((call) => ({ type: 'toolCall', ...call })), stopReason: 'toolUse' });
  const stop = said({ role: 'assistant', content: 'done', stopReason: 'stop' });

  it('a message entry without a message changes nothing', () => {
    expect(statusOf(chained(stop, { type: 'message' }))).toMatchObject({
      verdict: 'ready',
      state: 'stable',
      lastStableEntryId: 'e1',
    });
  });

  it('a call without an id or a name is pending, and no result answers it', () => {
    const result = said({ role: 'toolResult', content: 'ok' });
    const status = statusOf(chained(turn({ arguments: {} }), result));
    expect(status.pending).toMatchObject([{ toolCallId: '', toolName: '', class: 'unknown' }]);
    expect(status.reasons[0]?.reason).toContain('1 call without a result (a tool without a name)');
  });

  it('the arguments of an older call stand in input', () => {
    const status = statusOf(chained(turn({ id: 'c', name: 'bash', input: { command: 'rm x' } })));
    expect(status.pending[0]?.hint).toBe('destructive or external');
  });

  it('a denial without a name of the tool has the name of its call', () => {
    const denied = { role: 'toolResult', toolCallId: 'c', content: 'Tool call rejected by user', isError: true };
    const named = statusOf(chained(turn({ id: 'c', name: 'bash', arguments: {} }), said(denied)));
    expect(named.denials).toMatchObject([{ toolCallId: 'c', toolName: 'bash', current: true }]);
    expect(statusOf(chained(said(denied))).denials).toMatchObject([{ toolCallId: 'c', toolName: '' }]);
  });

  it('a call of an earlier turn that nobody answered is evidence, by its name or as a tool', () => {
    const user = said({ role: 'user', content: 'go on' });
    const evidence = (name: string): string[] =>
      statusOf(chained(turn({ id: 'c', name, arguments: {} }), user, stop)).evidence.map(({ what }) => what);
    expect(evidence('bash')).toContain('bash (c) of an earlier turn has no result on this path');
    expect(evidence('')).toContain('a tool (c) of an earlier turn has no result on this path');
  });

  it('a result on another branch is reported by its id, or by its line where it has none', () => {
    const rows = chained(turn({ id: 'c', name: 'bash', arguments: {} }));
    const result = { role: 'toolResult', toolCallId: 'c', content: 'ok' };
    const elsewhere = (id: unknown): string | undefined =>
      statusOf([...rows, { line: 9, value: { type: 'message', id, parentId: 'e0', message: result } }], {
        leafId: 'e0',
      }).pending[0]?.reason;
    expect(elsewhere('other')).toContain('its result is on another branch (other)');
    expect(elsewhere(undefined)).toContain('its result is on another branch (line 9)');
    const several = ['first', 'second'].map((id, at) => ({
      line: 9 + at,
      value: { type: 'message', id, parentId: 'e0', message: result },
    }));
    expect(statusOf([...rows, ...several], { leafId: 'e0' }).pending[0]?.resultElsewhere).toEqual({
      entryId: 'first',
      line: 9,
    });
  });

  it('a start that is marked on another branch without saying of what only shows that the writer marks starts', () => {
    const rows = chained(turn({ id: 'c', name: 'bash', arguments: {} }));
    const mark = { line: 9, value: { type: 'custom', id: 'm', parentId: 'e0', customType: 'tool_execution_start' } };
    expect(statusOf(rows, { leafId: 'e0' }).pending[0]?.started).toBe('maybe');
    expect(statusOf([...rows, mark], { leafId: 'e0' }).pending[0]?.started).toBe('no');
  });

  it('a turn that does not say how it ended is to be looked at', () => {
    const ended = (more: JsonObject): string | undefined =>
      statusOf(chained(said({ role: 'assistant', content: 'x', ...more }))).reasons[0]?.reason;
    expect(ended({})).toBe('the last turn does not say how it ended');
    expect(ended({ stopReason: 'odd' })).toBe("the last turn ended as 'odd' without a tool call");
  });

  it('a compaction that names no entry, or none on the path, blocks; one that names itself does not', () => {
    const compaction = (more: JsonObject): JsonObject => ({ type: 'compaction', summary: 's', ...more });
    const judged = (more: JsonObject) => statusOf(chained(stop, compaction(more)));
    expect(judged({ firstKeptEntryId: 'e0' }).verdict).toBe('ready');
    expect(judged({ firstKeptEntryId: 'e1' }).verdict).toBe('ready');
    expect(judged({}).reasons[0]).toMatchObject({
      verdict: 'blocked',
      reason: expect.stringContaining('has no first kept entry'),
    });
    expect(judged({ firstKeptEntryId: 'x' }).reasons[0]).toMatchObject({
      verdict: 'blocked',
      reason: expect.stringContaining("'x' as first kept"),
    });
    expect(judged({ firstKeptEntryId: 'e0', summary: 7 }).reasons[0]?.reason).toBe(
      'the last compaction has no summary',
    );
  });
});

describe('a command of the user', () => {
  const user = said({ role: 'user', content: 'go' });
  const bash = (more: JsonObject): JsonObject => said({ role: 'bashExecution', ...more });
  const judged = (...entries: JsonObject[]) => {
    const { verdict, evidence } = statusOf(chained(user, ...entries));
    return { verdict, what: evidence.map(({ what }) => what).filter((what) => what.startsWith("a user's command")) };
  };

  it('says nothing where it ended', () => {
    expect(judged(bash({ command: 'ls', exitCode: 1 }))).toEqual({ verdict: 'ready', what: [] });
  });

  it('was cancelled: partial effects are possible, and nothing runs', () => {
    expect(judged(bash({ command: 'ls', cancelled: true }))).toEqual({
      verdict: 'ready',
      what: ["a user's command was canceled: partial effects are possible"],
    });
  });

  it('was sent to the background, or never ended: it may still run, until the user speaks again', () => {
    const left = "a user's command was sent to the background";
    expect(judged(bash({ command: 'serve &', exitCode: 0 }))).toEqual({ verdict: 'check', what: [left] });
    expect(judged(bash({ command: 'serve &', exitCode: 0 }), user)).toEqual({ verdict: 'ready', what: [left] });
    expect(judged(bash({})).what).toEqual(["a user's command has no exit code: it may not have ended"]);
    expect(judged(bash({})).verdict).toBe('check');
  });
});

describe('how the process ended', () => {
  const stop = said({ role: 'assistant', content: 'done', stopReason: 'stop' });
  const exit = (data: unknown): JsonObject => ({ type: 'custom', customType: 'session_exit', data });
  const reported = (data: unknown): string[] => statusOf(chained(stop, exit(data))).evidence.map(({ what }) => what);

  it('is reported with its reason where there is one', () => {
    expect(reported({ kind: 'normal', reason: 'quit' })).toContain('the process ended normally (quit)');
    expect(reported({ kind: 'normal' })).toContain('the process ended normally');
    expect(reported(7)).toContain("the process ended as 'unknown': entries that were not written yet may be missing");
  });

  it('is forgotten once somebody takes the session up again', () => {
    const after = statusOf(chained(stop, exit({ kind: 'signal' }), said({ role: 'user', content: 'on' })));
    expect(after).toMatchObject({ verdict: 'ready', state: 'user-last' });
  });
});

const TOOLS = ['read', 'bash', 'edit', 'todo', 'web_fetch', 'task', 'ask', 'mcp__a__b', 'other'];
const RESULTS: readonly JsonObject[] = [
  { content: 'ok', isError: false },
  { content: 'failed', isError: true },
  { content: 'Tool call rejected by user', isError: true },
  { content: 'x\nCommand aborted', isError: true },
  { content: 'x\nCommand timed out after 5 seconds', isError: true },
  { content: 'Skipped due to queued user message.', isError: true },
  { content: 'Process running with session ID 5', isError: false },
  { content: 'no', isError: true, details: { __synthetic: true, executed: false, source: 'interrupt_skipped' } },
  { content: 'no', isError: true, details: { __synthetic: true, executed: false, source: 'assistant_stop_error' } },
  { content: 'no', isError: true, details: { __interrupted: true, execution: 'started' } },
  { content: 'Tool x not found', isError: true },
];

type Step =
  | { kind: 'user' }
  | { kind: 'exit' }
  | { kind: 'budget' }
  | { kind: 'compaction' }
  | { kind: 'model' }
  | { kind: 'assistant'; stop: string; calls: { id: number; tool: string; background: boolean }[] }
  | { kind: 'result' | 'start' | 'finished' | 'policy'; id: number; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('user', 'exit', 'budget', 'compaction', 'model').map((kind) => ({ kind }) as Step),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('assistant' as const),
      stop: fc.constantFrom('stop', 'toolUse', 'toolUse', 'aborted', 'error', 'length', 'odd'),
      calls: fc.array(fc.record({ id: fc.nat(3), tool: fc.constantFrom(...TOOLS), background: fc.boolean() }), {
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('result', 'result', 'result', 'start', 'finished', 'policy') as fc.Arbitrary<'result'>,
      id: fc.nat(3),
      which: fc.nat(RESULTS.length - 1),
    }),
  },
);

/** Any order of anything, with branches; ids of calls repeat, within a message too. */
const randomSession = fc
  .record({
    omp: fc.boolean(),
    steps: fc.array(fc.tuple(step, fc.nat(9)), { minLength: 1, maxLength: 14 }),
    leaf: fc.nat(20),
  })
  .map(({ omp, steps, leaf }) => {
    const rows: Row[] = [{ line: 1, value: { type: 'session', version: 3, id: 's', timestamp: 't', cwd: '/' } }];
    const add = (value: JsonObject, branch: number): void => {
      const count = rows.length;
      // Mostly a straight line; sometimes a branch from one of the entries before.
      const parent = count === 1 ? null : `e${branch === 0 ? Math.max(1, count - 2) : count - 1}`;
      rows.push({
        line: count + 1,
        value: { ...value, id: `e${count}`, parentId: parent, timestamp: '2026-01-01T00:00:00.000Z' },
      });
    };
    add(omp ? { type: 'model_change', model: 'a/b' } : { type: 'model_change', provider: 'a', modelId: 'b' }, 1);
    for (const [one, branch] of steps) add(entryOf(one), branch);
    const last = rows.length - 1;
    return { rows, leafId: `e${leaf === 0 ? Math.max(1, last - 1) : last}` };
  });

function entryOf(one: Step): JsonObject {
  if (one.kind === 'user') return { type: 'message', message: { role: 'user', content: 'go' } };
  if (one.kind === 'model') return { type: 'thinking_level_change', thinkingLevel: 'high' };
  if (one.kind === 'exit')
    return { type: 'custom', customType: 'session_exit', data: { kind: 'signal', reason: 'SIGTERM' } };
  if (one.kind === 'budget')
    return { type: 'custom_message', customType: 'goal-budget-limit', content: '', display: false };
  if (one.kind === 'compaction') return { type: 'compaction', summary: 'x', firstKeptEntryId: 'e1', tokensBefore: 1 };
  if (one.kind === 'assistant') {
    const content = one.calls.map(({ id, tool, background }) => ({
      type: 'toolCall',
      id: `c${id}`,
      name: tool,
      arguments: { command: background ? 'x &' : 'x', path: 'a' },
    }));
    const errorMessage = one.stop === 'error' ? { errorMessage: 'overloaded' } : {};
    return { type: 'message', message: { role: 'assistant', content, stopReason: one.stop, ...errorMessage } };
  }
  if (one.kind === 'result') {
    return {
      type: 'message',
      message: { role: 'toolResult', toolCallId: `c${one.id}`, toolName: 'x', ...RESULTS[one.which] },
    };
  }
  const customType = { start: 'tool_execution_start', finished: 'event-log/tool.finished', policy: 'event-log/policy' }[
    one.kind
  ];
  return { type: 'custom', customType, data: { toolCallId: `c${one.id}` } };
}
