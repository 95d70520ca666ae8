import { produce } from '../lines/produce.ts';
import type { RandomAccess } from '../log/byte-store.ts';
import { forkLines } from '../tree/fork.ts';
import { resolveEntry } from '../tree/rev.ts';
import { randomUuid } from '../util/uuid.ts';
import { type Bytes, optionsOf, type Random, requireTime, systemRandom } from './arguments.ts';
import { type SessionLog, withSession } from './session.ts';

export interface ForkSessionOptions {
  /** The last entry of the new session; '@' by default. */
  readonly leaf?: string;
  /** The time in its header, such as `new Date().toISOString()`. */
  readonly timestamp: string;
  /** The id of the new session; random by default. */
  readonly id?: string;
  /** Give every entry a new id. */
  readonly newIds?: boolean;
  readonly random?: Random;
  /** Gets what the user has to know. */
  readonly onNote?: (note: string) => void;
}

/**
 * The path to an entry as a new session, as bytes. Entries are those of the log, byte for byte; what would make a fork
 * with a hole in it is thrown as AppError before the first byte. See openSession for what is held of the log.
 */
export function fork(
  source: Bytes | RandomAccess | SessionLog,
  options: ForkSessionOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const given = optionsOf('fork', options, {
    leaf: 'rev',
    timestamp: 'checked later',
    id: 'string',
    newIds: 'boolean',
    random: 'function',
    onNote: 'function',
  });
  const { leaf = '@', timestamp, newIds = false, random = systemRandom, onNote = () => {} } = given;
  requireTime('fork', timestamp);
  const fixed = { id: given.id ?? randomUuid(random(16)), timestamp, newIds, onNote };
  return produce((out) =>
    withSession('fork', source, async (session) => {
      const lines = forkLines(session, await resolveEntry(session, leaf), fixed);
      for await (const line of lines) await out.put(`${line}\n`);
    }),
  );
}
