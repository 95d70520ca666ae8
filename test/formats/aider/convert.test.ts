import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aider } from '../../../src/formats/aider/index.ts';
import { type ConversionReport, KEEP } from '../../../src/formats/format.ts';
import { memorySource, nativeTextOf } from '../../support/native-form.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;

const folder = join(projectRoot, 'fixtures/formats/aider');
const cases = readdirSync(folder).filter((name) => name.endsWith('.md'));
const textOf = (name: string): Buffer => readFileSync(join(folder, name));

function objectsOf(lines: readonly string[]): Json[] {
  return lines.map((line) => JSON.parse(line));
}

/** Who said what, in short. */
function saidIn(lines: readonly string[]): string[] {
  return objectsOf(lines).flatMap(({ message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: { text: string }[] };
    return role === undefined ? [] : [`${role}: ${content?.[0]?.text}`];
  });
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

function lossesOf({ losses }: ConversionReport): string[] {
  return losses.map(({ code }) => code);
}

const HEADER = '\n# aider chat started at 2026-03-02 09:00:00\n\n';

function historyOf(text: string): Promise<Awaited<ReturnType<typeof nativeTextOf>>> {
  return nativeTextOf(aider, memorySource(Buffer.from(text)));
}

describe('a run of Aider in its native form', () => {
  it.each(cases)('is the one beside it: %s', async (name) => {
    const { lines } = await nativeTextOf(aider, memorySource(textOf(name), { name }));
    const text = lines.map((line) => `${line.replace(/"toolVersion":"[^"]*"/, '"toolVersion":"*"')}\n`).join('');
    await expect(text).toMatchFileSnapshot(join(folder, name.replace(/md$/, 'native.jsonl')));
  });

  it.each(cases)('accounts for every block, and is valid in both dialects: %s', async (name) => {
    for (const dialect of ['pi', 'omp'] as const)
      for (const keep of KEEP) {
        const { lines, report } = await nativeTextOf(aider, memorySource(textOf(name)), { dialect, keep });
        expect(identityOf(report)).toBeGreaterThan(2);
        expect(report.roundtrip).toBe('text-only');
        await validated(lines);
      }
  });

  it('has what was used, and says that it is rounded', async () => {
    const { lines, report } = await nativeTextOf(aider, memorySource(textOf('one-run.md')));
    const usage = objectsOf(lines).flatMap(({ message }) => (message as Json | undefined)?.['usage'] ?? []);
    expect(usage).toMatchObject([
      { input: 7200, cacheWrite: 2100, cacheRead: 512, output: 123, totalTokens: 9935, cost: { total: 0.03 } },
    ]);
    expect(lossesOf(report)).toContain('USAGE_ROUNDED');
  });

  it('takes what only looks like a mark of Aider as what the model said', async () => {
    const { lines } = await nativeTextOf(aider, memorySource(textOf('looks-like-marks.md')));
    const [, answer, , aborted] = saidIn(lines);
    expect(answer).toMatch(/^assistant: # A heading\n[\s\S]*\n#### Steps[\s\S]*\n> Tokens: 1 sent[\s\S]*Done\.$/);
    expect(aborted).toBe('assistant: The first');
    expect(lines.filter((line) => line.includes('"stopReason":"aborted"'))).toHaveLength(1);
  });

  it('is read by its marks alone where an editor has taken the spaces away, but not inside of a fence', async () => {
    const { lines, report } = await nativeTextOf(aider, memorySource(textOf('stripped.md')));
    expect(saidIn(lines)).toEqual([
      'user: Show me a quote.',
      'assistant: Here:\n\n```\n> not a tool\n#### not the user\n```',
      'user: Thanks.',
      'assistant: You are welcome.',
    ]);
    expect(lossesOf(report)).toContain('WHITESPACE_STRIPPED');
  });

  it('is the newest by default, and any other by its id', async () => {
    const path = join(folder, 'runs.md');
    const newest = await run(['log', path]);
    expect(newest.stdout).toContain('Are you there?');
    expect(newest.stderr).toMatch(
      /has 3 sessions, of which this is the newest, 2026-03-03T10:30:00-2; '--session ID' /,
    );
    expect(newest.stderr).toContain('2026-03-02T09:00:00 (Change the port to 4000.)');
    const first = await run(['log', '--session', '2026-03-02', path]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('Change the port to 4000.');
    expect(await run(['log', '--session', '2026-03-03', path])).toMatchObject({ code: 2 });
    expect((await run(['log', '--session', '1999', path])).stderr).toContain(
      "has no session '1999'; it has 2026-03-03",
    );
  });

  it('is written with all others into a folder', async () => {
    const out = mkdtempSync(join(tmpdir(), 'sessionctl-'));
    try {
      expect(await run(['convert', '-o', `${out}/`, join(folder, 'runs.md')])).toMatchObject({ code: 0 });
      expect(readdirSync(out)).toHaveLength(3);
    } finally {
      rmSync(out, { recursive: true });
    }
  });

  it('is not repaired, which is said in one line', async () => {
    const { code, stderr } = await run(['repair', join(folder, 'one-run.md')]);
    expect(code).toBe(2);
    expect(stderr).toContain('looks like an Aider chat history');
  });
});

describe('a hostile history of Aider', () => {
  it('has a header where Aider wrote one, also behind a fence that was never closed', async () => {
    const { report } = await nativeTextOf(aider, memorySource(textOf('windows.md')));
    expect(report.sessions).toMatchObject([{ id: '2026-06-01T08:00:00', isSibling: true }]);
    const other = await nativeTextOf(aider, memorySource(textOf('windows.md')), { session: '2026-06-01T08' });
    expect(saidIn(other.lines)).toEqual(['user: Write a fence.', 'assistant: ```js\nconst a = 1;']);
  });

  it('keeps NULs and what is no text, and says so', async () => {
    const { lines, report } = await nativeTextOf(aider, memorySource(textOf('notes-first.md')));
    expect(saidIn(lines)).toEqual(['user: Say \u00e9.', 'assistant: A \ufffd byte and a \0.']);
    expect(lossesOf(report)).toContain('INVALID_UTF8');
  });

  it('leaves out a line that nobody can have written, and cuts an answer that is too long', async () => {
    const long = 'x'.repeat(17 * 1024 * 1024);
    const many = `${'some words of an answer\n'.repeat(200_000)}`;
    const { lines, report, leftOut } = await historyOf(
      `${HEADER}#### Go on.  \n\nYes.\n${long}\nNo.\n\n> Done.  \n${many}`,
    );
    expect(leftOut).toEqual([7]);
    expect(report.losses).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ code: 'TEXT_SPLIT', count: 1 })]),
    );
    const said = saidIn(lines);
    expect(said.slice(0, 2)).toEqual(['user: Go on.', 'assistant: Yes.\nNo.']);
    expect(
      said
        .slice(2)
        .map((text) => text.slice('assistant: '.length))
        .join('\n'),
    ).toBe(many.trim());
    identityOf(report);
  });

  it.each([' ', '#', '1', '> ', '`', '# aider chat started at '])('takes no longer for a line of %j', async (piece) => {
    const line = piece.repeat(4_000_000 / piece.length);
    const { report } = await historyOf(`${HEADER}#### Go on.\n\n> Tokens: ${line}\n${line}\n\n${line}x\n`);
    expect(identityOf(report)).toBeGreaterThan(2);
  });

  it('says so where it has more runs than can be chosen from', async () => {
    const path = join(scratchFolder(), 'history.md');
    const time = (n: number): string =>
      new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString().slice(0, 19).replace('T', ' ');
    const runs = Array.from(
      { length: 10_003 },
      (_, n) => `\n# aider chat started at ${time(n)}\n\n#### Run ${n}  \n\nYes.\n`,
    );
    writeFileSync(path, runs.join(''));
    const ran = await run(['log', path]);
    expect(ran.stdout).toContain('Run 10002');
    expect(ran.stderr).toContain(
      'history.md: warning: 3 older runs can be neither listed nor chosen; split the file to read them\n',
    );
    writeFileSync(path, runs.slice(3).join(''));
    expect((await run(['log', path])).stderr).not.toContain('older');
  });

  it('without any prompt is shown by its last run', async () => {
    const { report, lines } = await historyOf(`${HEADER}${HEADER}> Aider v0.75.1  \n`);
    expect(report).toMatchObject({ counts: { records: 2, mapped: 1, custom: 1 }, sessions: [] });
    expect(lines).toHaveLength(3);
  });

  it('is told from a Markdown file that is none', async () => {
    const out = mkdtempSync(join(tmpdir(), 'sessionctl-'));
    try {
      const path = join(out, 'notes.md');
      writeFileSync(path, '# Notes\n\n#### One\n\n> a quote  \n');
      expect((await run(['log', path])).stderr).toContain('looks like plain text');
      const forced = await run(['log', '--from', 'aider', join(folder, 'notes-first.md')]);
      expect(forced.stdout).toContain('Say \u00e9.');
    } finally {
      rmSync(out, { recursive: true });
    }
  });
});

