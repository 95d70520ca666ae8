import { describe, expect, it } from 'vitest';
import { identifyDocument } from '../../src/formats/index.ts';
import { documentStart } from '../../src/log/byte-store.ts';

const MEGABYTE = 1024 * 1024;
const HEADER = '# aider chat started at 2026-03-02 09:00:00\n\n#### One  \n\n';

/** What is read of a file before it is known what it is; a long line behind it is not read. */
async function startOf(text: string, size?: number): Promise<{ start: string | undefined; chunks: number }> {
  let chunks = 0;
  const store = {
    size,
    chunks: async function* () {
      for (const chunk of [text, ...Array<string>(20).fill('a'.repeat(MEGABYTE / 4))]) {
        chunks++;
        yield Buffer.from(chunk, 'latin1');
      }
    },
  };
  return { start: (await documentStart(store))?.toString('latin1'), chunks };
}

describe('the start of a file that is not JSONL by its looks', () => {
  it.each([
    ['text', HEADER],
    ['text behind a byte order mark and blank lines', `\xef\xbb\xbf\r\n\n${HEADER}`],
  ])('is the first chunk of %s, whatever follows it', async (_what, text) => {
    expect(await startOf(text)).toEqual({ start: text, chunks: 1 });
    expect(identifyDocument('history.md', Buffer.from(text, 'latin1'))?.format.id).toBe('aider');
  });

  it('is a megabyte of a first line that is longer', async () => {
    const { start, chunks } = await startOf('{"items":[');
    expect([start?.length, chunks]).toEqual([MEGABYTE + '{"items":['.length, 5]);
  });

  it.each([['{"type":"session"}\n'], ['\n  [\n'], ['\xef\xbb\xbf{"type":"session"}\n'], ['\n\n']])(
    'is not there for what may be JSON: %j',
    async (text) => {
      expect(await startOf(text)).toEqual({ start: undefined, chunks: 1 });
    },
  );

  it('is not looked for in a file that is small', async () => {
    expect(await startOf(HEADER, 500)).toEqual({ start: undefined, chunks: 0 });
  });
});
