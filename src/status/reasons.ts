import { severity, type Verdict } from './classes.ts';
import type { EntryPlace, Reason, State, StatusFinding } from './types.ts';

export function reason(verdict: Verdict, state: State, what: string, place?: EntryPlace): StatusFinding {
  return { what, place, reason: [verdict, state] };
}

export function placeOnly({ entryId, line }: EntryPlace): EntryPlace {
  return { entryId, line };
}

/** Sorted, the worst first. */
export function reasonsOf(found: readonly StatusFinding[]): Reason[] {
  const reasons = found.flatMap(({ what, place, reason: judged }) =>
    judged ? { verdict: judged[0], state: judged[1], reason: what, ...(place ? placeOnly(place) : {}) } : [],
  );
  return reasons.sort((a, b) => severity(b.verdict) - severity(a.verdict));
}
