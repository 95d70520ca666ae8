import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks, readHistory } from '../../../src/formats/aider/checks.ts';
import { memorySource } from '../../support/native-form.ts';
import { projectRoot, run } from '../../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/aider');
const histories = readdirSync(folder).filter((name) => name.endsWith('.md'));
const HEADER = '# aider chat started at 2026-03-02 09:00:00\n\n';

/** What kinds of blocks a history has, and what is damaged in it. */
async function blocksIn(text: string | Buffer): Promise<{ kinds: unknown[]; damage: [number, string][] }> {
  const source = memorySource(Buffer.from(text));
  const kinds: unknown[] = [];
  const damage: [number, string][] = [];
  for await (const records of readHistory(source, source.chunks(), (line, rule) => damage.push([line, rule])))
    for (const { value } of records) kinds.push(value['type']);
  return { kinds, damage };
}

describe('validate of an Aider history', () => {
  it.each(histories.filter((name) => name !== 'notes-first.md'))('has nothing to say of %s', async (name) => {
    const { code, stdout, stderr } = await run(['validate', join(folder, name)]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('no problems found in 1 session');
  });

  it('names the lines whose bytes are damaged, in a file and from a pipe', async () => {
    const file = join(folder, 'notes-first.md');
    const log = Buffer.from(`${HEADER}#### One \xff.  \n\nGood.\n\n> A \0 here.  \n`, 'latin1');
    expect((await run(['validate', file])).code).toBe(1);
    const { code, stdout } = await run(['validate', '-'], { stdin: log });
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        '-:3: error: invalid-utf8: a piece of the document is not valid UTF-8',
        '-:7: warning: nul-bytes: a piece of the document has NUL bytes',
        '',
      ].join('\n'),
    );
    expect(await run(['validate', '-'], { stdin: readFileSync(join(folder, 'windows.md')) })).toMatchObject({
      code: 0,
    });
  });

  it('names a line that is too long to be held, and goes on behind it', async () => {
    const { kinds, damage } = await blocksIn(`${HEADER}${'a'.repeat(16 * 1024 * 1024 + 1)}\n\n#### Next  \n`);
    expect(damage).toEqual([[3, 'oversize-line']]);
    expect(kinds).toEqual(['header', 'user']);
  });
});

describe('the blocks of a history', () => {
  it('are those of all runs, each behind its header', async () => {
    const text = `\ufeff${HEADER}> Aider v0.75.1  \n\n#### One  \n\nAnswer.\n\n${HEADER}#### Two  \n`;
    expect((await blocksIn(text)).kinds).toEqual(['header', 'tool', 'user', 'text', 'header', 'user']);
  });

  it('have no header where a line only quotes one', async () => {
    expect((await blocksIn(`${HEADER}#### Show it  \n\n\`\`\`\n${HEADER}\`\`\`\n`)).kinds).toEqual([
      ...['header', 'user', 'text'],
    ]);
  });

  it('do not begin with the notes that somebody has written above the first run', async () => {
    expect((await blocksIn(`My notes.\n\n${HEADER}#### One  \n`)).kinds).toEqual(['header', 'user']);
    expect((await blocksIn(`#### Zero  \n\n${HEADER}#### One  \n`)).kinds).toEqual(['user', 'header', 'user']);
  });

  it('are of the conversation where the user or the model speaks', () => {
    const inConversation = ['header', 'user', 'tool', 'text'].map((type) => checks.describe({ type }).isInConversation);
    expect(inConversation).toEqual([false, true, false, true]);
  });
});
