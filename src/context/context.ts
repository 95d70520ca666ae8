import { isShown } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import type { Duplicates } from '../log/log-index.ts';
import { pathTo } from '../tree/path.ts';
import { OmpRules } from './omp.ts';
import { PiRules } from './pi.ts';
import { lastBoundary, type PathShape, SpecRules, windowOf } from './spec.ts';
import { type PathState, StateReader } from './state.ts';
import type { PathEntry, Profile, Projected } from './types.ts';

const RULES = { spec: SpecRules, pi: PiRules, omp: OmpRules } as const satisfies Record<Profile, unknown>;

/** What the model sees at the end of a path, and why. */
export interface Context {
  /** Each message as JSON text; untouched messages are the very text of the log. */
  readonly messages: readonly string[];
  readonly state: PathState;
  readonly notes: readonly string[];
  /** What became of each entry of the path, in path order. */
  readonly projected: readonly Projected[];
}

/** The context at the end of a path that is at hand as a whole, root first. */
export function buildContext(path: readonly PathEntry[], { profile }: { readonly profile: Profile }): Context {
  const shape: PathShape = {
    length: path.length,
    type: (place) => {
      const type = path[place]?.value['type'];
      return typeof type === 'string' ? type : '';
    },
    placeOf: (id) => path.findIndex((entry) => entry.value['id'] === id),
  };
  const boundary = lastBoundary(shape, profile);
  const compaction = shape.type(boundary) === 'compaction' ? boundary : -1;
  const rules = new RULES[profile](windowOf(shape, profile, boundary, path[compaction]?.value));
  const reader = new StateReader(profile);
  path.forEach((entry, place) => {
    reader.add(entry.value);
    if (rules.surveys(shape.type(place))) rules.survey(place, entry);
  });
  rules.settle();
  const projected = path.map((entry, place) => rules.project(place, entry));
  const rest = projected.flatMap((one, place) => (place === compaction ? [] : one.messages));
  return {
    messages: [...(projected[compaction]?.messages ?? []), ...rest],
    state: reader.state(),
    notes: [...rules.notes, ...projected.flatMap((one) => one.note ?? [])],
    projected,
  };
}

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
  readonly #path: readonly number[];
  readonly #rules: SpecRules;

  private constructor(session: Log, profile: Profile, path: readonly number[], rules: SpecRules) {
    this.#session = session;
    this.#profile = profile;
    this.#path = path;
    this.#rules = rules;
  }

  /** The context at a position; null is the empty context before any entry. */
  static async at(session: Log, position: number | null, profile: Profile): Promise<SessionContext> {
    let path = position === null ? [] : pathTo(session.index, position, duplicatesIn(profile));
    for (;;) {
      const shape = shapeOf(session, path);
      const boundary = lastBoundary(shape, profile);
      const isCompaction = boundary >= 0 && shape.type(boundary) === 'compaction';
      const compaction = isCompaction ? await readEntry(session, path[boundary] as number) : undefined;
      if (compaction || !isCompaction) {
        const rules = new RULES[profile](windowOf(shape, profile, boundary, compaction?.value));
        const context = new SessionContext(session, profile, path, rules);
        for await (const [place, entry] of context.#read(0, (type) => rules.surveys(type))) rules.survey(place, entry);
        rules.settle();
        return context;
      }
      path = path.toSpliced(boundary, 1);
    }
  }

  /** What the user has to know about the path as a whole. */
  get notes(): readonly string[] {
    return this.#rules.notes;
  }

  /** The entries that may give messages, in the order of their messages. */
  async *emitted(): AsyncGenerator<ProjectedEntry, void, void> {
    const { start, compaction } = this.#rules.window;
    const position = this.#path[compaction];
    const entry = position === undefined ? undefined : await readEntry(this.#session, position);
    if (entry) yield { entry, projected: this.#rules.project(compaction, entry) };
    // '' is a type that the index does not know.
    const isWanted = (type: string, place: number) => place !== compaction && (isShown(type) || type === '');
    for await (const [place, one] of this.#read(start, isWanted))
      yield { entry: one, projected: this.#rules.project(place, one) };
  }

  /** Every entry of the path, from the root. */
  async *explained(): AsyncGenerator<ProjectedEntry, void, void> {
    for await (const [place, entry] of this.#read(0, () => true))
      yield { entry, projected: this.#rules.project(place, entry) };
  }

  async state(): Promise<PathState> {
    const reader = new StateReader(this.#profile);
    await this.#session.forEachEntry(this.#path, ({ value }) => reader.add(value));
    return reader.state();
  }

  /** The entries of the path from a place on whose type is wanted; damaged ones are passed over. */
  async *#read(
    start: number,
    isWanted: (type: string, place: number) => boolean,
  ): AsyncGenerator<[place: number, entry: LogEntry], void, void> {
    const path = this.#path;
    const { index } = this.#session;
    function* positions(): Generator<number, void, void> {
      for (let at = start; at < path.length; at++) {
        const position = path[at] as number;
        if (isWanted(index.typeOf(position), at)) yield position;
      }
    }
    let place = start;
    for await (const entry of this.#session.entries(positions())) {
      while (path[place] !== entry.position) place++;
      yield [place, entry];
    }
  }
}

/** Which entry a repeated id means: the agents keep the last one that they read. */
export function duplicatesIn(profile: Profile): Duplicates {
  return profile === 'spec' ? 'nearest-earlier' : 'last';
}

async function readEntry(session: Log, position: number): Promise<LogEntry | undefined> {
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
