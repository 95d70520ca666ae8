import { OmpRules } from './omp.ts';
import { PiRules } from './pi.ts';
import { SpecRules } from './spec.ts';
import { type PathState, StateReader } from './state.ts';
import type { PathEntry, PathShape, Profile, Projected } from './types.ts';
import { activeCompaction, type ContextWindow, windowOf } from './window.ts';

const RULES = { spec: SpecRules, pi: PiRules, omp: OmpRules } as const satisfies Record<Profile, unknown>;

export function rulesFor(profile: Profile, window: ContextWindow): SpecRules {
  return new RULES[profile](window);
}

/** The places that can give messages, in the order in which their messages are in the context. */
export function* emissionOrder(window: ContextWindow, length: number): Generator<number, void, void> {
  if (window.compaction >= 0) yield window.compaction;
  for (let place = window.start; place < length; place++) if (place !== window.compaction) yield place;
}

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
  const window = windowOf(shape, profile, path[activeCompaction(shape, profile)]?.value);
  const rules = rulesFor(profile, window);
  const reader = new StateReader(profile);
  path.forEach((entry, place) => {
    reader.add(entry.value);
    if (rules.surveys(shape.type(place))) rules.survey(place, entry);
  });
  rules.settle();
  const projected = path.map((entry, place) => rules.project(place, entry));
  const messages = [...emissionOrder(window, path.length)].flatMap((place) => projected[place]?.messages ?? []);
  return {
    messages,
    state: reader.state(),
    notes: [...rules.notes, ...projected.flatMap((one) => one.note ?? [])],
    projected,
  };
}
