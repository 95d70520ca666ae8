import type { Io } from '../util/io.ts';
import { hasToWait } from './ahead.ts';
import { FileSearch, type GrepOptions, type Hit, type Searched, type SearchIo } from './grep.ts';
import { type HitLine, jsonLine, textLine } from './hit-line.ts';
import { type MatchOptions, makeMatcher } from './matcher.ts';

/** What is searched for, as another thread can be told it. */
export interface GrepSettings extends Omit<GrepOptions, 'matcher'> {
  readonly pattern: string;
  readonly match: MatchOptions;
  readonly form: 'text' | 'json' | 'files' | 'count';
  readonly env: Io['env'];
}

export interface FileTotals extends Searched {
  readonly hits: number;
}

/** What was found in a file. */
export interface FileHits extends FileTotals {
  readonly lines: readonly HitLine[];
}

/** So many characters of what was found early are held of a file. */
const MOST_HELD = 1024 * 1024;
const LONGEST_LINE = 256;

/** Searches files one after the other, in any thread. */
export class Grep {
  readonly #search: FileSearch;
  readonly #form: GrepSettings['form'];

  private constructor(search: FileSearch, form: GrepSettings['form']) {
    this.#search = search;
    this.#form = form;
  }

  static async start(settings: GrepSettings, io: Omit<SearchIo, 'env'>): Promise<Grep> {
    const matcher = await makeMatcher(settings.pattern, settings.match);
    return new Grep(new FileSearch({ ...settings, matcher }, { ...io, env: settings.env }), settings.form);
  }

  /** Gives the hits in a file, as they are shown, to `put`, until that says false. */
  async inFile(
    path: string,
    put: (line: HitLine) => boolean,
    pause: () => Promise<void> = async () => {},
  ): Promise<FileTotals> {
    let hits = 0;
    const hit = (found: Hit): boolean => {
      if (found.match) hits++;
      if (this.#form === 'text') return put(textLine(path, found));
      return this.#form === 'json' ? put(jsonLine(path, found)) : true;
    };
    return { ...(await this.#search.search(path, { hit, pause })), hits };
  }

  /** All of them, before it is their turn. Undefined where that is too much to hold, or has to wait for its turn. */
  async ahead(path: string): Promise<FileHits | undefined> {
    if (await hasToWait(path)) return undefined;
    const lines: HitLine[] = [];
    let held = 0;
    const put = (line: HitLine): boolean => {
      lines.push(line);
      held += typeof line === 'string' ? line.length : LONGEST_LINE;
      return held <= MOST_HELD;
    };
    const totals = await this.inFile(path, put);
    return held > MOST_HELD ? undefined : { lines, ...totals };
  }
}
