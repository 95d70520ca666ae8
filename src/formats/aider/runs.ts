import { LineBlock, readBlocks } from '../../lines/reader.ts';
import { Grammar, startOf } from './grammar.ts';

/** A run of Aider: from its header to the next one. */
export interface AiderRun {
  readonly id: string;
  /** When it began, in a time zone that is not known. */
  readonly time: string | undefined;
  /** Its first prompt, shortened. */
  readonly title: string | undefined;
  readonly line: number;
  readonly offset: number;
  readonly end: number;
}

interface Runs {
  /** The runs with a prompt, the oldest first; the last run where none has one. */
  readonly list: readonly AiderRun[];
  /** How many older ones are not in the list. */
  readonly older: number;
  /** Runs without a prompt. */
  readonly empty: number;
  /** An editor has removed the trailing spaces that mark lines. */
  readonly isStripped: boolean;
}

/** Longer lines are not read. */
export const LONGEST_LINE = 16 * 1024 * 1024;
/** Older runs are not listed. */
const MOST_RUNS = 10_000;
const LONGEST_TITLE = 60;

/** Whether input is for the model: commands are for Aider, but some have a question for the model. */
export function isPrompt(text: string): boolean {
  if (/^\/(?:ask|code|architect|context) \S/.test(text)) return true;
  return text.trim() !== '' && text !== '<blank>' && !/^[/!]/.test(text);
}

/** Finds the runs of a history, without holding their text. */
export async function findRuns(chunks: AsyncIterable<Uint8Array>): Promise<Runs> {
  const finder = new RunFinder();
  for await (const piece of readBlocks(chunks, { maxLineBytes: LONGEST_LINE })) {
    if (piece instanceof LineBlock) finder.push(piece.bytes, piece.number, piece.offset);
    else if (piece.oversize > 0) finder.skip(piece.offset + piece.length);
    else finder.push(Buffer.from(piece.raw, 'latin1'), piece.number, piece.offset);
  }
  return finder.end();
}

const HEADER_MARK = Buffer.from('# aider chat started at ');
const INPUT_MARK = Buffer.from('\n####');
const LINE_BREAK = Buffer.from('  ');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Reads only a few lines, for a long history has millions. */
class RunFinder {
  #runs: (AiderRun & { readonly isLoose: boolean })[] = [];
  #count = 0;
  readonly #askedIn = { strict: 0, loose: 0 };
  /** The text before the first header, in a file whose start was cut off. */
  #open: Omit<AiderRun, 'end' | 'title'> = { id: 'start', time: undefined, line: 1, offset: 0 };
  /** The first prompt of this run; one without trailing spaces only if there is no other. */
  #asked: { readonly title: string; readonly isLoose: boolean } | undefined;
  /** A line with the two trailing spaces was found. */
  #hasMarks = false;
  #isAfterBlank = true;
  #end = 0;

  /** Adds whole lines. */
  push(lines: Buffer, number: number, start: number): void {
    const isMarked = start === 0 && lines.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const bytes = isMarked ? lines.subarray(BYTE_ORDER_MARK.length) : lines;
    const offset = start + lines.length - bytes.length;
    if (start === 0) this.#open = { ...this.#open, offset };
    let at = 0;
    let line = number;
    for (;;) {
      const header = this.#findHeader(bytes, at);
      this.#inspect(bytes.subarray(at, header < 0 ? bytes.length : header));
      if (header < 0) break;
      line += countLines(bytes, at, header);
      this.#begin(lineAt(bytes, header), line, offset + header);
      at = header;
      const next = bytes.indexOf(0x0a, at);
      if (next < 0) break;
      at = next + 1;
      line++;
    }
    this.#end = offset + bytes.length;
    this.#isAfterBlank = isBlankBefore(bytes, bytes.length, this.#isAfterBlank);
  }

  /** Skips a line that is too long. */
  skip(end: number): void {
    this.#end = end;
    this.#isAfterBlank = false;
  }

