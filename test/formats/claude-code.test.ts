import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/formats/claude-code/index.ts';
import { type ConversionReport, KEEP } from '../../src/formats/format.ts';
import {
  type ApiMessage,
  remindersOf,
  resultsOf,
  turnsOf,
  withoutReminders,
  withoutResume,
} from '../support/claude-context.ts';
import { memorySource, nativeTextOf } from '../support/native-form.ts';
import { settings } from '../support/properties.ts';
import { projectRoot, run } from '../support/run.ts';

type Json = Record<string, unknown>;

const folder = join(projectRoot, 'fixtures/formats/claude-code');
const cases = ['2.1.325', '2.1.100'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.context.json'))
    .map((name) => `${version}/${name.replace('.context.json', '')}`),
);

async function contextOf(file: string): Promise<ApiMessage[]> {
  const ran = await run(['context', '--as', 'anthropic', file]);
  expect(ran.stderr).toBe('');
  return ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Where the two differ, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  '2.1.325/compact-auto':
    'reminders between the boundary and the summary stand behind the messages that the compaction keeps, not before',
};

describe('the context of a Claude Code log', () => {
  it.each(cases)('is what Claude Code sends when it resumes it: %s', async (name) => {
    const file = join(folder, `${name}.jsonl`);
    const { messages } = JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8'));
    const { lines } = await nativeTextOf(claudeCode, sourceOf(name));
    const notes = objectsOf(lines).filter(({ type }) => type === 'custom_message');
    const roles = new Map(notes.map(({ content, details }) => [content, (details as Json | undefined)?.['role']]));
    const roleOf = (text: string, role: string): string => String(roles.get(text) ?? role);
    const { ours, theirs } = withoutResume(turnsOf(await contextOf(file), roleOf), turnsOf(messages));
    if (name.startsWith('2.1.100')) {
      // This version makes the text of its reminders when it sends them, and stores none.
      expect(withoutReminders(ours)).toEqual(withoutReminders(theirs));
    } else if (name in DIFFERENT) {
      expect(withoutReminders(ours)).toEqual(withoutReminders(theirs));
      expect(remindersOf(ours)).toEqual(remindersOf(theirs));
      expect(ours).not.toEqual(theirs);
    } else expect(ours).toEqual(theirs);
  });

  it.each(cases)('has the results of its calls in the order in which Claude Code sends them: %s', async (name) => {
    const { messages } = JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8'));
    const ran = await run(['context', '--as', 'llm', join(folder, `${name}.jsonl`)]);
    const ours = ran.stdout.split('\n').flatMap((line): string[] => (line ? (JSON.parse(line).toolCallId ?? []) : []));
    // What the log has no result of gets one from Claude Code.
    expect(ours).toEqual(resultsOf(messages).filter((id) => ours.includes(id)));
  });
});

function sourceOf(name: string, chunkBytes = 65_536) {
  const path = join(folder, `${name}.jsonl`);
  return memorySource(readFileSync(path), { path, name: `${name.split('/')[1]}.jsonl`, chunkBytes });
}

function objectsOf(lines: readonly string[]): Json[] {
  return lines.map((line) => JSON.parse(line));
}

/** The version of this program is in the first entry. */
function ofAnyVersion(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(/"toolVersion":"[^"]*"/, '"toolVersion":"*"')}\n`).join('');
}

function identityOf({ counts }: ConversionReport): number {
  const { records, mapped, merged, custom, dropped } = counts;
  expect(mapped + merged + custom + dropped).toBe(records);
  return records;
}

