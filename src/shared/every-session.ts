import { othersInside } from '../formats/sessions.ts';
import { type ByteStore, keptOpen } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';

/**
 * The session that is wanted; else all that a store has, the one that is read by default first, each closed before the
 * next is opened. The store is closed at the end.
 */
export async function* everySession(
  store: ByteStore,
  wanted: string | undefined,
  open: (store: ByteStore, session: string | undefined) => Promise<Log>,
): AsyncGenerator<Log> {
  const seen = new Set<string>();
  const waiting = [wanted];
  try {
    while (waiting.length > 0) {
      const log = await open(keptOpen(store), waiting.pop());
      try {
        yield log;
      } finally {
        await log.close();
      }
      if (wanted !== undefined) return;
      if (log.conversion) seen.add(log.conversion.session);
      for (const { id } of othersInside(log.conversion)) {
        if (!seen.has(id)) waiting.push(id);
        seen.add(id);
      }
    }
  } finally {
    await store.close();
  }
}
