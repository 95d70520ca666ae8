import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConversionReport, KEEP } from '../../../src/formats/format.ts';
import { gemini } from '../../../src/formats/gemini/index.ts';
import { memorySource, nativeTextOf } from '../../support/native-form.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;

const scratch = scratchFolder();
const folder = join(projectRoot, 'fixtures/formats/gemini');
const cases = ['0.61.0', 'hand'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => /\.jsonl?$/.test(name) && !/\.(native|context)\./.test(name))
    .map((name) => `${version}/${name}`),
);

function sourceOf(name: string) {
  const path = join(folder, name);
  return memorySource(readFileSync(path), { path, name: name.replace(/^.*?\//, '') });
}

function objectsOf(lines: readonly string[]): Json[] {
  return lines.map((line) => JSON.parse(line));
}

function identityOf({ counts }: ConversionReport): number {
  const { records, mapped, merged, custom, dropped } = counts;
  expect(mapped + merged + custom + dropped).toBe(records);
  return records;
}

async function validated(lines: readonly string[]): Promise<void> {
  const ran = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n` });
  expect(ran.stdout).not.toMatch(/: error: /);
}

/** How many records a fixture has: lines, or the messages of a document and what it says of itself. */
function recordsIn(name: string): number {
  const text = readFileSync(join(folder, name), 'utf8');
  if (name.endsWith('.jsonl')) return text.trim().split('\n').length;
  const { messages, history } = JSON.parse(text);
  return (messages ?? history).length + 1;
}

describe('a Gemini CLI session in its native form', () => {
  it.each(cases)('is the one beside it: %s', async (name) => {
    const { lines } = await nativeTextOf(gemini, sourceOf(name));
    const text = lines.map((line) => `${line.replace(/"toolVersion":"[^"]*"/, '"toolVersion":"*"')}\n`).join('');
    await expect(text).toMatchFileSnapshot(join(folder, name.replace(/\.jsonl?$/, '.native.jsonl')));
  });

  it.each(cases)('accounts for every record, and is valid in both dialects: %s', async (name) => {
    for (const dialect of ['pi', 'omp'] as const)
      for (const keep of KEEP) {
        const { lines, report } = await nativeTextOf(gemini, sourceOf(name), { dialect, keep });
        expect(identityOf(report)).toBe(recordsIn(name));
        await validated(lines);
      }
  });

  it.each(cases.filter((name) => name.endsWith('.jsonl')))(
    'counts the tokens of each answer once: %s',
    async (name) => {
      const used = new Map<unknown, Json>();
      for (const { id, type, tokens } of objectsOf(readFileSync(join(folder, name), 'utf8').trim().split('\n')))
        if (type === 'gemini' && tokens) used.set(id, tokens as Json);
      const sum = (...keys: string[]): number =>
        [...used.values()].reduce((all, tokens) => all + keys.reduce((one, key) => one + Number(tokens[key]), 0), 0);
      const { lines } = await nativeTextOf(gemini, sourceOf(name));
      const ours = objectsOf(lines).flatMap(({ message }) => (message as Json | undefined)?.['usage'] ?? []) as Json[];
      const total = (key: string): number => ours.reduce((all, usage) => all + Number(usage[key]), 0);
      expect([total('input'), total('output'), total('cacheRead')]).toEqual([
        sum('input') - sum('cached'),
        sum('output', 'thoughts'),
        sum('cached'),
      ]);
    },
  );

  it('has the session of a subagent as a session of its own, behind the result of the call', async () => {
    const { report, lines } = await nativeTextOf(gemini, sourceOf('hand/subagent.jsonl'));
    const [child] = report.sessions;
    expect(child).toMatchObject({ id: '5e6f7a8b-0000-4000-8000-000000000001', toolCallId: 'call-1' });
    const entries = objectsOf(lines);
    const link = entries.find(({ customType }) => customType === 'sessionctl/subagent');
    expect(entries.find(({ id }) => id === link?.['parentId'])).toMatchObject({ message: { role: 'toolResult' } });
    const path = join(folder, 'hand/subagent.jsonl');
    const read = await run(['log', '--session', '5e6f', path]);
    expect(read.stdout).toMatch(/Who uses the port\?[\s\S]*Only app\.js\./);
    const own = await nativeTextOf(gemini, sourceOf(`hand/${child?.path}`));
    expect(own.report.counts).toMatchObject({ records: 4, mapped: 4 });
    expect(objectsOf(own.lines)[0]).toMatchObject({ id: child?.nativeId, parentSession: entries[0]?.['id'] });
  });

  it('starts again where a message is written anew after others have followed it', async () => {
    const { restarts, lines } = await nativeTextOf(gemini, sourceOf('hand/late.jsonl'));
    expect(restarts).toBe(1);
    expect(lines.join('\n')).not.toContain('"Blu"');
  });

  it('has each branch that the user took back, with the last one in view', async () => {
    const { stdout } = await run(['tree', join(folder, 'hand/rewind.jsonl')]);
    expect(stdout).toMatch(/leaf:\d+\) assistant {2}Green\./);
    expect(stdout).toMatch(/leaf:\d+\) user +Thanks\./);
    const { stdout: context } = await run(['context', join(folder, 'hand/rewind.jsonl')]);
    expect(context).toContain('Red.');
    expect(context).not.toMatch(/Green|Thanks/);
  });

  it('is read from a document whose list begins on the first line, and goes on over others', async () => {
    const path = join(scratch, 'session-odd.json');
    const messages = ['one', 'two'].map((content, n) => ({
      id: `m${n}`,
      type: 'user',
      content,
      timestamp: '2026-01-01T00:00:00Z',
    }));
    const [head, tail] = JSON.stringify({ sessionId: 'odd', projectHash: 'p', messages }).split('},{');
    writeFileSync(path, `${head}},\n{${tail}\n`);
    const { stdout, stderr, code } = await run(['log', path]);
    expect({ stderr, code, rows: stdout.trim().split('\n').length }).toEqual({ stderr: '', code: 0, rows: 2 });
  });

  it('is written only on demand where it is a checkpoint, which any program may have written', async () => {
    const path = join(folder, 'hand/checkpoint-folder.json');
    expect(await run(['convert', path])).toMatchObject({ code: 2 });
    expect(await run(['convert', '--from', 'gemini', path])).toMatchObject({ code: 0 });
    const read = await run(['log', path]);
    expect(read.stderr).toContain("probably a Gemini CLI session, and read as one; '--from gemini' confirms it");
    expect(read.stdout).toContain('A README.');
  });
});