describe('the end of a Claude Code log', () => {
  it('is behind a compaction that came after the end was named last, as Claude Code 2.1.325 has it', async () => {
    const lines = readFileSync(join(folder, '2.1.325/compact-auto.jsonl'), 'utf8').split('\n').slice(0, 54);
    const ran = await run(['context', '-'], { stdin: lines.join('\n') });
    const messages = ran.stdout.split('\n').filter(Boolean);
    expect(JSON.parse(messages[0] ?? '')).toMatchObject({ role: 'compactionSummary' });
    expect(JSON.parse(messages.at(-1) ?? '')).toMatchObject({ content: [{ text: 'All read.' }] });
  });

  const linesOf = (name: string): string[] =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n');
  /** What the prompts and the answers say, and the calls that are answered. */
  const saidIn = async (lines: readonly string[]): Promise<unknown[]> => {
    const ran = await run(['context', '--as', 'llm', '-'], { stdin: lines.join('\n') });
    const messages = objectsOf(ran.stdout.split('\n').filter(Boolean));
    return messages.flatMap(({ content, toolCallId }) => {
      if (typeof content === 'string') return content.startsWith('<') ? [] : [content];
      return toolCallId ?? (content as Json[]).flatMap(({ text }) => text ?? []);
    });
  };

  it('is the last record where it goes on from the end that was named, past calls that ran side by side', async () => {
    // Cut off in the middle of a turn, as a crash leaves it.
    const said = await saidIn(linesOf('2.1.325/compact-manual').slice(0, 46));
    expect(said.at(-1)).toBe('toolu_00000007');
  });

  it('is the record to which the user went back', async () => {
    const lines = linesOf('2.1.325/rewind');
    const { uuid: leafUuid } = objectsOf(lines).find(({ type }) => type === 'assistant') ?? {};
    const backTo = (uuid: unknown, more = {}): string =>
      JSON.stringify({ type: 'last-prompt', leafUuid: uuid, ...more });
    const first = ['Pick a colour.', 'Blue.'];
    expect(await saidIn([...lines, backTo(leafUuid)])).toEqual([...first, 'No, take red.', 'Red it is.']);
    expect(await saidIn([...lines, backTo(leafUuid, { explicit: true })])).toEqual(first);
    expect(await saidIn([...lines, backTo(leafUuid, { explicit: true }), backTo(leafUuid)])).toEqual(first);
    expect(await saidIn([...lines, backTo(null, { explicit: true })])).toEqual([]);
  });
});

describe('a Claude Code summary whose boundary is gone', () => {
  it('hides nothing where its parent is known, as after a repair: Claude Code sends all of it', async () => {
    const lines = readFileSync(join(folder, '2.1.325/compact-manual.jsonl'), 'utf8').trim().split('\n');
    const boundary = lines.findIndex((line) => line.includes('"subtype":"compact_boundary"'));
    const last = objectsOf(lines.slice(0, boundary)).findLast(({ type }) => type === 'assistant')?.['uuid'];
    const gone = (JSON.parse(lines[boundary] ?? '') as Json)['uuid'];
    const left = lines.toSpliced(boundary, 1);
    const saidIn = async (log: readonly string[]): Promise<string> =>
      (await run(['context', '--as', 'llm', '-'], { stdin: log.join('\n') })).stdout;
    const texts = ['Change the port to 4000', 'This session is being continued', 'Which port?'];
    const repaired = await saidIn(left.map((line) => line.replace(`"parentUuid":"${gone}"`, `"parentUuid":"${last}"`)));
    expect(texts.map((text) => repaired.includes(text))).toEqual([true, true, true]);
    const broken = await saidIn(left);
    expect(texts.map((text) => broken.includes(text))).toEqual([false, true, true]);
  });
});

