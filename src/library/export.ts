import { exportBody } from '../exporters/export.ts';
import type { ExportOptions as Settings } from '../exporters/exporter.ts';
import { exportFormats } from '../exporters/index.ts';
import { markdownFormat } from '../exporters/markdown/index.ts';
import { imageView } from '../exporters/view/images.ts';
import { timeTextIn } from '../exporters/view/totals.ts';
import type { RandomAccess } from '../log/byte-store.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { resolveEntry } from '../tree/rev.ts';
import { type Bytes, optionsOf } from './arguments.ts';
import { type SessionLog, withSession } from './session.ts';

export interface ExportSessionOptions {
  /** 'md' by default. */
  readonly format?: 'md' | 'html';
  /** The entry at the end of the branch; '@' by default. */
  readonly leaf?: string;
  /** Every branch. */
  readonly all?: boolean;
  readonly tools?: Settings['tools'];
  readonly thinking?: Settings['thinking'];
  /** A page does not hold the entries, to be saved from it as a log. */
  readonly noEntries?: boolean;
  /** The time zone of all times; UTC by default. */
  readonly tz?: string;
}

/** A session for people to read: Markdown, or one page of HTML. Images are part of it. Holds the text. */
export async function exportSession(
  source: Bytes | RandomAccess | SessionLog,
  options?: ExportSessionOptions,
): Promise<string> {
  const given = optionsOf('exportSession', options, {
    format: exportFormats.map(({ name }) => name),
    leaf: 'rev',
    all: 'boolean',
    tools: ['summary', 'full', 'none'],
    thinking: ['folded', 'full', 'none'],
    noEntries: 'boolean',
    tz: 'zone',
  });
  const { leaf, all = false, tools = 'summary', thinking = 'folded', noEntries = false, tz = 'UTC' } = given;
  const format = exportFormats.find(({ name }) => name === given.format) ?? markdownFormat;
  const shown = { format, all, tools, thinking, zone: tz, time: timeTextIn(tz) };
  const settings: Settings = { ...shown, assets: false, entries: !noEntries };
  return await withSession('exportSession', source, async (session) => {
    const position = leaf === undefined ? await lastEntry(session) : await resolveEntry(session, leaf);
    const parts: string[] = [];
    const body = { write: (text: string) => void parts.push(text) };
    const image = imageView({ blobs: undefined, save: undefined, onKept: () => {} });
    const { head } = await exportBody({ session, leaf: position, options: settings, image, body });
    return head + parts.join('');
  });
}
