import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { arrayElements, findMember, removeElements } from '../../src/json/text.ts';
import type { QuarantineRecord } from '../../src/repair/index.ts';
import { rules } from '../../src/rules/index.ts';
import { defineRule, type Finding, placeOf, type Rule } from '../../src/rules/rule.ts';
import { readRecords, rebuildInput } from '../support/rebuild.ts';
import { errorsOf, findingsOf, repair } from '../support/repairing.ts';
import { projectRoot, run } from '../support/run.ts';
import { entry } from '../support/sessions.ts';

const vectors = join(projectRoot, 'fixtures', 'vectors', 'damage');
const cases = join(projectRoot, 'fixtures', 'repair');

/** A case either damages a log of its own, or says what becomes of the vector with its name. */
function damaged(name: string): string {
  const own = join(cases, name, 'damaged.jsonl');
  return existsSync(own) ? own : join(vectors, `${name}.jsonl`);
}

function quarantineOf(name: string): QuarantineRecord[] {
  const path = join(cases, name, 'quarantine.json');
  return existsSync(path) ? readRecords(readFileSync(path, 'utf8')) : [];
}

const names = readdirSync(cases).sort();
const repaired = names.filter((name) => existsSync(join(cases, name, 'repaired.jsonl')));
const refused = names.filter((name) => !repaired.includes(name));

describe.each(repaired)('the damaged log %s', (name) => {
  const input = readFileSync(damaged(name));

  it('is repaired as somebody would do it by hand, and has no error then', async () => {
    const { output, quarantine, left } = await repair(input);
    expect(output.toString('latin1')).toBe(readFileSync(join(cases, name, 'repaired.jsonl'), 'latin1'));
    expect(quarantine).toEqual(quarantineOf(name));
    expect(left).toEqual([]);
    expect(await errorsOf(output)).toEqual([]);
  });

  it('is all there still, in output, quarantine and report, and a second repair changes nothing', async () => {
    const { output, changes, quarantine } = await repair(input);
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
    const again = await repair(output);
    expect(again.changes).toEqual([]);
    expect(again.output.equals(output)).toBe(true);
  });
});

it('has an answer for every vector of damage', () => {
  const answered = readdirSync(vectors).map((file) => file.replace('.jsonl', ''));
  expect(answered.length).toBeGreaterThan(20);
  for (const name of answered) expect(names).toContain(name);
});

it.each(refused)('refuses %s, which is no session log', async (name) => {
  const ran = await run(['repair', damaged(name)]);
  expect(ran.code).toBe(2);
  expect(ran.stdout).toBe('');
  expect(ran.stderr.replace(/\S*\/fixtures\//, 'fixtures/')).toBe(
    readFileSync(join(cases, name, 'refused.txt'), 'utf8'),
  );
});

const NOT_MENDED = ['unknown-version', 'oversize-line', 'bad-blob-ref', 'missing-blob', 'damaged-blob'];

/** The rules that have something to say about native logs. */
const native = rules.filter((rule) => rule.line ?? rule.object ?? rule.end);

describe.each(native.filter((rule) => rule.level === 'error' && !NOT_MENDED.includes(rule.id)))(
  'the error $id',
  ({ id }) => {
    const folder = join(projectRoot, 'fixtures', 'rules', id);

    it('is repaired in its fixture, which has no error then', async () => {
      const input = readFileSync(join(folder, 'bad.jsonl'));
      expect((await errorsOf(input)).some((error) => error.includes(` ${id}: `))).toBe(true);
      const { output, changes, quarantine, left } = await repair(input);
      expect(output.toString('latin1')).toBe(readFileSync(join(folder, 'repaired.jsonl'), 'latin1'));
      expect(left).toEqual([]);
      expect(changes.every(({ rule }) => rule === id)).toBe(true);
      expect(await errorsOf(output)).toEqual([]);
      expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
    });

    it('is left and reported where only another rule is wanted', async () => {
      const input = readFileSync(join(folder, 'bad.jsonl'));
      const { output, left } = await repair(input, { only: ['blank-line'] });
      expect(output.equals(input)).toBe(true);
      expect(left.map(({ rule }) => rule)).toContain(id);
    });

    it('leaves its good fixture as it is', async () => {
      const input = readFileSync(join(folder, 'good.jsonl'));
      const { output, changes } = await repair(input);
      expect(changes).toEqual([]);
      expect(output.equals(input)).toBe(true);
    });
  },
);

it.each(native.filter((rule) => rule.level !== 'error').map((rule) => rule.id))(
  'changes nothing because of %s, which is no error',
  async (id) => {
    const input = readFileSync(join(projectRoot, 'fixtures', 'rules', id, 'bad.jsonl'));
    expect((await findingsOf(input)).filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await repair(input)).output.equals(input)).toBe(true);
  },
);