describe('a Claude Code log in its native form', () => {
  it.each(cases)('is the one beside it: %s', async (name) => {
    const { lines } = await nativeTextOf(claudeCode, sourceOf(name));
    await expect(ofAnyVersion(lines)).toMatchFileSnapshot(join(folder, `${name}.native.jsonl`));
  });

  it.each(cases)('accounts for every record, and is valid in both dialects: %s', async (name) => {
    const total = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .split('\n')
      .filter(Boolean).length;
    for (const dialect of ['pi', 'omp'] as const)
      for (const keep of KEEP) {
        const { lines, report } = await nativeTextOf(claudeCode, sourceOf(name), { dialect, keep });
        expect(identityOf(report)).toBe(total);
        const validated = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n` });
        expect(validated.stdout).not.toMatch(/: error: /);
        expect(validated.code).toBe(0);
      }
  });

  it.each(cases)('counts what each call of the model used once: %s', async (name) => {
    const used = new Map<string, Json>();
    for (const { type, message, requestId } of objectsOf(
      readFileSync(join(folder, `${name}.jsonl`), 'utf8')
        .trim()
        .split('\n'),
    ))
      if (type === 'assistant') used.set(`${(message as Json)['id']} ${requestId}`, (message as Json)['usage'] as Json);
    const sum = (key: string): number => [...used.values()].reduce((total, usage) => total + Number(usage[key]), 0);
    const { lines } = await nativeTextOf(claudeCode, sourceOf(name));
    const ours = objectsOf(lines).flatMap(({ message }) => (message as Json | undefined)?.['usage'] ?? []) as Json[];
    const total = (key: string): number => ours.reduce((all, usage) => all + Number(usage[key]), 0);
    expect([total('input'), total('output'), total('cacheRead'), total('cacheWrite')]).toEqual(
      ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map(sum),
    );
  });

  it.each(['2.1.325', '2.1.100'])('has the session of a subagent as a session of its own: %s', async (version) => {
    const { report, lines } = await nativeTextOf(claudeCode, sourceOf(`${version}/subagent`));
    const [child] = report.sessions;
    expect(child).toMatchObject({ title: 'count the files', toolCallId: 'toolu_00000001' });
    const entries = objectsOf(lines);
    const at = entries.findIndex(({ customType }) => customType === 'sessionctl/subagent');
    expect(entries[at]).toMatchObject({ data: { childSession: child?.nativeId, role: 'general-purpose' } });
    expect(entries.find(({ id }) => id === entries[at]?.['parentId'])).toMatchObject({
      message: { role: 'toolResult' },
    });
    for (const session of [child?.id, child?.nativeId]) {
      const own = await nativeTextOf(claudeCode, sourceOf(`${version}/subagent`), { session });
      const [header, ...rest] = objectsOf(own.lines);
      expect(header).toMatchObject({ id: child?.nativeId, parentSession: objectsOf(lines)[0]?.['id'] });
      const roles = rest.flatMap(({ message }) => (message as Json | undefined)?.['role'] ?? []);
      expect(roles).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
      identityOf(own.report);
    }
  });

  it('takes the start of an id, and names the sessions that it has for one that it has not', async () => {
    const agent = 'aa5497f2973e94ccf';
    const whole = await nativeTextOf(claudeCode, sourceOf('2.1.325/subagent'), { session: agent });
    for (const session of ['aa54', '00000000-0000'])
      expect((await nativeTextOf(claudeCode, sourceOf('2.1.325/subagent'), { session })).lines).toEqual(
        session === 'aa54' ? whole.lines : (await nativeTextOf(claudeCode, sourceOf('2.1.325/subagent'))).lines,
      );
    const attempt = nativeTextOf(claudeCode, sourceOf('2.1.325/subagent'), { session: 'nobody' });
    await expect(attempt).rejects.toThrow(
      /: has no session 'nobody'; it has aa5497f2973e94ccf \(count the files\), 00000000-0000-4000-8000-\d{12}$/,
    );
  });
});

describe('any Claude Code log', () => {
  const logs = cases.map((name) =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n'),
  );
  const anyLog = fc.constantFrom(...logs);
  /** Some lines left out, written twice, moved or cut off. */
  const mutated = fc
    .tuple(
      anyLog,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'repeat', 'cut', 'swap', 'change')), { maxLength: 8 }),
    )
    .map(([log, changes]) => {
      const lines = [...log];
      for (const [number, change] of changes) {
        const at = number % lines.length;
        const line = lines[at] ?? '';
        if (change === 'drop' && lines.length > 4) lines.splice(at, 1);
        else if (change === 'repeat') lines.splice(number % 7 === 0 ? lines.length : at, 0, line);
        else if (change === 'cut') lines[at] = line.slice(0, number % (line.length + 1));
        else if (change === 'swap') lines.splice((at * 7) % lines.length, 0, ...lines.splice(at, 1));
        else lines.push(line.replace('"text":"', '"text":"again '));
      }
      return lines.join('\n');
    });

  it('gives the same in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, fc.integer({ min: 1, max: 3000 }), async (text, chunkBytes) => {
        const bytes = Buffer.from(text);
        const whole = await nativeTextOf(claudeCode, memorySource(bytes));
        const pieces = await nativeTextOf(claudeCode, memorySource(bytes, { chunkBytes }));
        expect(pieces).toEqual(whole);
      }),
      settings(40),
    );
  });

  it('accounts for every line however it is damaged, and gives a valid log', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => {
        const { lines, report, leftOut } = await nativeTextOf(claudeCode, memorySource(Buffer.from(text)));
        expect(identityOf(report)).toBeGreaterThanOrEqual(text.split('\n').filter((line) => line.trim() !== '').length);
        expect(leftOut.length).toBe(report.losses.find(({ code }) => code === 'DAMAGED_LINE')?.count ?? 0);
        const validated = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n` });
        expect(validated.stdout).not.toMatch(/: error: /);
      }),
      settings(150),
    );
  });
});
