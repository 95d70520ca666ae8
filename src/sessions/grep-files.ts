import { nameOf, type SessionPlace } from '../files/place.ts';
import type { Io } from '../util/io.ts';
import { hasToWait } from './ahead.ts';
import { FileSearch, type GrepOptions, type Hit, type Searched, type SearchIo } from './grep.ts';
import { type HitStyle, jsonLine, textLine } from './hit-line.ts';
import { type MatchOptions, makeMatcher } from './matcher.ts';

/** The search as plain data, for other threads. */
export interface GrepSettings extends Omit<GrepOptions, 'matcher'> {
  readonly pattern: string;
  readonly match: MatchOptions;
  readonly form: 'text' | 'json' | 'files' | 'count';
  readonly style: HitStyle;
  readonly env: Io['env'];
}

export interface FileTotals extends Searched {
  readonly hits: number;
}

/** What was found in a file. */
export interface FileHits extends FileTotals {
  /** The output, as bytes. */
  readonly shown: Uint8Array<ArrayBuffer>;
}

/** How many bytes of output are held for a file ahead of its turn. */
const MOST_HELD = 1024 * 1024;

/** Searches files one after the other, in any thread. */
export class Grep {
  readonly #search: FileSearch;
  readonly #settings: GrepSettings;
  readonly #memory = Buffer.allocUnsafeSlow(MOST_HELD);

  private constructor(search: FileSearch, settings: GrepSettings) {
    this.#search = search;
    this.#settings = settings;
  }

  static async start(settings: GrepSettings, io: Omit<SearchIo, 'env'>): Promise<Grep> {
    const matcher = await makeMatcher(settings.pattern, settings.match);
    return new Grep(new FileSearch({ ...settings, matcher }, { ...io, env: settings.env }), settings);
  }

  /** Gives each hit in a file as a line to `put`, until that returns false. */
  async inFile(
    place: SessionPlace,
    put: (line: string) => boolean,
    pause: () => Promise<void> = async () => {},
  ): Promise<FileTotals> {
    const { form, style } = this.#settings;
    let hits = 0;
    const hit = (found: Hit): boolean => {
      if (found.match) hits++;
      const name = nameOf({ path: place.path, session: found.session });
      if (form === 'text') return put(textLine(name, found, style));
      return form === 'json' ? put(jsonLine(name, found)) : true;
    };
    return { ...(await this.#search.search(place, { hit, pause })), hits };
  }

  /** All hits in a file, ahead of its turn; undefined where they are too many to hold, or the file has to wait. */
  async ahead(path: string): Promise<FileHits | undefined> {
    if (await hasToWait(path)) return undefined;
    const memory = this.#memory;
    let held = 0;
    let isFull = false;
    const put = (line: string): boolean => {
      // A UTF-16 unit has at most three bytes in UTF-8.
      isFull = held + 3 * line.length > memory.length;
      if (!isFull) held += memory.write(line, held);
      return !isFull;
    };
    const totals = await this.inFile({ path }, put);
    return isFull ? undefined : { shown: new Uint8Array(memory.subarray(0, held)), ...totals };
  }
}
