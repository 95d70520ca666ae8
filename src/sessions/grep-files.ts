import { nameOf, type SessionPlace } from '../files/place.ts';
import type { Io } from '../util/io.ts';
import { hasToWait } from './ahead.ts';
import { FileSearch, type GrepOptions, type Hit, type Searched, type SearchIo } from './grep.ts';
import { type HitLook, jsonLine, textLine } from './hit-line.ts';
import { type MatchOptions, makeMatcher } from './matcher.ts';

/** What is searched for, as another thread can be told it. */
export interface GrepSettings extends Omit<GrepOptions, 'matcher'> {
  readonly pattern: string;
  readonly match: MatchOptions;
  readonly form: 'text' | 'json' | 'files' | 'count';
  readonly look: HitLook;
  readonly env: Io['env'];
}

export interface FileTotals extends Searched {
  readonly hits: number;
}

/** What was found in a file. */
export interface FileHits extends FileTotals {
  /** All that is printed of it. */
  readonly shown: Uint8Array<ArrayBuffer>;
}

/** So many bytes of what was found early are held of a file. */
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

  /** Gives the hits in a file, as they are shown, to `put`, until that says false. */
  async inFile(
    place: SessionPlace,
    put: (line: string) => boolean,
    pause: () => Promise<void> = async () => {},
  ): Promise<FileTotals> {
    const { form, look } = this.#settings;
    let hits = 0;
    const hit = (found: Hit): boolean => {
      if (found.match) hits++;
      const name = nameOf({ path: place.path, session: found.session });
      if (form === 'text') return put(textLine(name, found, look));
      return form === 'json' ? put(jsonLine(name, found)) : true;
    };
    return { ...(await this.#search.search(place, { hit, pause })), hits };
  }

  /** All of them, before it is their turn. Undefined where that is too much to hold, or has to wait for its turn. */
  async ahead(path: string): Promise<FileHits | undefined> {
    if (await hasToWait(path)) return undefined;
    const memory = this.#memory;
    let held = 0;
    let isFull = false;
    const put = (line: string): boolean => {
      // UTF-8 has at most three bytes for a unit of UTF-16.
      isFull = held + 3 * line.length > memory.length;
      if (!isFull) held += memory.write(line, held);
      return !isFull;
    };
    const totals = await this.inFile({ path }, put);
    return isFull ? undefined : { shown: new Uint8Array(memory.subarray(0, held)), ...totals };
  }
}
