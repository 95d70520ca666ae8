import { describe, expect, it } from 'vitest';
import { type StatusSource, statusText } from '../../src/status/text.ts';
import type { PendingCall, Status } from '../../src/status/types.ts';
import { PLAIN } from '../../src/util/io.ts';

const same = (text: string): string => text;

const calm: Status = {
  session: 's',
  leafId: 'leaf',
  verdict: 'ready',
  state: 'stable',
  reasons: [{ verdict: 'ready', state: 'stable', reason: 'all is done' }],
  pending: [],
  denials: [],
  earlierUnanswered: [],
  lastStableEntryId: 'leaf',
  lastStableReason: null,
  next: null,
  checklist: [],
  evidence: [],
  limits: ['the gate reasons about the log'],
};
const call: PendingCall = {
  toolCallId: 'c1',
  toolName: 'bash',
  class: 'process',
  idempotency: 'unsafe',
  policy: 'require-user-confirmation',
  started: 'maybe',
  verdict: 'confirm',
  reason: 'x',
};

function lines(
  status: Partial<Status>,
  source: Partial<StatusSource> = {},
  style = PLAIN,
  clean = same,
  verbose = false,
): string[] {
  const about = { name: 'log.jsonl', hasTree: true, unit: 'line', ...source } as const;
  return statusText({ ...calm, ...status }, about, { style, clean, verbose })
    .trimEnd()
    .split('\n');
}

const stable = (lastStableEntryId: string | null, source: Partial<StatusSource> = {}): string | undefined =>
  lines({ lastStableEntryId }, source).find((line) => line.includes('last stable entry'));