const sessions = join(projectRoot, 'fixtures', 'sessions');

it.each(readdirSync(sessions).filter((name) => name.endsWith('.jsonl')))(
  'leaves the healthy session %s as it is',
  async (name) => {
    const input = readFileSync(join(sessions, name));
    expect((await repair(input)).output.equals(input)).toBe(true);
  },
);

describe.each(native.filter((rule) => rule.level !== 'error' && rule.fixable))(
  'the warning $id, where it is asked to be fixed',
  ({ id }) => {
    const folder = join(projectRoot, 'fixtures', 'rules', id);
    const bad = readFileSync(join(folder, 'bad.jsonl'));

    it('is fixed in its fixture, which has no error then', async () => {
      const { output, changes, quarantine, left } = await repair(bad, { only: [id] });
      expect(output.toString('latin1')).toBe(readFileSync(join(folder, 'repaired.jsonl'), 'latin1'));
      expect(changes.filter(({ rule }) => rule !== id)).toEqual([]);
      expect(left).toEqual([]);
      expect(await errorsOf(output)).toEqual([]);
      expect(rebuildInput(output, changes, quarantine).equals(bad)).toBe(true);
    });

    it('leaves the leaf and brings no finding, also at the end of the log or where a compaction keeps it', async () => {
      const found = (await findingsOf(bad)).filter(({ rule }) => rule === id);
      for (const input of [bad, ...found.flatMap((one) => endingWith(bad, one))]) {
        const { output } = await repair(input, { only: [id] });
        const advice = `drop no entry for a warning, but change its text (insideFix of src/rules/rule.ts); in\n${input}`;
        expect(await leafOf(output), `the fix moves the leaf: ${advice}`).toBe(await leafOf(input));
        const before = await placesOf(input);
        const brought = (await placesOf(output)).filter((place) => !before.includes(place));
        expect(brought, `the fix brings findings: ${advice}`).toEqual([]);
      }
    });
  },
);

/** The log up to the line of a finding, and the same with a compaction that keeps its entry first. */
function endingWith(log: Buffer, { line, entryId }: Finding): Buffer[] {
  const lines = log.toString('latin1').split('\n').slice(0, line);
  const start = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
  if (entryId === undefined) return [start];
  const kept = { summary: 's', firstKeptEntryId: entryId, tokensBefore: 1 };
  return [start, Buffer.concat([start, Buffer.from(entry('compaction', 'kept', entryId, kept))])];
}

/** The id of the entry at which agents continue. */
async function leafOf(log: Buffer): Promise<unknown> {
  const { stdout } = await run(['log', '--json', '-n', '1', '-'], { stdin: log });
  return stdout === '' ? undefined : JSON.parse(stdout).id;
}

/** What is found, without line numbers, which a fix may change. */
async function placesOf(log: Buffer): Promise<string[]> {
  const findings = await findingsOf(log);
  return findings.map(({ severity, rule, entryId, path }) => [severity, rule, entryId, path].join(' '));
}

it('lists what it cannot repair', async () => {
  const input = readFileSync(join(projectRoot, 'fixtures', 'rules', 'unknown-version', 'bad.jsonl'));
  const { output, left } = await repair(input);
  expect(output.equals(input)).toBe(true);
  expect(left).toEqual([{ line: 1, rule: 'unknown-version' }]);
});

