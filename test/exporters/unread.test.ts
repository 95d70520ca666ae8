import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/entries/json-value.ts';
import { markdownFormat } from '../../src/exporters/markdown/index.ts';
import type { ToolsWish } from '../../src/exporters/view/options.ts';
import { OUTPUT, shorten, shortenUnread } from '../../src/exporters/view/shorten.ts';
import { type ExportEntry, Transcript } from '../../src/exporters/view/transcript.ts';
import { settled } from '../../src/exporters/view/unread.ts';
import type { LongString, VisitedEntry } from '../../src/tree/session.ts';
import { settings } from '../support/properties.ts';
import { entry, exportEntries, said, viewOptions } from './support.ts';

/** A string that was not read, and gives no more of itself than was asked for. */
function unread(text: string): LongString {
  return {
    characters: text.length,
    newlines: text.split('\n').length - 1,
    hasCodes: text.includes('\u001b'),
    whole: () => text,
    first: (characters) => text.slice(0, characters),
    last: (characters) => text.slice(-characters),
  };
}

/** The entry as it is read without its long strings. */
function thin(value: JsonObject): VisitedEntry {
  const longs = new Map<string, LongString>();
  const text = JSON.stringify(value);
  const marked = JSON.parse(text, (_, held: unknown) => {
    if (typeof held !== 'string' || held.length < 1000) return held;
    const mark = `\u0000${longs.size}`;
    longs.set(mark, unread(held));
    return mark;
  }) as JsonObject;
  return { position: 0, line: 1, offset: 0, text, value: marked, longs };
}

function shown(one: ExportEntry, tools: ToolsWish): unknown {
  const transcript = new Transcript(viewOptions({ tools }));
  return [transcript.push(one), transcript.end()];
}

const long = 'some words of a long line\n'.repeat(300);
const result = (content: unknown, rest: object = {}): JsonObject =>
  said('toolResult', { toolCallId: 'c', toolName: 'bash', content, ...rest });
const image = { type: 'image', mimeType: 'image/png', data: 'QUJD'.repeat(1000) };

describe('strings that were not read', () => {
  it('are shortened as if they had been', () => {
    const piece = fc.constantFrom('word ', '\n', 'x', '\u6f22', '\u{1f642}', 'a longer line of text\n', ' ', '\ud800', '\udc00');
    const text = fc
      .array(piece, { minLength: 1, maxLength: 7 })
      .chain((pieces) => fc.integer({ min: 1, max: 4000 }).map((length) => pieces.join('').repeat(4000).slice(0, length)));
    let cut = 0;
    fc.assert(
      fc.property(text, (whole) => {
        const short = shortenUnread(unread(whole), OUTPUT);
        if (!short) return;
        cut++;
        expect(short).toEqual(shorten(whole, OUTPUT));
      }),
      settings(3000),
    );
    expect(cut).toBeGreaterThan(1000);
  });

  it('are read where their ends do not tell all', () => {
    expect(shortenUnread(unread(long), OUTPUT)).toBeDefined();
    for (const text of [`${long}\u001b[0m`, 'x'.repeat(1800), ' '.repeat(5000), `${' '.repeat(5000)}x`]) {
      expect(shortenUnread(unread(text), OUTPUT)).toBeUndefined();
    }
  });

  it.each<ToolsWish>(['summary', 'full', 'none'])('give the same view of every entry, with tools %s', (tools) => {
    const entries: JsonObject[] = [
      result([{ type: 'text', text: long }]),
      result([{ type: 'text', text: long }, image, { type: 'text', text: `${long}more` }]),
      result([{ type: 'text', text: `\u001b[31m${long}` }]),
      result([{ type: 'text', text: ' '.repeat(2000) }]),
      result([{ type: 'odd', text: long }, { text: long }, long, [long]]),
      result([{ type: 'text', text: long, data: long }], { details: { big: 2 ** 60, long }, isError: true }),
      result(long),
      result({ long }),
      said('user', { content: [{ type: 'text', text: long }, image] }),
      said('user', { content: long }),
      said('bashExecution', { command: 'ls', output: long }),
      said('fileMention', { files: [{ path: 'a', content: long, image }] }),
      entry('custom_message', { content: [{ type: 'text', text: long }], customType: 'x' }),
      entry('compaction', { summary: long }),
      { ...result([{ type: 'text', text: long }]), type: 'odd' },
      { ...result([{ type: 'text', text: 'short' }]), id: long, timestamp: `2026-01-01T00:00:00.${'0'.repeat(2000)}Z` },
    ];
    for (const value of entries) {
      const read = thin(value);
      const whole: ExportEntry = { position: 0, line: 1, value, text: JSON.stringify(value) };
      expect(shown(settled(read, tools), tools), JSON.stringify(value).slice(0, 200)).toEqual(shown(whole, tools));
    }
  });

  it('are not asked for where nobody sees them', () => {
    const read = thin(result([{ type: 'text', text: long }], { details: { long } }));
    for (const string of read.longs?.values() ?? []) {
      string.whole = () => {
        throw new Error('read in full');
      };
    }
    expect(JSON.stringify(shown(settled(read, 'summary'), 'summary'))).toContain('284 lines');
    expect(exportEntries(markdownFormat, [result([{ type: 'text', text: long }])]).text).toContain('284 lines');
  });
});