describe('the status for a person', () => {
  it('says what the verdict means, in its color', () => {
    const style = {
      ...PLAIN,
      green: (text: string) => `G${text}`,
      yellow: (text: string) => `Y${text}`,
      red: (text: string) => `R${text}`,
    };
    const first = (verdict: Status['verdict']): string | undefined => lines({ verdict }, {}, style)[0];
    expect(first('ready')).toBe('Gready: safe to resume (stable)');
    expect(first('check')).toBe('Ycheck: look first, then resume (stable)');
    expect(first('confirm')).toBe('Yconfirm: ask the user before resuming (stable)');
    expect(first('blocked')).toBe('Rblocked: must not be resumed in this state (stable)');
  });

  it('gives two reasons that speak against going on, with their lines, and counts the others', () => {
    const reason = (text: string, line?: number) =>
      ({ verdict: 'check', state: 'started', reason: text, ...(line ? { line } : {}) }) as const;
    const why = (...reasons: Status['reasons']): string[] =>
      lines({ verdict: 'check', reasons }).filter((line) => /why|more reason/.test(line));
    expect(why(...calm.reasons)).toEqual(['  why: all is done']);
    expect(why(...calm.reasons, reason('one', 3))).toEqual(['  why: one (line 3)']);
    expect(why(reason('one'), reason('two'))).toEqual(['  why: one', '  why: two']);
    expect(why(reason('one'), reason('two'), reason('three'))).toEqual([
      '  why: one',
      '  why: two',
      '  and 1 more reason in --json',
    ]);
  });

  it('tells of a pending call what is known, and of no more than three calls', () => {
    const pending = (...calls: Partial<PendingCall>[]): string[] =>
      lines({ pending: calls.map((one) => ({ ...call, ...one })) }).filter((line) => line.includes('pending'));
    expect(pending({})).toEqual(['  pending: bash c1 (process, unsafe): may have run; require-user-confirmation']);
    expect(pending({ started: 'yes', toolName: '' })[0]).toContain('(no name) c1 (process, unsafe): ran;');
    expect(pending({ started: 'no' })[0]).toContain(': not started;');
    const probe = { result: 'appears applied', reason: 'x' } as const;
    expect(pending({ probe, hint: 'destructive or external' })[0]).toContain(
      '; workspace: appears applied; hint: destructive or external',
    );
    expect(pending({}, {}, {})).toHaveLength(3);
    expect(pending({}, {}, {}, {}, {}).at(-1)).toBe('  and 2 more pending calls in --json');
  });

  it('names what was denied since the user last spoke, three of them at most', () => {
    const denial = (toolName: string, current = true) => ({
      toolCallId: 'c',
      toolName,
      entryId: 'e',
      line: 1,
      text: 'no',
      current,
    });
    const denied = (...denials: Status['denials']): string | undefined =>
      lines({ denials }).find((line) => line.includes('denied'));
    expect(denied(denial('bash', false))).toBeUndefined();
    expect(denied(denial('bash'), denial('edit', false))).toBe('  denied: bash c');
    expect(denied(denial('a'), denial('b'), denial('d'))).toBe('  denied: a c, b c, d c');
    expect(denied(denial('a'), denial('b'), denial('d'), denial('e'))).toBe('  denied: a c, b c, d c ...');
  });

  it('tells with --verbose what is not known in short words, and a new item of the checklist by its own name', () => {
    const item = (name: string, value: 'yes' | 'unknown' = 'unknown') => ({ item: name, value, reason: 'x' });
    const checklist = [
      item('no half tool'),
      item('budget left', 'yes'),
      item('permission still valid'),
      item('something new'),
    ];
    const verbose = lines({ checklist }, {}, PLAIN, same, true);
    expect(verbose).toContain('  unknown: half-run tools, permissions, something new');
    expect(verbose).toContain('  the gate reasons about the log');
    expect(lines({ checklist }).join()).not.toMatch(/unknown|gate/);
  });

  it('says where to start from: the leaf, an entry to fork from, or nothing', () => {
    expect(lines({ leafId: null, lastStableEntryId: null })).toContain('  leaf: none');
    expect(stable(null)).toBe('  last stable entry: none');
    expect(stable('leaf')).toBe('  last stable entry: leaf, the leaf itself');
    expect(stable('abc')).toBe('  last stable entry: abc (sessionctl fork log.jsonl abc starts from there)');
    const reported = { lastStableEntryId: 'abc', lastStableReason: "the user's message after it has no answer yet" };
    expect(lines(reported)).toContain(
      "  last stable entry: abc, because the user's message after it has no answer yet (sessionctl fork log.jsonl abc starts from there)",
    );
    expect(lines({ ...reported, verdict: 'check' })).toContain(
      '  last stable entry: abc (sessionctl fork log.jsonl abc starts from there)',
    );
    expect(stable('abc', { hasTree: false })).toBe('  last stable entry: abc (migrate the log, then fork it there)');
  });

  it('ends with the command to run next, as a shell takes it', () => {
    const last = (next: Status['next'], name = 'log.jsonl'): string | undefined => lines({ next }, { name }).at(-1);
    expect(last(null)).toBe('  next: sessionctl log -n 5 log.jsonl');
    expect(lines({ verdict: 'confirm' }).at(-1)).toBe('  next: sessionctl log -n 5 log.jsonl');
    expect(last({ command: 'repair' })).toBe('  next: sessionctl repair -i --backup log.jsonl');
    expect(last({ command: 'migrate' }, 'a b.jsonl')).toBe("  next: sessionctl migrate -i --backup 'a b.jsonl'");
    expect(last({ command: 'validate' }, '-x.jsonl')).toBe('  next: sessionctl validate ./-x.jsonl');
    expect(last({ command: 'fork', entryId: "it's" })).toBe(
      "  next: sessionctl fork log.jsonl 'id:it'\\''s' -o new.jsonl",
    );
    const argv = ['pi', '--session', 'a b'];
    expect(last({ command: 'resume', argv })).toBe("  next: pi --session 'a b'");
    expect(last({ command: 'resume', argv, cwd: '/c d' })).toBe("  next: cd '/c d' && pi --session 'a b'");
    expect(last({ command: 'log' }, '-')).toBe('  next: sessionctl log -n 5 FILE');
    expect(lines({ next: { command: 'repair' }, verdict: 'blocked', lastStableEntryId: 'abc' })).toContain(
      '  last stable entry: abc',
    );
  });

  it.each([
    ['-abc', "'id:-abc'"],
    ['root', "'id:root'"],
    ['null', "'id:null'"],
    ['a b', "'id:a b'"],
    ['@', "'id:@'"],
    ["it's", "'id:it'\\''s'"],
  ])('writes the id %j as a REV that a shell and fork understand', (id, rev) => {
    expect(stable(id)).toContain(`fork log.jsonl ${rev} starts`);
  });

  it('cleans everything that comes out of the log', () => {
    const clean = (text: string): string => text.replaceAll('\u001b', '?');
    const evil = '\u001b[31m';
    const text = lines(
      {
        leafId: evil,
        lastStableEntryId: `x${evil}`,
        reasons: [{ verdict: 'ready', state: 'stable', reason: evil }],
        pending: [{ ...call, toolName: evil, toolCallId: evil }],
        denials: [{ toolCallId: evil, toolName: evil, entryId: evil, line: 1, text: evil, current: true }],
      },
      { name: evil },
      PLAIN,
      clean,
    ).join('\n');
    expect(text).not.toContain('\u001b');
    expect(text.match(/\?\[31m/g)?.length).toBeGreaterThanOrEqual(8);
  });
});
