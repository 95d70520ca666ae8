import type { LogSource } from '../format.ts';
import { readRecords } from '../records.ts';
import { stringOf } from './describe.ts';

/** A log has its id in its first records, or not at all. */
const MOST_BEFORE_ID = 256;

interface ClaudeStart {
  readonly sessionId: string;
  /** When the session started. */
  readonly time: string | undefined;
  /** Set for the log of a subagent. */
  readonly agent?: string;
}

export async function lookAhead(source: LogSource): Promise<ClaudeStart> {
  let records = 0;
  let sessionId: string | undefined;
  let time: string | undefined;
  for await (const batch of readRecords(source.chunks(), () => {}))
    for (const { value } of batch) {
      sessionId ??= stringOf(value['sessionId']);
      time ??= stringOf(value['timestamp']);
      const { uuid, isSidechain, agentId } = value;
      if (typeof uuid === 'string' && sessionId !== undefined)
        return { sessionId, time, ...(isSidechain === true && typeof agentId === 'string' ? { agent: agentId } : {}) };
      if (++records >= MOST_BEFORE_ID) return { sessionId: sessionId ?? '', time };
    }
  return { sessionId: sessionId ?? '', time };
}

/** Finds a subagent whose records are in the session's file. */
export async function findInside(source: LogSource, isIt: (agent: string) => boolean): Promise<string | undefined> {
  for await (const batch of readRecords(source.chunks(), () => {}))
    for (const { value } of batch) {
      const agent = value['isSidechain'] === true ? (stringOf(value['agentId']) ?? stringOf(value['uuid'])) : undefined;
      if (agent !== undefined && isIt(agent)) return agent;
    }
  return undefined;
}
