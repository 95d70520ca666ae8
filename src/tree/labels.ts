import type { Log } from '../log/log.ts';
import { NOT_FOUND } from '../log/log-index.ts';

/** A label and the entry that gave it. */
export interface GivenLabel {
  readonly label: string;
  readonly by: number;
}

/** The label of each entry that has one. */
export async function labels(session: Log): Promise<Map<number, string>> {
  return new Map([...(await givenLabels(session))].map(([target, { label }]) => [target, label]));
}

/**
 * The label of each entry that has one, and where it stands. What the target's last label entry in file order says counts;
 * an absent or empty label clears it.
 */
export async function givenLabels(session: Log): Promise<Map<number, GivenLabel>> {
  const { index } = session;
  const found = new Map<number, GivenLabel>();
  await session.forEachEntry(positionsOfType(session, 'label'), ({ position, value }) => {
    const targetId = value['targetId'];
    const target = typeof targetId === 'string' ? index.resolve(targetId, position) : NOT_FOUND;
    if (target === NOT_FOUND) return;
    const label = value['label'];
    if (typeof label === 'string' && label !== '') found.set(target, { label, by: position });
    else found.delete(target);
  });
  return found;
}

/** All entries of a type, in file order. */
export function positionsOfType({ index }: Log, type: string): number[] {
  const positions: number[] = [];
  index.eachOfTypes(new Set([type]), (position) => positions.push(position));
  return positions;
}
