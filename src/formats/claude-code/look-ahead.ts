import type { LogSource } from '../format.ts';
import { readRecords } from '../records.ts';
import { stringOf } from './describe.ts';

/** A log tells its id in its first records, or never. */
const MOST_BEFORE_ID = 256;

/** The id of the session, and the agent whose own log this is, as the first records say. */
export async function lookAhead(source: LogSource): Promise<{ readonly sessionId: string; readonly agent?: string }> {
  let records = 0;
  let sessionId: string | undefined;
  for await (const batch of readRecords(source.chunks(), () => {}))
    for (const { value } of batch) {
      sessionId ??= stringOf(value['sessionId']);
      const { uuid, isSidechain, agentId } = value;
      if (typeof uuid === 'string' && sessionId !== undefined)
        return isSidechain === true && typeof agentId === 'string' ? { sessionId, agent: agentId } : { sessionId };
      if (++records >= MOST_BEFORE_ID) return { sessionId: sessionId ?? '' };
    }
  return { sessionId: sessionId ?? '' };
}

/** The subagent that records between the others belong to. */
export async function findInside(source: LogSource, isIt: (agent: string) => boolean): Promise<string | undefined> {
  for await (const batch of readRecords(source.chunks(), () => {}))
    for (const { value } of batch) {
      const agent = value['isSidechain'] === true ? (stringOf(value['agentId']) ?? stringOf(value['uuid'])) : undefined;
      if (agent !== undefined && isIt(agent)) return agent;
    }
  return undefined;
}