describe('with a byte order mark that stays', () => {
  const input = readFileSync(damaged('copy-behind-mark'));
  const only = async (text: Buffer | string, rule: string): Promise<string> => {
    const { output, changes, quarantine } = await repair(text, { only: [rule] });
    expect(rebuildInput(output, changes, quarantine).equals(Buffer.from(text))).toBe(true);
    expect((await repair(output, { only: [rule] })).changes).toEqual([]);
    return output.toString();
  };

  it('the copy behind the mark leaves, with the mark, and the healthy one stays', async () => {
    expect(await only(input, 'duplicate-id')).toBe(input.toString().slice(input.toString().indexOf('\n') + 1));
  });

  it('the mark leaves with the garbage behind it and not with the healthy line that follows', async () => {
    const healthy = readFileSync(join(sessions, 'pi-branches.jsonl'), 'utf8');
    expect(await only(`\ufeffgarbage\n${healthy}`, 'not-json')).toBe(healthy);
    expect(
      await only(
        `\ufeff{"type":"message","id":"x","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z"}\n${healthy}`,
        'missing-field',
      ),
    ).toBe(healthy);
  });

  it('the mark leaves once where it is wanted as well as the blank line that it is on', async () => {
    const healthy = readFileSync(join(sessions, 'pi-branches.jsonl'), 'utf8');
    const input = `\ufeff\t\n${healthy}`;
    const { output, changes } = await repair(input, { only: ['blank-line', 'byte-order-mark'] });
    expect(output.toString()).toBe(healthy);
    expect(changes.map(({ rule, offset, length }) => ({ rule, offset, length }))).toEqual([
      { rule: 'byte-order-mark', offset: 0, length: 3 },
      { rule: 'blank-line', offset: 3, length: 2 },
    ]);
    expect(await only(input, 'blank-line')).toBe(healthy);
  });

  it('a new header comes behind the mark, for only there it is one', async () => {
    const [, ...entries] = readFileSync(join(sessions, 'pi-branches.jsonl'), 'utf8').split('\n');
    const output = await only(`\ufeff${entries.join('\n')}`, 'missing-header');
    expect(output).toMatch(/^\ufeff\{"type":"session".*\}\n\{/);
    expect(await errorsOf(output)).toEqual(['1: byte-order-mark: the file starts with a byte order mark']);
  });
});

it('keeps the healthy copy of an entry where the line of the earlier one stays damaged', async () => {
  const header = '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
  const entry = (id: string, parentId: string | null): string =>
    JSON.stringify({ type: 'custom', id, parentId, timestamp: '2026-01-01T00:00:01.000Z', customType: 'x' });
  const input = [
    header,
    entry('a', null) + entry('b', 'a'),
    entry('b', 'a'),
    entry('b', 'a'),
    entry('c', 'b'),
    '',
  ].join('\n');
  const { output, left } = await repair(input, { only: ['duplicate-id'] });
  expect(output.toString()).toBe(
    [header, entry('a', null) + entry('b', 'a'), entry('b', 'a'), entry('c', 'b'), ''].join('\n'),
  );
  expect(left).toEqual([
    { line: 2, rule: 'glued-entries' },
    { line: 3, rule: 'duplicate-id' },
  ]);
});

describe('what omp throws an error on', () => {
  const header = (cwd: unknown): string =>
    JSON.stringify({ type: 'session', version: 3, id: 's1', timestamp: '2026-01-01T00:00:00.000Z', cwd });
  const entry = (rest: object): string =>
    JSON.stringify({ id: 'a', parentId: null, timestamp: '2026-01-01T00:00:01.000Z', ...rest });
  const turn = (message: string): string =>
    `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":${message}}`;

  it('is fixed together with the place of a header, which takes its folder from a session_init', async () => {
    const init = entry({ type: 'session_init', systemPrompt: 'p', cwd: '/home/ada' });
    const { output } = await repair(`${init}\n${header(5)}\n`);
    expect(output.toString()).toBe(`${header('/home/ada')}\n${init}\n`);
  });

  it('is fixed in its own bytes alone, and a cost that nobody recorded is reported as assumed', async () => {
    const input = `${header('/w')}\n${turn('{"role":"assistant" , "usage": {"input":1.0} ,"content": [ null , null ],"x":1e400}')}\n`;
    const { output, changes, quarantine } = await repair(input);
    expect(output.toString()).toContain(
      '{"role":"assistant" , "usage": {"input":1.0,"cost":{"input":0,"output":0,"cacheRead":0,',
    );
    expect(output.toString()).toContain('"total":0}} ,"content": [  ],"x":1e400}');
    expect(changes.map(({ rule, assumed }) => [rule, assumed])).toEqual([
      ['usage-without-cost', true],
      ['null-block', undefined],
    ]);
    expect(rebuildInput(output, changes, quarantine).equals(Buffer.from(input))).toBe(true);
  });

  it('is fixed in a line whose bytes are damaged too', async () => {
    const broken = Buffer.from(`${turn('{"role":"assistant","errorMessage":"caf\xe9","content":null}')}\n`, 'latin1');
    const input = Buffer.concat([Buffer.from(`${header('/w')}\n`), broken]);
    const { output, changes, quarantine } = await repair(input);
    expect(output.toString()).toContain('"errorMessage":"caf\ufffd","content":[]}');
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
    expect(await errorsOf(output)).toEqual([]);
  });

  it('is nothing in the oldest dialect, which counts inputTokens and has no cost', async () => {
    const input = `${header('/w')}\n${turn('{"role":"assistant","content":[],"usage":{"inputTokens":1,"outputTokens":2}}')}\n`;
    expect(await errorsOf(input)).toEqual([]);
    expect((await repair(input)).output.toString()).toBe(input);
  });

  it.each(['off', 'compiled'] as const)('is found in a long log with the scanner %s', async (scanner) => {
    const good = turn('{"role":"assistant","content":[],"usage":{"cost":{}}}');
    const bad = turn('{"role":"assistant","content":[],"usage":{}}');
    const all = Array.from({ length: 400 }, (_, n) =>
      (n % 7 === 0 ? bad : good).replace('"a","parentId":null', `"a${n}","parentId":null`),
    );
    const input = `${header('/w')}\n${all.join('\n')}\n`;
    const { changes, output } = await repair(input, { scanner });
    expect(changes).toHaveLength(58);
    expect(await errorsOf(output)).toEqual([]);
    expect((await repair(output, { scanner })).changes).toEqual([]);
  });
});

describe('two fixes that want the same comma', () => {
  const emptyText: Rule = defineRule('empty-text', 'error', 'shape', {
    summary: 'a text block is empty',
    why: '',
    arises: '',
    advice: '',
    example: '',
    object: (object, _log, report) => {
      if (object.text.includes('"text":""')) report(placeOf(object, 'message.content'), 'empty text block');
    },
    fix: {
      object: (state, { unit, rule }) =>
        state.editInside(unit, {
          rule,
          words: 'removed',
          splices: (text, open) => {
            const content = findMember(text, findMember(text, open, 'message')?.valueStart ?? open, 'content');
            const start = content?.valueStart ?? open;
            const blocks = [...arrayElements(text, start)].map((block) => text.slice(block.start, block.end));
            return removeElements(text, start, (index) => blocks[index]?.includes('"text":""') === true);
          },
        }),
    },
  });

  it('leave JSON behind, and the second one is made by the next run', async () => {
    const log = (content: string): string =>
      `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":${content}}}
`;
    const [hi, empty] = ['{"type":"text","text":"hi"}', '{"type":"text","text":""}'];
    // A program of its own, with one rule more.
    vi.resetModules();
    ((await import('../../src/rules/index.ts')).rules as Rule[]).push(emptyText);
    const program = await import('../support/repairing.ts');
    const first = await program.repair(log(`[${hi}, null, ${empty}]`));
    expect(first.output.toString()).toBe(log(`[${hi}, ${empty}]`));
    expect(await program.errorsOf(first.output)).toEqual([expect.stringContaining('empty-text')]);
    expect((await program.repair(first.output)).output.toString()).toBe(log(`[${hi}]`));
  });
});

describe('what is left after a repair of some rules', () => {
  const header = '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
  const entry = (id: string, parentId: string | null): string =>
    JSON.stringify({ type: 'custom', id, parentId, timestamp: '2026-01-01T00:00:01.000Z', customType: 'x' });
  const typeless = '{"id":"t","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z"}';

  it('is nothing where the other error went with the line of this one', async () => {
    const { left } = await repair(readFileSync(damaged('mark-on-blank-line')), { only: ['blank-line'] });
    expect(left).toEqual([]);
    const late = await repair([typeless, header, entry('a', null), ''].join('\n'), { only: ['missing-field'] });
    expect(late.left).toEqual([]);
    expect(await errorsOf(late.output)).toEqual([]);
  });

  it('is reported by the lines of the input, wherever they are in the output', async () => {
    const input = [
      header,
      typeless,
      `${entry('a', null)}${entry('b', 'a')}`,
      entry('c', 'lost'),
      'garbage',
      '{"type":"custom","id":"d",',
      '"parentId":"a","timestamp":"2026-01-01T00:00:01.000Z","customType":"x"}',
      entry('e', 'lost'),
      '',
    ].join('\n');
    const only = ['missing-field', 'glued-entries', 'torn-line'];
    const { output, left } = await repair(input, { only });
    expect(output.toString().split('\n').length).toBe(8);
    expect(left).toEqual([
      { line: 4, rule: 'dangling-parent' },
      { line: 5, rule: 'not-json' },
      { line: 8, rule: 'dangling-parent' },
    ]);
  });
});
