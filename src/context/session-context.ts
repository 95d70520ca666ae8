import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import type { Duplicates } from '../log/log-index.ts';
import { pathTo } from '../tree/path.ts';
import { emissionOrder, rulesFor } from './build.ts';
import { emitsMessages, type SpecRules } from './spec.ts';
import { type PathState, StateReader } from './state.ts';
import type { PathShape, Profile, Projected } from './types.ts';
import { activeCompaction, type ContextWindow, windowOf } from './window.ts';

/** An entry of the path and what became of it. */
export interface ProjectedEntry {
  readonly entry: LogEntry;
  readonly projected: Projected;
}

/**
 * The context at an entry of an open session. Entries are read when they are needed and let go at once: what is held is the
 * path, and what the profile has to know beforehand. Lines that turn out to be damaged are left out of the path.
 */
export class SessionContext {
  readonly #session: Log;
  readonly #profile: Profile;
  /** The positions from the root to the entry. */
  readonly path: readonly number[];
  readonly #window: ContextWindow;
  readonly #rules: SpecRules;

  private constructor(session: Log, profile: Profile, path: readonly number[], window: ContextWindow) {
    this.#session = session;
    this.#profile = profile;
    this.path = path;
    this.#window = window;
    this.#rules = rulesFor(profile, window);
  }

  /** The context at a position; null is the empty context before any entry. */
  static async at(session: Log, position: number | null, profile: Profile): Promise<SessionContext> {
    let path = position === null ? [] : pathTo(session.index, position, duplicatesIn(profile));
    for (;;) {
      const shape = shapeOf(session, path);
      const active = activeCompaction(shape, profile);
      const compaction = await readEntry(session, path[active]);
      if (active < 0 || compaction) {
        const context = new SessionContext(session, profile, path, windowOf(shape, profile, compaction?.value));
        await context.#survey();
        return context;
      }
      path = path.toSpliced(active, 1);
    }
  }

  /** What the user has to know about the path as a whole. */
  get notes(): readonly string[] {
    return this.#rules.notes;
  }

  /** The entries that may give messages, in the order of their messages. */
  emitted(): AsyncGenerator<ProjectedEntry, void, void> {
    return this.#projected(this.#ofTypes(emissionOrder(this.#window, this.path.length), emitsMessages));
  }

  /** Every entry of the path, from the root. */
  explained(): AsyncGenerator<ProjectedEntry, void, void> {
    return this.#projected(this.path.keys());
  }

  async state(): Promise<PathState> {
    const reader = new StateReader(this.#profile);
    for await (const entry of this.#session.entries(this.path)) reader.add(entry.value);
    return reader.state();
  }

  async #survey(): Promise<void> {
    const surveyed = this.#ofTypes(this.path.keys(), (type) => this.#rules.surveys(type));
    for await (const [place, entry] of this.#read(surveyed)) this.#rules.survey(place, entry);
    this.#rules.settle();
  }

  async *#projected(places: Iterable<number>): AsyncGenerator<ProjectedEntry, void, void> {
    for await (const [place, entry] of this.#read(places))
      yield { entry, projected: this.#rules.project(place, entry) };
  }

  *#ofTypes(places: Iterable<number>, isWanted: (type: string) => boolean): Generator<number, void, void> {
    for (const place of places) if (isWanted(this.#session.index.typeOf(this.path[place] as number))) yield place;
  }

  /** The entries at these places of the path; damaged ones are passed over. */
  async *#read(places: Iterable<number>): AsyncGenerator<[place: number, entry: LogEntry], void, void> {
    const { path } = this;
    const asked: number[] = [];
    function* positions(): Generator<number, void, void> {
      for (const place of places) {
        asked.push(place);
        yield path[place] as number;
      }
    }
    let next = 0;
    for await (const entry of this.#session.entries(positions())) {
      // Entries come in the order asked for, so what was asked before this one and did not come is damaged.
      while (path[asked[next] as number] !== entry.position) next++;
      yield [asked[next++] as number, entry];
    }
  }
}

/** Which entry a repeated id means: the agents keep the last one that they read. */
export function duplicatesIn(profile: Profile): Duplicates {
  return profile === 'spec' ? 'nearest-earlier' : 'last';
}

async function readEntry(session: Log, position: number | undefined): Promise<LogEntry | undefined> {
  if (position === undefined) return undefined;
  for await (const entry of session.entries([position])) return entry;
  return undefined;
}

function shapeOf({ index }: Log, path: readonly number[]): PathShape {
  return {
    length: path.length,
    type: (place) => index.typeOf(path[place] as number),
    placeOf: (id) => {
      const named = new Set(index.definitions(id));
      return path.findIndex((position) => named.has(position));
    },
  };
}