  end(): Runs {
    this.#close(this.#end);
    const isStripped = !this.#hasMarks;
    const all = this.#runs;
    const asked = all.filter(({ title, isLoose }) => title !== undefined && isLoose === isStripped);
    const list = asked.length > 0 ? asked.slice(-MOST_RUNS) : all.slice(-1);
    const askedIn = this.#askedIn[isStripped ? 'loose' : 'strict'];
    return { list, older: Math.max(0, askedIn - list.length), empty: this.#count - Math.max(1, askedIn), isStripped };
  }

  /** Aider has a blank line before each header; a quote in a fence seldom has one. */
  #findHeader(bytes: Buffer, from: number): number {
    for (let at = bytes.indexOf(HEADER_MARK, from); at >= 0; at = bytes.indexOf(HEADER_MARK, at + 1)) {
      if (isBlankBefore(bytes, at, this.#isAfterBlank) && startOf(lineAt(bytes, at)) !== undefined) return at;
    }
    return -1;
  }

  /** Finds the first prompt of the run, and whether lines have their two spaces. */
  #inspect(bytes: Buffer): void {
    for (let at = 0; !this.#hasMarks; at++) {
      at = bytes.indexOf(LINE_BREAK, at);
      if (at < 0) break;
      const line = lineAt(bytes, bytes.lastIndexOf(0x0a, at) + 1);
      const kind = new Grammar(false).next(line);
      this.#hasMarks = kind === 'user' || kind === 'tool';
      // Continue with the next line.
      at = bytes.indexOf(0x0a, at);
      if (at < 0) break;
    }
    let at = bytes.subarray(0, INPUT_MARK.length - 1).equals(INPUT_MARK.subarray(1)) ? 0 : -1;
    if (at < 0) at = bytes.indexOf(INPUT_MARK) + 1 || -1;
    for (; at >= 0 && this.#asked?.isLoose !== false; at = bytes.indexOf(INPUT_MARK, at) + 1 || -1)
      this.#ask(lineAt(bytes, at));
  }

  #ask(line: string): void {
    for (const isLoose of [false, true]) {
      const grammar = new Grammar(isLoose);
      if (grammar.next(line) !== 'user' || !isPrompt(grammar.text) || (isLoose && this.#asked)) continue;
      const text = Buffer.from(grammar.text, 'latin1').toString('utf8');
      this.#asked = { title: text.slice(0, LONGEST_TITLE).toWellFormed(), isLoose };
      return;
    }
  }

  #begin(header: string, line: number, offset: number): void {
    this.#close(offset);
    const time = startOf(header) ?? '';
    const before = this.#open.id;
    // Two in one second.
    const again = before === time ? 2 : before.startsWith(`${time}-`) ? Number(before.slice(time.length + 1)) + 1 : 0;
    this.#open = { id: again > 0 ? `${time}-${again}` : time, time, line, offset };
  }

  #close(end: number): void {
    const { title, isLoose = false } = this.#asked ?? {};
    this.#asked = undefined;
    if (this.#open.time === undefined && title === undefined) return;
    this.#count++;
    if (title !== undefined) this.#askedIn[isLoose ? 'loose' : 'strict']++;
    const runs = this.#runs;
    // A run without a prompt is only kept until another one comes.
    if (runs.length > 0 && runs.at(-1)?.title === undefined) runs.pop();
    runs.push({ ...this.#open, title, isLoose, end });
    if (runs.length >= 2 * MOST_RUNS) this.#runs = runs.slice(-MOST_RUNS);
  }
}

/** The line that starts there, one character per byte, without its end. */
function lineAt(bytes: Buffer, start: number): string {
  const end = bytes.indexOf(0x0a, start);
  return bytes.toString('latin1', start, end < 0 ? bytes.length : end).replace(/\r$/, '');
}

/** Whether a line starts here and the one before it is blank; `isBlank` says so for the start of the bytes. */
function isBlankBefore(bytes: Buffer, at: number, isBlank: boolean): boolean {
  if (at === 0) return isBlank;
  if (bytes[at - 1] !== 0x0a) return false;
  const end = bytes[at - 2] === 0x0d ? at - 2 : at - 1;
  return end === 0 || bytes[end - 1] === 0x0a;
}

function countLines(bytes: Buffer, from: number, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a, from); at >= 0 && at < end; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
