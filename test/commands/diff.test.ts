import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settings } from '../support/properties.ts';
import { projectRoot, run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const session = (name: string): string => join(projectRoot, 'fixtures/sessions', name);
const branches = session('pi-branches.jsonl');
const time = '2026-01-01T00:00:00.000Z';
const HEADER = { type: 'session', version: 3, id: 's1', timestamp: time, cwd: '/' };

function log(...lines: (string | object)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

function entry(id: string, parentId: string | null, rest: object): object {
  return { type: 'message', id, parentId, timestamp: time, ...rest };
}

function user(id: string, parentId: string | null, content: string): object {
  return entry(id, parentId, { message: { role: 'user', content } });
}

function assistant(id: string, parentId: string | null, ...content: (string | object)[]): object {
  const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 120, cost: { total: 0.25 } };
  const blocks = content.map((one) => (typeof one === 'string' ? { type: 'text', text: one } : one));
  return entry(id, parentId, { message: { role: 'assistant', content: blocks, usage, stopReason: 'stop' } });
}

function call(id: string, name: string, args: object): object {
  return { type: 'toolCall', id, name, arguments: args };
}

function result(id: string, parentId: string, toolCallId: string, text: string, isError = false): object {
  return entry(id, parentId, {
    message: { role: 'toolResult', toolCallId, toolName: 'edit', content: [{ type: 'text', text }], isError },
  });
}

let files = 0;
function file(...lines: (string | object)[]): string {
  const path = join(scratch, `f${files++}.jsonl`);
  writeFileSync(path, log(...lines));
  return path;
}

interface Diff {
  readonly a: { readonly leafId: string; readonly session: string };
  readonly b: { readonly leafId: string };
  readonly ancestor: { readonly a: { readonly entryId: string }; readonly b: { readonly entryId: string } } | null;
  readonly divergence: {
    readonly a: { readonly entryId: string } | null;
    readonly b: { readonly entryId: string } | null;
  } | null;
  readonly changes: readonly {
    readonly kind: string;
    readonly entryId?: string;
    readonly entries?: number;
    readonly words?: readonly { kind: string; text: string }[];
  }[];
  readonly same: boolean;
  readonly onlyA: {
    readonly entries: number;
    readonly files: readonly object[];
    readonly models: readonly string[];
    readonly modes: readonly string[];
    readonly usage: object;
  };
  readonly onlyB: Diff['onlyA'];
}

async function diff(...argv: string[]): Promise<Diff> {
  const ran = await run(['diff', ...argv, '--json']);
  const read = JSON.parse(ran.stdout) as Diff;
  expect(ran.code, ran.stderr).toBe(read.same ? 0 : 1);
  return read;
}

function reported(read: Diff): string[] {
  return read.changes.map((change) => `${change.kind} ${change.entryId ?? change.entries ?? ''}`.trim());
}

describe('sessionctl diff of two branches', () => {
  const tree = file(
    HEADER,
    user('root', null, 'Look at the cart.'),
    assistant('a1', 'root', 'I did.'),
    user('u1', 'a1', 'Fix the cart test, please.'),
    entry('m1', 'u1', { type: 'model_change', provider: 'x', modelId: 'y' }),
    assistant(
      'a2',
      'm1',
      'Trying.',
      call('t1', 'edit', { path: 'src/cart.ts', oldText: 'a', newText: 'b' }),
      call('t2', 'bash', { command: 'npm test' }),
    ),
    result('r1', 'a2', 't1', 'Edited'),
    result('r2', 'r1', 't2', Array.from({ length: 30 }, (_, line) => `row ${line}`).join('\n')),
    user('u2', 'a1', 'Fix the basket test, please, and be quick.'),
    entry('o1', 'u2', { type: 'mode_change', mode: 'plan' }),
    assistant('a3', 'o1', call('t3', 'write', { path: 'src/basket.ts', content: 'x' })),
    result('r3', 'a3', 't3', 'No such folder', true),
  );

  it('gives no entry two partners where the other session says the same once more', async () => {
    const one = file(HEADER, user('1', null, 'p'), user('2', '1', 'q'));
    const more = file(HEADER, user('1', null, 'p'), user('9', '1', 'p'), user('2', '9', 'q'));
    const read = await diff(one, '--against', more);
    expect([read.onlyA.entries, read.onlyB.entries]).toEqual([0, 1]);
    const back = await diff(more, '--against', one);
    expect([back.onlyA.entries, back.onlyB.entries]).toEqual([1, 0]);
  });

  it('names the common ancestor and lists what each side has alone, in order', async () => {
    const read = await diff(tree);
    expect([read.a.leafId, read.b.leafId]).toEqual(['r2', 'r3']);
    expect(read.ancestor).toMatchObject({ a: { entryId: 'a1', line: 3 }, b: { entryId: 'a1' } });
    expect(reported(read)).toEqual([
      'changed',
      'removed m1',
      'removed a2',
      'removed r1',
      'removed r2',
      'added o1',
      'added a3',
      'added r3',
    ]);
  });

  it('sums up files, models, modes, tokens and cost of each side', async () => {
    const { onlyA, onlyB } = await diff(tree);
    expect(onlyA).toMatchObject({
      entries: 5,
      files: [{ path: 'src/cart.ts', calls: 1, failed: 0 }],
      models: ['x/y'],
      modes: [],
      usage: { totalTokens: 120, cost: 0.25 },
    });
    expect(onlyB).toMatchObject({
      entries: 4,
      files: [{ path: 'src/basket.ts', calls: 1, failed: 1 }],
      models: [],
      modes: ['plan'],
    });
  });

  it('tells it to a person: words that differ, calls with arguments, results shortened', async () => {
    const ran = await run(['diff', tree]);
    expect(ran.code).toBe(1);
    const lines = ran.stdout.split('\n');
    expect(lines[0]).toBe(`--- A ${tree} r2`);
    expect(lines[2]).toBe('@@ common ancestor a1 (line 3): assistant I did. @@');
    expect(ran.stdout).toContain('~ user  u1 / u2\n~   Fix the [-cart-]{+basket+} test, please{+, and be quick+}.\n');
    expect(ran.stdout).toContain(
      '-   call edit: path="src/cart.ts" oldText="a" newText="b"\n-   call bash: npm test\n',
    );
    expect(ran.stdout).toContain('-   row 5\n-   ... 24 more lines (');
    expect(ran.stdout).toContain('+ result edit (error)  r3\n+   No such folder\n');
    expect(ran.stdout).toContain(
      'only A: 5 entries, 4 messages, 120 tokens, $0.2500\n  files: src/cart.ts (1 call)\n  models: x/y\n',
    );
    expect(ran.stdout).toContain('  files: src/basket.ts (1 call, failed)\n  modes: plan\n');
  });

  it('compares A with the last entry where only A is given, and any two entries', async () => {
    expect(reported(await diff(tree, 'a2'))).toEqual([
      'changed',
      'removed m1',
      'removed a2',
      'added o1',
      'added a3',
      'added r3',
    ]);
    expect(reported(await diff(tree, 'a2', 'u1'))).toEqual(['removed m1', 'removed a2']);
    expect(reported(await diff(tree, 'u1', 'a2'))).toEqual(['added m1', 'added a2']);
  });

  it('says that an entry and itself are the same', async () => {
    const ran = await run(['diff', tree, '@', 'r3']);
    expect([ran.code, ran.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'the same']);
  });

  it('has a note and exit 0 where there is only one branch', async () => {
    const one = file(HEADER, user('a', null, 'x'));
    const ran = await run(['diff', one]);
    expect([ran.code, ran.stdout]).toEqual([0, '']);
    expect(ran.stderr).toContain('has only one branch');
    expect((await diff(one)).same).toBe(true);
    expect((await run(['diff', file(HEADER)])).code).toBe(0);
    const empty = file();
    expect((await run(['diff', empty])).stderr).toBe(
      `sessionctl: ${empty}: has neither a header nor entries; there is nothing to show\n`,
    );
  });

  it('says that two roots have nothing in common', async () => {
    const roots = file(HEADER, user('aaaa', null, 'one'), user('bbbb', null, 'another thing'));
    expect((await run(['diff', roots])).stdout).toContain('@@ nothing in common @@');
    expect((await diff(roots)).ancestor).toBeNull();
  });

  it('does not say so where only the start differs, nor that a side ends which goes on', async () => {
    const whole = [user('aaaa', null, 'one'), user('bbbb', 'aaaa', 'two'), user('cccc', 'bbbb', 'three')];
    const all = file(HEADER, ...whole);
    const headless = await run(['diff', file(HEADER, ...whole.slice(1)), all]);
    expect(headless.stdout).toContain(
      '\n@@ different from the start @@\n@@ first difference: only in B aaaa (line 2) @@\n+ user  aaaa\n+   one\n',
    );
    expect(headless.stdout).toContain('\n  ... 2 entries the same\n');
    const gap = await run(['diff', all, file(HEADER, ...whole.slice(0, 1), user('cccc', 'aaaa', 'three'))]);
    expect(gap.stdout).toContain('\n@@ first difference: only in A bbbb (line 3) @@\n- user  bbbb\n');
  });

  it('shows two prompts that have little in common as two', async () => {
    const other = file(
      HEADER,
      user('a', null, 'x'),
      user('b', 'a', 'Fix the tests of the cart.'),
      user('c', 'a', 'Write a poem!'),
    );
    expect(reported(await diff(other))).toEqual(['removed b', 'added c']);
  });

  it('refuses an unknown REV and too many', async () => {
    expect((await run(['diff', tree, 'nowhere'])).code).toBe(2);
    expect((await run(['diff', tree, 'a1', 'a2', 'a3'])).stderr).toContain("unexpected 'a3'");
    expect((await run(['diff', tree, '--profile', 'pi'])).stderr).toContain("'--profile' needs '--context'");
  });

  it('escapes what a log would do to a terminal, and leaves it to a pipe', async () => {
    const odd = file(HEADER, user('a', null, 'x'), user('b', 'a', 'red \u001b[31m'), user('c', 'a', 'y'));
    expect((await run(['diff', odd, '--color=never'], { stdoutIsTerminal: true })).stdout).toContain('red \\x1b[31m');
    expect((await run(['diff', odd])).stdout).toContain('red \u001b[31m');
  });

  it('leaves a damaged line out, says so and exits 1 also where nothing differs', async () => {
    const holed = file(HEADER, user('a', null, 'x'), '{"type":"mess', user('b', 'a', 'y'));
    const ran = await run(['diff', holed, '@', '@']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('line 3 is damaged');
  });
});

describe('sessionctl diff --against', () => {
  it('finds no difference between a session and itself, and none to a fork of its last entry', async () => {
    for (const name of [
      'pi-branches.jsonl',
      'pi-compaction.jsonl',
      'omp-plan.jsonl',
      'omp-compaction.jsonl',
      'pi-version-1.jsonl',
    ]) {
      expect((await diff(session(name), '--against', session(name))).same, name).toBe(true);
    }
    for (const option of [[], ['--new-ids']]) {
      const fork = join(scratch, 'fork.jsonl');
      expect((await run(['fork', branches, 'cdd2', '-o', fork, ...option])).code).toBe(0);
      const read = await diff(branches, 'cdd2', '--against', fork, '@~1');
      // The fork carries a label that is on another branch of the source.
      expect(reported(read), option.join()).toEqual([]);
    }
  });

  it('aligns by id where ids are shared, and names the first difference', async () => {
    const left = file(
      HEADER,
      user('a', null, 'x'),
      assistant('b', 'a', 'one'),
      user('c', 'b', 'go on'),
      assistant('d', 'c', 'left'),
    );
    const right = file(
      { ...HEADER, id: 's2' },
      user('a', null, 'x'),
      assistant('b', 'a', 'one, changed'),
      user('c', 'b', 'go on'),
      assistant('e', 'c', 'right'),
      user('f', 'e', 'more'),
    );
    const read = await diff(left, '--against', right);
    expect(read.ancestor).toMatchObject({ a: { entryId: 'a' }, b: { entryId: 'a' } });
    expect(read.divergence).toMatchObject({ a: { entryId: 'b' }, b: { entryId: 'b' } });
    expect(reported(read)).toEqual(['changed', 'same 1', 'removed d', 'added e', 'added f']);
    const text = (await run(['diff', left, '--against', right])).stdout;
    expect(text).toContain(
      '@@ the same up to a (line 2): user x @@\n@@ first difference: A b (line 3), B b (line 3) @@\n',
    );
    expect(text).toContain('~   one{+, changed+}');
    expect(text).toContain('  ... 1 entry the same');
  });

  it('aligns by content where ids differ: two runs of one task', async () => {
    const left = file(
      HEADER,
      user('l1', null, 'Fix it.'),
      assistant('l2', 'l1', call('x1', 'read', { path: 'a' })),
      result('l3', 'l2', 'x1', 'text'),
      assistant('l4', 'l3', 'Done.'),
    );
    const right = file(
      { ...HEADER, id: 's2' },
      user('r1', null, 'Fix it.'),
      assistant('r2', 'r1', call('y1', 'read', { path: 'a' })),
      assistant('r9', 'r2', 'Hm.'),
      result('r3', 'r9', 'y1', 'text'),
      assistant('r4', 'r3', 'Finished.'),
    );
    const read = await diff(left, '--against', right);
    expect(reported(read)).toEqual(['added r9', 'same 1', 'removed l4', 'added r4']);
    expect(read.divergence).toMatchObject({ a: { entryId: 'l4' }, b: { entryId: 'r9' } });
    expect(read.ancestor).toMatchObject({ a: { entryId: 'l2' }, b: { entryId: 'r2' } });
  });

  it('takes A of the first and B of the second file', async () => {
    const left = file(HEADER, user('a', null, 'x'), user('b', 'a', 'y'));
    const right = file(HEADER, user('a', null, 'x'), user('c', 'a', 'zzz'));
    expect((await diff(left, 'a', 'a', '--against', right)).same).toBe(true);
    expect(reported(await diff(left, 'a', '--against', right))).toEqual(['added c']);
    expect((await run(['diff', left, 'c', '--against', right])).code).toBe(2);
  });

  it('is meant where the second word is a file', async () => {
    const fork = session('pi-reworded.jsonl');
    for (const revs of [[], ['@'], ['cdd2', '@~1']]) {
      const wanted = await run(['diff', branches, '--against', fork, ...revs]);
      expect(await run(['diff', branches, fork, ...revs])).toEqual(wanted);
      expect(wanted.stderr).not.toContain('does not match any entry');
    }
    const piped = await run(['diff', branches, '-'], { stdin: readFileSync(branches) });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect((await run(['diff', branches, join(scratch, 'nowhere.jsonl')])).stderr).toContain(
      'is neither a file that is there nor an entry; check the path',
    );
    expect((await run(['diff', branches, fork, '@', '@', '@'])).stderr).toContain("unexpected '@'");
  });

  it('compares with an empty session, and refuses standard input twice', async () => {
    const empty = file({ ...HEADER, id: 's2' });
    const read = await diff(branches, '--against', empty);
    expect(read.onlyB.entries).toBe(0);
    expect(read.divergence).toMatchObject({ b: null });
    expect((await diff(empty, '--against', empty)).same).toBe(true);
    expect((await run(['diff', '-', '--against', '-'])).code).toBe(2);
    const ran = await run(['diff', '-', '--against', branches], { stdin: readFileSync(branches) });
    expect(ran.code).toBe(0);
  });
});

describe('sessionctl diff --context', () => {
  it('compares what the model sees before and after a compaction', async () => {
    const file = session('pi-compaction.jsonl');
    const entries = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; id: string; parentId: string });
    const compaction = entries.find((one) => one.type === 'compaction');
    const read = await diff(file, compaction?.parentId ?? '', compaction?.id ?? '', '--context');
    expect(read.changes.some((change) => change.kind === 'removed')).toBe(true);
    expect(read.changes.filter((change) => change.kind === 'added')).toMatchObject([
      { entryId: compaction?.id, role: 'compactionSummary' },
    ]);
  });

  it('does not see entries that the model does not see', async () => {
    const tree = file(
      HEADER,
      user('a', null, 'x'),
      entry('b', 'a', { type: 'thinking_level_change', thinkingLevel: 'high' }),
      entry('c', 'a', { type: 'label', targetId: 'a', label: 'l' }),
    );
    expect((await diff(tree)).same).toBe(false);
    expect((await diff(tree, '--context')).same).toBe(true);
  });

  it('reads as the profile reads', async () => {
    const edited = file(
      HEADER,
      user('a', null, 'x'),
      assistant('b', 'a', 'long'),
      entry('c', 'b', { type: 'context_edit', targetId: 'b', replacement: null }),
    );
    expect((await diff(edited, 'b', 'c', '--context')).same).toBe(true);
    expect(reported(await diff(edited, 'b', 'c', '--context', '--profile', 'pi'))).toEqual(['removed b']);
  });

  it('compares two sessions', async () => {
    expect((await diff(branches, '--against', branches, '--context')).same).toBe(true);
    const other = file(HEADER, user('a', null, 'something else'));
    expect((await diff(branches, '--against', other, '--context')).same).toBe(false);
  });
});

