import { type Frame, frameOf, rulingCompaction } from './frame.ts';
import { OmpRules } from './omp.ts';
import { PiRules } from './pi.ts';
import { SpecRules } from './spec.ts';
import { type PathState, StateReader } from './state.ts';
import type { PathEntry, PathShape, Profile, Projected } from './types.ts';

/** The profile's rules for a path with this frame. */
export function rulesFor(profile: Profile, frame: Frame, length: number): SpecRules {
  if (profile === 'pi') return new PiRules(frame);
  return profile === 'omp' ? new OmpRules(frame, length) : new SpecRules(frame);
}

/** The places that can give messages, in the order in which their messages stand in the context. */
export function* emissionOrder(frame: Frame, length: number): Generator<number, void, void> {
  if (frame.compaction >= 0) yield frame.compaction;
  for (let place = frame.start; place < length; place++) if (place !== frame.compaction) yield place;
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
export function buildContext(path: readonly PathEntry[], options: { readonly profile: Profile }): Context {
  const { profile } = options;
  const shape = shapeOf(path);
  const frame = frameOf(shape, profile, path[rulingCompaction(shape, profile)]?.value);
  const rules = rulesFor(profile, frame, path.length);
  const reader = new StateReader(profile);
  path.forEach((entry, place) => {
    reader.add(entry.value);
    if (rules.surveys(shape.type(place))) rules.survey(place, entry);
  });
  rules.settle();
  const projected = path.map((entry, place) => rules.project(place, entry));
  const messages: string[] = [];
  for (const place of emissionOrder(frame, path.length)) messages.push(...(projected[place]?.messages ?? []));
  const notes = [...rules.notes(), ...projected.flatMap((one) => one.note ?? [])];
  return { messages, state: reader.state(), notes, projected };
}

/** The shape of a path that is at hand. */
export function shapeOf(path: readonly PathEntry[]): PathShape {
  return {
    length: path.length,
    type: (place) => {
      const type = path[place]?.value['type'];
      return typeof type === 'string' ? type : '';
    },
    placeOf: (id) => path.findIndex((entry) => entry.value['id'] === id),
  };
}
