import { NOT_FOUND } from './log-index.ts';
import type { Session } from './session.ts';

/**
 * The label of each entry that has one. What the target's last label entry in file order says counts; an absent or empty
 * label clears it.
 */
export async function labels(session: Session): Promise<Map<number, string>> {
  const { index } = session;
  const found = new Map<number, string>();
  await session.forEachEntry(positionsOfType(session, 'label'), ({ position, value }) => {
    const targetId = value['targetId'];
    const target = typeof targetId === 'string' ? index.resolve(targetId, position) : NOT_FOUND;
    if (target === NOT_FOUND) return;
    const label = value['label'];
    if (typeof label === 'string' && label !== '') found.set(target, label);
    else found.delete(target);
  });
  return found;
}

export function* positionsOfType(session: Session, type: string): Generator<number, void, void> {
  const { index } = session;
  for (let at = 0; at < index.size; at++) if (index.typeOf(at) === type) yield at;
}