describe('any history of Aider', () => {
  const texts = cases.map((name) => textOf(name).toString('latin1').split('\n'));
  const odd = fc.constantFrom(
    ...[
      '',
      '```',
      '~~~~',
      '####',
      '####  ',
      '#### <blank>  ',
      '>  ',
      '> Tokens: k sent  ',
      '\0',
      '\u00ff',
      '#### a',
      '> b',
    ],
    ...['# aider chat started at 2026-99-99 99:99:99', '# aider chat started at 2026-01-01 01:01:01\r'],
  );
  /** Lines left out, repeated, cut off or put in. */
  const mutated = fc
    .tuple(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'repeat', 'cut', 'add'), odd), { maxLength: 8 }),
    )
    .map(([lines, changes]) => {
      const list = [...lines];
      for (const [number, change, line] of changes) {
        const at = number % list.length;
        const one = list[at] ?? '';
        if (change === 'drop' && list.length > 4) list.splice(at, 1);
        else if (change === 'repeat') list.splice(at, 0, one);
        else if (change === 'cut') list[at] = one.slice(0, number % (one.length + 1));
        else list.splice(at, 0, line);
      }
      return Buffer.from(list.join('\n'), 'latin1');
    });

  it('gives the same in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, fc.integer({ min: 1, max: 200 }), async (bytes, chunkBytes) => {
        const whole = await nativeTextOf(aider, memorySource(bytes));
        expect(await nativeTextOf(aider, memorySource(bytes, { chunkBytes }))).toEqual(whole);
      }),
      settings(60),
    );
  });

  it('accounts for every block of every run however it is damaged, and gives valid logs', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (bytes) => {
        const { report, lines } = await nativeTextOf(aider, memorySource(bytes));
        identityOf(report);
        await validated(lines);
        for (const { id } of report.sessions) {
          const other = await nativeTextOf(aider, memorySource(bytes), { session: id });
          identityOf(other.report);
          expect(other.report.session).toBe(id);
        }
      }),
      settings(120),
    );
  });

  it('has every word of a run in its native form', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('#### ask me  ', 'an answer', '> told  ', '', '```'), { maxLength: 30 }),
        async (list) => {
          const { lines } = await historyOf(`${HEADER}#### first  \n\n${list.join('\n')}\n`);
          const all = lines.join('\n');
          const count = (word: string, text: string): number => text.split(word).length - 1;
          for (const word of ['ask me', 'an answer', 'told'])
            expect(count(word, all)).toBe(count(word, list.join('\n')));
        },
      ),
      settings(100),
    );
  });
});
