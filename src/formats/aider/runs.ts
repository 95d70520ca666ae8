import { BYTE_ORDER_MARK } from '../../entries/damage.ts';
import type { Line } from '../../lines/line.ts';
import { readLineBatches } from '../../lines/reader.ts';
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
  readonly empty: number;
  /** An editor has removed the trailing spaces that mark lines. */
  readonly isStripped: boolean;
}

export const LONGEST_LINE = 16 * 1024 * 1024;
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
  for await (const lines of readLineBatches(chunks, { maxLineBytes: LONGEST_LINE }))
    for (const line of lines) finder.push(line);
  return finder.end();
}

class RunFinder {
  #runs: (AiderRun & { readonly isLoose: boolean })[] = [];
  #count = 0;
  readonly #askedIn = { strict: 0, loose: 0 };
  /** The text before the first header, in a file whose start was cut off. */
  #open: Omit<AiderRun, 'end' | 'title'> = { id: 'start', time: undefined, line: 1, offset: 0 };
  /** The first prompt of this run; one without trailing spaces only if there is no other. */
  #asked: { readonly title: string; readonly isLoose: boolean } | undefined;
  readonly #strict = new Grammar(false);
  /** A line with the two trailing spaces was found. */
  #hasMarks = false;
  #isAfterBlank = true;
  #end = 0;

  push({ raw, number, offset, length, terminated, oversize }: Line): void {
    this.#end = offset + length + (terminated ? 1 : 0);
    const mark = number === 1 && raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    if (mark > 0) this.#open = { ...this.#open, offset: mark };
    const text = raw.slice(mark).replace(/\r$/, '');
    // Aider has a blank line before each header; a quote in a fence seldom has one.
    const time = this.#isAfterBlank ? startOf(text) : undefined;
    this.#isAfterBlank = text === '' && oversize === 0;
    if (time !== undefined) {
      this.#begin(time, number, offset + mark);
      return;
    }
    const kind = this.#hasMarks ? 'text' : this.#strict.next(text);
    this.#hasMarks ||= kind === 'user' || kind === 'tool';
    if (text.startsWith('####') && this.#asked?.isLoose !== false) this.#ask(text);
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

  #ask(line: string): void {
    for (const isLoose of [false, true]) {
      const grammar = new Grammar(isLoose);
      if (grammar.next(line) !== 'user' || !isPrompt(grammar.text) || (isLoose && this.#asked)) continue;
      const text = Buffer.from(grammar.text, 'latin1').toString('utf8');
      this.#asked = { title: text.slice(0, LONGEST_TITLE).toWellFormed(), isLoose };
      return;
    }
  }

  #begin(time: string, line: number, offset: number): void {
    this.#close(offset);
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
