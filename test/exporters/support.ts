import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { Exporter, ExporterOptions, Item, TranscriptFacts, ViewOptions } from '../../src/exporters/exporter.ts';
import { imageView } from '../../src/exporters/view/images.ts';
import { Totals, timeTextIn } from '../../src/exporters/view/totals.ts';
import { anchorOf, Transcript } from '../../src/exporters/view/transcript.ts';
import type { JsonObject } from '../../src/json/value.ts';

export const time = timeTextIn('UTC');

export function viewOptions(changes: Partial<ViewOptions> = {}): ViewOptions {
  return {
    tools: 'summary',
    thinking: 'folded',
    time,
    image: (block) => imageView({ blobs: undefined, onKept: () => undefined })(block, 0),
    ...changes,
  };
}

export const facts: TranscriptFacts = {
  id: 's-1',
  title: undefined,
  opening: undefined,
  cwd: '/work',
  started: '2026-02-16T10:00:00.000Z',
  parentSession: undefined,
  leaf: undefined,
  entries: undefined,
};

export interface Exported {
  readonly text: string;
  readonly turns: number;
  readonly exporter: Exporter;
  readonly items: readonly Item[];
}

/** A branch of parsed entries in a format, without any file. */
export function exportEntries(
  make: (options: ExporterOptions) => Exporter,
  entries: readonly JsonObject[],
  changes: Partial<ViewOptions> = {},
  session: Partial<TranscriptFacts> = {},
): Exported {
  const view = viewOptions(changes);
  const known = new Set(entries.map((entry) => entry['id']));
  const options: ExporterOptions = {
    zone: 'UTC',
    time,
    anchorOf: (id) => (known.has(id) ? anchorOf(id) : undefined),
    assets: false,
  };
  const exporter = make(options);
  const transcript = new Transcript(view);
  const totals = new Totals();
  const items: Item[] = [];
  for (const [at, value] of entries.entries()) {
    totals.add(value);
    items.push(...transcript.push({ position: at, line: at + 2, value }));
  }
  items.push(...transcript.end());
  const body = items.map((item) => exporter.item(item)).join('');
  const text = exporter.head({ ...facts, ...session }, totals, transcript.turns, []) + body + exporter.tail();
  return { text, turns: transcript.turns, exporter, items };
}

let count = 0;

export function entry(type: string, fields: JsonObject = {}): JsonObject {
  count++;
  return { type, id: `x${count}`, parentId: null, timestamp: '2026-02-16T10:20:30.000Z', ...fields };
}

export function said(role: string, fields: JsonObject): JsonObject {
  return entry('message', { message: { role, ...fields } });
}

/** As GitHub would render it, except that nothing is filtered: whatever tag comes through is seen. */
export function rendered(markdown: string): string {
  const body = markdown.startsWith('---\n') ? markdown.slice(markdown.indexOf('\n---\n') + 5) : markdown;
  return micromark(body, {
    extensions: [gfm()],
    // The tag filter would hide what the tests are looking for.
    htmlExtensions: [gfmHtml(), { enter: {}, exit: {} }],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
}

/** The tags of an HTML text in order, without their attributes. */
export function tagsOf(html: string): string[] {
  return html.match(/<\/?[A-Za-z][A-Za-z0-9]*|<[!?]/g) ?? [];
}