/** What Gemini CLI keeps of a log when it reads it, as far as it is text, by its own rules and no more than those. */
function replayed(text: string): string[] {
  const messages = new Map<string, Json>();
  for (const line of text.split('\n')) {
    let record: Json | undefined;
    try {
      record = JSON.parse(line);
    } catch {}
    if (typeof record?.['$rewindTo'] === 'string') {
      let isGone = !messages.has(record['$rewindTo']);
      for (const id of [...messages.keys()]) {
        isGone ||= id === record['$rewindTo'];
        if (isGone) messages.delete(id);
      }
    } else if (typeof record?.['id'] === 'string') messages.set(record['id'], record);
    const list = (record?.['$set'] as { messages?: Json[] } | undefined)?.messages;
    if (!Array.isArray(list)) continue;
    messages.clear();
    for (const one of list) messages.set(String(one['id']), one);
  }
  return [...messages.values()].flatMap(({ type, content }) => {
    const parts = typeof content === 'string' ? [{ text: content }] : ((content ?? []) as Json[]);
    const said = parts.flatMap((part) =>
      part['text'] && part['thought'] !== true ? [`${type}: ${part['text']}`] : [],
    );
    if (type !== 'user' && type !== 'gemini') return [];
    return /^user: \s*([/?]|<session_context>|<hook_context>)/.test(said[0] ?? '') ? [] : said;
  });
}

/** The same of a message of ours. */
function spokenIn({ role, content, summary }: Json): string[] {
  if (summary !== undefined) return [`user: ${summary}`];
  if (role !== 'user' && role !== 'assistant') return [];
  const blocks = content as Json[];
  return blocks.flatMap(({ type, text }) =>
    type === 'text' ? [`${role === 'user' ? 'user' : 'gemini'}: ${text}`] : [],
  );
}

describe('any Gemini CLI session', () => {
  const logs = cases
    .filter((name) => name.endsWith('.jsonl') && !name.includes('big-output'))
    .map((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'repeat', 'cut', 'swap', 'change', 'rewind')), {
    maxLength: 8,
  });
  /** Some lines left out, written twice, moved, cut off or changed. */
  const mutated = fc.tuple(fc.constantFrom(...logs), changes).map(([log, list]) => {
    const lines = [...log];
    for (const [number, change] of list) {
      const at = number % lines.length;
      const line = lines[at] ?? '';
      if (change === 'drop' && lines.length > 4) lines.splice(at, 1);
      else if (change === 'repeat') lines.splice(number % 7 === 0 ? lines.length : at, 0, line);
      else if (change === 'cut') lines[at] = line.slice(0, number % (line.length + 1));
      else if (change === 'swap') lines.splice((at * 7) % lines.length, 0, ...lines.splice(at, 1));
      else if (change === 'rewind') lines.push(JSON.stringify({ $rewindTo: /"id":"([^"]*)"/.exec(line)?.[1] ?? '' }));
      else lines.push(line.replace(/"text":"(?=\w)/, '"text":"again '));
    }
    return lines.join('\n');
  });

  it('gives the same in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, fc.integer({ min: 1, max: 3000 }), async (text, chunkBytes) => {
        const bytes = Buffer.from(text);
        const whole = await nativeTextOf(gemini, memorySource(bytes));
        expect(await nativeTextOf(gemini, memorySource(bytes, { chunkBytes }))).toEqual(whole);
      }),
      settings(40),
    );
  });

  it('accounts for every line however it is damaged, and gives a valid log', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => {
        const { lines, report, leftOut } = await nativeTextOf(gemini, memorySource(Buffer.from(text)));
        expect(identityOf(report)).toBeGreaterThanOrEqual(text.split('\n').filter((line) => line.trim() !== '').length);
        expect(leftOut.length).toBe(report.losses.find(({ code }) => code === 'DAMAGED_LINE')?.count ?? 0);
        await validated(lines);
      }),
      settings(150),
    );
  });

  it('has in view what Gemini CLI would send, however messages were replaced and taken back', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => {
        const { lines, report } = await nativeTextOf(gemini, memorySource(Buffer.from(text)));
        // What the model is made to say to a summary has no place.
        fc.pre(report.losses.every(({ code }) => code !== 'SUMMARY_REPLY'));
        const ran = await run(['context', '-'], { stdin: `${lines.join('\n')}\n` });
        const ours = ran.stdout.split('\n').flatMap((line) => (line ? spokenIn(JSON.parse(line)) : []));
        expect(ours).toEqual(replayed(text));
      }),
      settings(150),
    );
  });

  it('accounts for every message of a document that is cut off anywhere', async () => {
    const text = readFileSync(join(folder, 'hand/legacy.json'));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: text.length - 1 }), async (end) => {
        const { lines, report } = await nativeTextOf(gemini, memorySource(text.subarray(0, end)));
        identityOf(report);
        await validated(lines);
      }),
      settings(40),
    );
  });
});
