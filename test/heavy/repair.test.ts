import { once } from 'node:events';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-04-01T08:00:00.000Z","cwd":"/w"}\n';
const entry = (id: string, parentId: string | null): string =>
  `${JSON.stringify({ type: 'custom', id, parentId, timestamp: '2026-04-01T08:00:01.000Z', customType: 'x' })}\n`;

async function write(name: string, pieces: Iterable<string>): Promise<string> {
  const path = join(scratch, name);
  const stream = createWriteStream(path);
  for (const piece of pieces) if (!stream.write(piece)) await once(stream, 'drain');
  stream.end();
  await finished(stream);
  return path;
}

describe('a log made to be slow', () => {
  it('with a torn line of 64 MB and a million openings is repaired, and both neighbors survive', async () => {
    const opening = `{"type":"${'x'.repeat(55)}`;
    const file = await write('openings.jsonl', [
      HEADER,
      entry('a', null),
      opening.repeat(1_000_000),
      '\n',
      entry('b', 'a'),
    ]);
    const out = join(scratch, 'openings.out');
    const ran = await run(['repair', file, '-o', out]);
    expect(ran.code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(HEADER + entry('a', null) + entry('b', 'a'));
    expect(statSync(`${out}.quarantine`).size).toBeGreaterThan(64_000_000);
  });

  it('with a line of a million openings that close in the end as well', async () => {
    const file = await write('nested.jsonl', [
      HEADER,
      '{"type":'.repeat(1_000_000),
      '1',
      '}'.repeat(999_999),
      '\n',
      entry('a', null),
    ]);
    const out = join(scratch, 'nested.out');
    expect((await run(['repair', file, '-o', out])).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(HEADER + entry('a', null));
  });

  it('with a hundred thousand torn lines, copies and lost parents each', async () => {
    const lines = function* (): Generator<string> {
      yield HEADER;
      for (let at = 0; at < 100_000; at++) {
        yield '{"a":\n';
        yield entry('same', null);
        yield entry(`e${at}`, 'gone');
      }
    };
    const file = await write('many.jsonl', lines());
    const out = join(scratch, 'many.out');
    expect((await run(['repair', file, '-o', out])).code).toBe(0);
    expect((await run(['validate', '-q', out])).code).toBe(0);
  });
});

it('passes a line that is longer than any string', async () => {
  const piece = 'x'.repeat(1 << 20);
  const lines = function* (): Generator<string> {
    yield `${HEADER}{"type":"custom","id":"big","parentId":null,"timestamp":"2026-04-01T08:00:01.000Z","customType":"`;
    for (let at = 0; at < 600; at++) yield piece;
    yield `"}\n${entry('a', 'big')}{"torn\n`;
  };
  const file = await write('long.jsonl', lines());
  const out = join(scratch, 'long.out');
  const ran = await run(['repair', file, '-o', out]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('oversize-line: not fixed');
  expect(statSync(out).size).toBe(statSync(file).size - '{"torn\n'.length);
});
