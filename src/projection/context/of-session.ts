import { isShown } from '../../entries/types/index.ts';
import type { Duplicates } from '../../log/log-index.ts';
import { pathTo } from '../../tree/path.ts';
import type { LogEntry, Session } from '../../tree/session.ts';
import { emissionOrder, rulesFor } from './build.ts';
import { type Frame, frameOf, rulingCompaction } from './frame.ts';
import type { SpecRules } from './spec.ts';
import { type PathState, StateReader } from './state.ts';
import type { PathShape, Profile, Projected } from './types.ts';

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
  readonly #session: Session;
  readonly #profile: Profile;
  readonly #path: readonly number[];
  readonly #frame: Frame;
  readonly #rules: SpecRules;

  private constructor(session: Session, profile: Profile, path: readonly number[], frame: Frame, rules: SpecRules) {
    this.#session = session;
    this.#profile = profile;
    this.#path = path;
    this.#frame = frame;
    this.#rules = rules;
  }

  /** The context at a position; null is the empty context before any entry. */
  static async at(session: Session, position: number | null, profile: Profile): Promise<SessionContext> {
    const { index } = session;
    let path = position === null ? [] : pathTo(index, position, duplicatesIn(profile));
    let shape = shapeOf(session, path);
    let ruling = rulingCompaction(shape, profile);
    let compaction = await readable(session, path[ruling]);
    while (ruling >= 0 && !compaction) {
      path = path.toSpliced(ruling, 1);
      shape = shapeOf(session, path);
      ruling = rulingCompaction(shape, profile);
      compaction = await readable(session, path[ruling]);
    }
    const frame = frameOf(shape, profile, compaction?.value);
    const rules = rulesFor(profile, frame, path.length);
    const context = new SessionContext(session, profile, path, frame, rules);
    const surveyed = places(path.length, (place) => rules.surveys(shape.type(place)));
    for await (const [place, entry] of context.#read(surveyed)) rules.survey(place, entry);
    rules.settle();
    return context;
  }

  /** The positions from the root to the entry. */
  get path(): readonly number[] {
    return this.#path;
  }

  /** What the user has to know about the path as a whole. */
  get notes(): readonly string[] {
    return this.#rules.notes();
  }

  /** The entries that may give messages, in the order of their messages. */
  async *emitted(): AsyncGenerator<ProjectedEntry, void, void> {
    for await (const [place, entry] of this.#read(this.#speaking())) yield { entry, projected: this.#rules.project(place, entry) };
  }

  /** Every entry of the path, from the root. */
  async *explained(): AsyncGenerator<ProjectedEntry, void, void> {
    for await (const [place, entry] of this.#read(places(this.#path.length))) yield { entry, projected: this.#rules.project(place, entry) };
  }

  async state(): Promise<PathState> {
    const reader = new StateReader(this.#profile);
    for await (const entry of this.#session.entries(this.#path)) reader.add(entry.value);
    return reader.state();
  }

  /** The places whose entries may give messages, in the order of their messages. */
  #speaking(): Iterable<number> {
    const { index } = this.#session;
    return filtered(emissionOrder(this.#frame, this.#path.length), (place) => maySpeak(index.typeOf(this.#path[place] as number)));
  }

  /** The entries at these places of the path; damaged ones are passed over. */
  async *#read(wanted: Iterable<number>): AsyncGenerator<[place: number, entry: LogEntry], void, void> {
    const asked = new AskedPlaces(this.#path, wanted);
    for await (const entry of this.#session.entries(asked)) yield [asked.placeOf(entry.position), entry];
  }
}

/** Positions at places of a path, to ask for them; remembers the places until the entries come. */
class AskedPlaces implements Iterable<number> {
  readonly #path: readonly number[];
  readonly #wanted: Iterable<number>;
  readonly #asked: number[] = [];
  #next = 0;

  constructor(path: readonly number[], wanted: Iterable<number>) {
    this.#path = path;
    this.#wanted = wanted;
  }

  *[Symbol.iterator](): Generator<number, void, void> {
    for (const place of this.#wanted) {
      this.#asked.push(place);
      yield this.#path[place] as number;
    }
  }

  /** Entries come in the order asked for, so what was asked before this one and did not come is damaged. */
  placeOf(position: number): number {
    while (this.#path[this.#asked[this.#next] as number] !== position) this.#next++;
    const place = this.#asked[this.#next++] as number;
    if (this.#next > 4096) {
      this.#asked.splice(0, this.#next);
      this.#next = 0;
    }
    return place;
  }
}

/** Which entry a repeated id means: the agents keep the last one that they read. */
export function duplicatesIn(profile: Profile): Duplicates {
  return profile === 'spec' ? 'nearest-earlier' : 'last';
}

async function readable(session: Session, position: number | undefined): Promise<LogEntry | undefined> {
  if (position === undefined) return undefined;
  for await (const entry of session.entries([position])) return entry;
  return undefined;
}

function shapeOf(session: Session, path: readonly number[]): PathShape {
  const { index } = session;
  return {
    length: path.length,
    type: (place) => index.typeOf(path[place] as number),
    placeOf: (id) => {
      const named = new Set(index.definitions(id));
      return path.findIndex((position) => named.has(position));
    },
  };
}

/** Whether entries of this type can give messages; '' is a type that the index does not know. */
function maySpeak(type: string): boolean {
  return isShown(type) || type === '';
}

function* places(length: number, wanted: (place: number) => boolean = () => true): Generator<number, void, void> {
  for (let place = 0; place < length; place++) if (wanted(place)) yield place;
}

function* filtered(numbers: Iterable<number>, wanted: (one: number) => boolean): Generator<number, void, void> {
  for (const one of numbers) if (wanted(one)) yield one;
}