describe('sessionctl diff of any trees', () => {
  const step = fc.record({
    parent: fc.nat(),
    kind: fc.nat(3),
    word: fc.constantFrom('one', 'two', 'one two', 'three'),
  });
  const tree = fc.array(step, { minLength: 2, maxLength: 10 }).map((steps) =>
    steps.map((one, index) => {
      const id = `e${index}x`;
      const parentId = index === 0 ? null : `e${one.parent % index}x`;
      if (one.kind === 0) return assistant(id, parentId, one.word);
      if (one.kind === 1) return entry(id, parentId, { type: 'custom', customType: one.word });
      return user(id, parentId, one.word);
    }),
  );

  it('tells every entry of both sides once, and none of the path they share', async () => {
    const path = file();
    await fc.assert(
      fc.asyncProperty(tree, fc.nat(), fc.nat(), async (entries, x, y) => {
        writeFileSync(path, log(HEADER, ...entries));
        const parents = new Map(
          entries.map((one) => [(one as { id: string }).id, (one as { parentId: string | null }).parentId]),
        );
        const up = (id: string): string[] => {
          const list: string[] = [];
          for (let at: string | null | undefined = id; typeof at === 'string'; at = parents.get(at)) list.unshift(at);
          return list;
        };
        const [a, b] = [`e${x % entries.length}x`, `e${y % entries.length}x`];
        const read = await diff(path, a, b);
        const [left, right] = [up(a), up(b)];
        const kept = (kind: string, side: 'a' | 'b'): unknown[] =>
          read.changes.flatMap((change) => {
            if (change.kind === 'changed')
              return [(change as unknown as Record<'a' | 'b', { entryId: string }>)[side].entryId];
            return change.kind === kind ? [change.entryId] : [];
          });
        expect(kept('removed', 'a')).toEqual(left.filter((id) => !right.includes(id)));
        expect(kept('added', 'b')).toEqual(right.filter((id) => !left.includes(id)));
      }),
      settings(100),
    );
  });

  it('is empty for a log and a copy of it under other ids', async () => {
    const [one, other] = [file(), file()];
    await fc.assert(
      fc.asyncProperty(tree, async (entries) => {
        const text = log(HEADER, ...entries);
        writeFileSync(one, text);
        writeFileSync(other, text.replaceAll(/"e(\d+)x"/g, '"f$1y"'));
        expect((await diff(one, '--against', one)).same).toBe(true);
        expect((await diff(one, '--against', other)).same).toBe(true);
      }),
      settings(25),
    );
  });

  it('goes through long branches and long texts', async () => {
    const lines: object[] = [HEADER, user('root', null, 'x')];
    for (const side of ['a', 'b']) {
      for (let at = 0; at < 1500; at++)
        lines.push(assistant(`${side}${at}`, at === 0 ? 'root' : `${side}${at - 1}`, `text ${at}`));
    }
    lines.push(user('p', 'a1499', 'word '.repeat(50_000)), user('q', 'b1499', `${'word '.repeat(49_999)}other`));
    const long = file(...lines);
    const read = await diff(long, 'p', 'q');
    expect([read.onlyA.entries, read.onlyB.entries]).toEqual([1501, 1501]);
    expect(read.changes.at(-1)?.kind).toBe('changed');
    const text = (await run(['diff', long, 'p', 'q'])).stdout;
    expect(text.split('\n').find((line) => line.includes('{+other'))?.length).toBeLessThan(500);
  });

  it('runs as a process of its own and tells by its exit code', async () => {
    expect((await spawnProgram(['diff', branches])).code).toBe(1);
    expect((await spawnProgram(['diff', branches, '@', '@'])).code).toBe(0);
    expect((await spawnProgram(['diff', 'nowhere.jsonl'])).code).toBe(2);
  });
});
