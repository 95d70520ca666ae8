import type { ByteWriter } from '../lines/writer.ts';
import type { Io, Style } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';
import { filesFor } from './find.ts';
import { type GrepOptions, type Hit, hitsIn } from './grep.ts';

export interface GrepRunOptions extends GrepOptions {
  readonly operands: readonly string[];
  readonly roots: readonly string[];
  readonly form: 'text' | 'json' | 'files' | 'count';
}

/** So much of a text is shown around a match. */
const BEFORE = 60;
const BEHIND = 100;

/** Searches all files, the newest first, and gives the exit code. */
export async function grepSessions(options: GrepRunOptions, out: ByteWriter, io: Io): Promise<number> {
  const { form } = options;
  let isTrouble = false;
  const onError = (message: string): void => {
    isTrouble = true;
    io.note(message);
  };
  /** Of a folder, where a file may be anything. */
  const skipped: string[] = [];
  const totals = { hits: 0, damaged: 0, damagedFiles: 0 };
  for (const { path } of await filesFor(options, io.env, onError)) {
    const hits = hitsIn(path, options, io);
    let count = 0;
    for (let next = await hits.next(); ; next = await hits.next()) {
      if (next.done) {
        const { damaged, error } = next.value;
        if (damaged > 0) totals.damagedFiles++;
        totals.damaged += damaged;
        if (error && options.operands.includes(path)) onError(error.message);
        else if (error) skipped.push(error.message);
        break;
      }
      if (next.value.match) count++;
      if (form === 'text') await out.put(textOf(path, next.value, io));
      else if (form === 'json') await out.put(jsonOf(path, next.value));
    }
    totals.hits += count;
    if (form === 'files' && count > 0) await out.put(`${shown(path, io)}\n`);
    if (form === 'count' && count > 0) await out.put(`${shown(path, io)}:${count}\n`);
    await out.flush();
  }
  if (totals.damaged > 0)
    io.note(`${counted(totals.damaged, 'damaged line')} in ${counted(totals.damagedFiles, 'file')} not searched`);
  if (skipped.length > 0) io.note(`${counted(skipped.length, 'file')} not searched, such as ${skipped[0]}`);
  if (isTrouble) return 2;
  return totals.hits > 0 ? 0 : 1;
}

function shown(text: string, { stdout }: Io): string {
  return stdout.isTTY ? printable(text) : text;
}

function jsonOf(file: string, { line, id, speaker, tool, text, match }: Hit): string {
  return `${toJson({ file, line, id, speaker, ...(tool ? { tool } : {}), text, ...(match ? { match } : {}) })}\n`;
}

function textOf(path: string, hit: Hit, io: Io): string {
  const { line, speaker, tool, text, match } = hit;
  const { style, stdout } = io;
  const who = tool ? `${speaker} (${tool})` : speaker;
  const mark = match ? ':' : '-';
  const place = `${shown(path, io)}${mark}${line}${mark} ${shown(who, io)}: `;
  return `${style.dim(place)}${snippet(text, match, style, stdout.isTTY === true)}\n`;
}

/** The text around a match, on one line. */
function snippet(text: string, match: Hit['match'], style: Style, isTerminal: boolean): string {
  const clean = (part: string): string => {
    const line = part.replace(/\s+/g, ' ');
    return isTerminal ? printable(line) : line;
  };
  if (!match) return clean(text.slice(0, BEFORE + BEHIND)) + (text.length > BEFORE + BEHIND ? '...' : '');
  const start = Math.max(0, match.start - BEFORE);
  const end = Math.min(text.length, match.end + BEHIND);
  const found = clean(text.slice(match.start, Math.min(match.end, match.start + BEHIND)));
  return [
    ...[start > 0 ? '...' : '', clean(text.slice(start, match.start)), style.red(found)],
    ...[clean(text.slice(match.end, end)), end < text.length ? '...' : ''],
  ].join('');
}
