import { isSeenByModel } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import type { Duplicates } from '../log/log-index.ts';
import { pathTo } from '../tree/path.ts';
import { OmpRules } from './omp.ts';
import { PiRules } from './pi.ts';
import { isBoundary, SpecRules, windowOf } from './spec.ts';
import { type PathState, StateReader } from './state.ts';
import type { PathEntry, Profile, Projected } from './types.ts';

const RULES = { spec: SpecRules, pi: PiRules, omp: OmpRules } as const satisfies Record<Profile, unknown>;

/** What the model sees at the end of a path, and why. */
export interface Context {
  /** Each message as JSON text; unchanged messages are copied from the log byte for byte. */
  readonly messages: readonly string[];
  readonly state: PathState;
  readonly notes: readonly string[];
  /** The result for each entry of the path, in path order. */
  readonly projected: readonly Projected[];
}

/** The context at the end of a path given as a whole, root first. */
export function buildContext(path: readonly PathEntry[], { profile }: { readonly profile: Profile }): Context {
  const boundary = path.findLastIndex(({ value }) => isBoundary(value['type'], profile));
  const compaction = path[boundary]?.value['type'] === 'compaction' ? boundary : -1;
  const placeOf = (id: string) => path.findIndex(({ value }) => value['id'] === id);
  const rules = new RULES[profile](windowOf(profile, boundary, path[compaction]?.value, placeOf));
  const reader = new StateReader(profile);
  path.forEach((entry, place) => {
    reader.add(entry.value);
    if (rules.needsInspection(entry.value['type'])) rules.inspect(place, entry);
  });
  rules.finishInspection();
  const projected = path.map((entry, place) => rules.project(place, entry));
  const rest = projected.flatMap((one, place) => (place === compaction ? [] : one.messages));
  return {
    messages: [...(projected[compaction]?.messages ?? []), ...rest],
    state: reader.state(),
    notes: [...rules.notes, ...projected.flatMap((one) => one.note ?? [])],
    projected,
  };
}

/** An entry of the path and its result. */
export interface ProjectedEntry {
  readonly entry: LogEntry;
  readonly projected: Projected;
}

export type SessionContext = Awaited<ReturnType<typeof sessionContext>>;

/**
 * The context at a position of an open session; null is the empty context before any entry. Entries are read when
 * needed and not kept: only the path, and what the profile must know beforehand, stay in memory. Damaged lines are left
 * out of the path. `replays` is as for `windowOf`.
 */
export async function sessionContext(session: Log, position: number | null, profile: Profile, replays?: boolean) {
  const { path, rules } = await readRules(session, position, profile, replays);
  const { start, compaction } = rules.window;
  function* places(from: number, includes: (type: string) => boolean): Generator<number> {
    for (let at = from; at < path.length; at++) if (includes(session.index.typeOf(path[at] as number))) yield at;
  }
  function* emittedPlaces(): Generator<number> {
    if (compaction >= 0) yield compaction;
    // '' is a type that the index does not know.
    for (const place of places(start, (type) => isSeenByModel(type) || type === ''))
      if (place !== compaction) yield place;
  }
  async function* projected(chosen: () => Generator<number>): AsyncGenerator<ProjectedEntry> {
    for await (const [place, entry] of readPlaces(session, path, chosen))
      yield { entry, projected: rules.project(place, entry) };
  }
  const inspected = readPlaces(session, path, () => places(0, (type) => rules.needsInspection(type)));
  for await (const [place, entry] of inspected) rules.inspect(place, entry);
  rules.finishInspection();
  return {
    /** Notes for the user about the path as a whole. */
    notes: [...obstacles(session, profile), ...rules.notes],
    /** The entries that may give messages, in the order of their messages. */
    emitted: () => projected(emittedPlaces),
    /** Every entry of the path, from the root. */
    explained: () => projected(() => places(0, () => true)),
    async state(): Promise<PathState> {
      const reader = new StateReader(profile);
      await session.forEachEntry(path, ({ value }) => reader.add(value));
      return reader.state();
    },
  };
}

/** Why the agent of a profile opens the log without its messages, or not at all. */
function obstacles({ index, format, headerLines, startsWithHeader }: Log, profile: Profile): string[] {
  if (profile === 'spec' || format || index.size === 0) return [];
  const repaired = "'sessionctl repair' fixes that";
  if (!startsWithHeader) return [`${profile} refuses a log that does not start with a header; ${repaired}`];
  const last = headerLines.at(-1) ?? 0;
  if (profile === 'pi' || last < index.lineOf(index.size - 1)) return [];
  return [`omp goes on from line ${last}, which is no entry, so it shows nothing; ${repaired}`];
}

/** The path to a position and the rules of the profile. A compaction that cannot be read is left out of the path. */
async function readRules(session: Log, position: number | null, profile: Profile, replays?: boolean) {
  const { index } = session;
  let path = pathTo(index, position ?? -1, duplicatesIn(profile));
  for (;;) {
    const boundary = path.findLastIndex((one) => isBoundary(index.typeOf(one), profile));
    const at = path[boundary] ?? -1;
    const isCompaction = at >= 0 && index.typeOf(at) === 'compaction';
    let compaction: LogEntry | undefined;
    for await (const entry of session.entries(isCompaction ? [at] : [])) compaction = entry;
    if (compaction || !isCompaction) {
      const placeOf = (id: string) => {
        const named = new Set(index.definitions(id));
        return path.findIndex((one) => named.has(one));
      };
      const window = windowOf(profile, boundary, compaction?.value, placeOf, replays);
      return { path, rules: new RULES[profile](window) as SpecRules };
    }
    path = path.filter((one) => one !== at);
  }
}

/** The entries at places of a path; damaged ones are skipped. */
async function* readPlaces(
  session: Log,
  path: Int32Array,
  places: () => Generator<number>,
): AsyncGenerator<[place: number, entry: LogEntry]> {
  function* positions(): Generator<number> {
    for (const place of places()) yield path[place] as number;
  }
  const asked = places();
  for await (const entry of session.entries(positions())) {
    let place = asked.next().value;
    while (path[place] !== entry.position) place = asked.next().value;
    yield [place, entry];
  }
}

/** Which entry a repeated id refers to: agents keep the last one. */
export function duplicatesIn(profile: Profile): Duplicates {
  return profile === 'spec' ? 'nearest-earlier' : 'last';
}
