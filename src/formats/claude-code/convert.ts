import { asString } from '../../json/value.ts';
import { AppError } from '../../util/errors.ts';
import { sessionUuid } from '../../util/uuid.ts';
import type { ConversionOptions, LogSource, NativeSink } from '../format.ts';
import { readRecords } from '../records.ts';
import { chooseSession } from '../sessions.ts';
import { ClaudeConversion, type ClaudeTask, FORMAT } from './conversion.ts';
import { Learned } from './learned.ts';
import { findSubagents, subagentId } from './subagents.ts';

/** A log has its id in its first records, or not at all. */
const MOST_BEFORE_ID = 256;
/** Each pass may find records that change the next one; the last pass leaves them where they are. */
const PASSES = 3;

export async function toNative(source: LogSource, sink: NativeSink, options: ConversionOptions): Promise<void> {
  const { sessionId, time, agent } = await lookAhead(source);
  const subagents = agent === undefined ? await findSubagents(source, sessionId) : [];
  const { session } = options;
  const named = (id: string): boolean => session === id || session === sessionUuid(FORMAT.id, id);
  const task = { source, sink, options, sessionId, time, subagents };
  if (session === undefined || named(sessionId) || (agent !== undefined && named(subagentId(sessionId, agent)))) {
    await convert({ ...task, scope: agent === undefined ? { is: 'main' } : { is: 'agent', agent } });
    return;
  }
  const child = subagents.find(({ agent: one }) => session === one || named(subagentId(sessionId, one)));
  if (child?.path === undefined) {
    const inside = await findInside(source, (one) => session === one || named(subagentId(sessionId, one)));
    if (inside === undefined) {
      const all = [{ id: sessionId }, ...subagents.map(({ agent: id, title }) => ({ id, title }))];
      return await toNative(source, sink, { ...options, session: chooseSession(source.name, all, session)?.id });
    }
    await convert({ ...task, subagents: [], scope: { is: 'inside', agent: inside } });
    return;
  }
  const file = await source.open(child.path);
  if (!file) throw new AppError(`${child.path}: the log of this subagent is gone`);
  try {
    sink.file?.(file.name);
    const scope = { is: 'agent', agent: child.agent } as const;
    await convert({ ...task, source: file, subagents: [], scope, title: child.title });
  } finally {
    await file.close();
  }
}

async function convert(task: ClaudeTask): Promise<void> {
  const learned = new Learned();
  for (let pass = 1; ; pass++) {
    learned.grew = false;
    const conversion = new ClaudeConversion(task, learned, pass === PASSES);
    await conversion.read();
    if (!learned.grew) {
      conversion.end();
      return;
    }
    task.sink.restart();
  }
}

/** The id and the start of a session; for the log of a subagent, also which it is. */
async function lookAhead(source: LogSource) {
  let records = 0;
  let sessionId: string | undefined;
  let time: string | undefined;
  for await (const batch of readRecords(source.chunks(), () => {}))
    for (const { value } of batch) {
      sessionId ??= asString(value['sessionId']);
      time ??= asString(value['timestamp']);
      const { uuid, isSidechain, agentId } = value;
      if (typeof uuid === 'string' && sessionId !== undefined)
        return { sessionId, time, agent: isSidechain === true ? asString(agentId) : undefined };
      if (++records >= MOST_BEFORE_ID) return { sessionId: sessionId ?? '', time, agent: undefined };
    }
  return { sessionId: sessionId ?? '', time, agent: undefined };
}

/** Finds a subagent whose records are in the session's file. */
async function findInside(source: LogSource, isIt: (agent: string) => boolean): Promise<string | undefined> {
  for await (const batch of readRecords(source.chunks(), () => {}))
    for (const { value } of batch) {
      const agent = value['isSidechain'] === true ? (asString(value['agentId']) ?? asString(value['uuid'])) : undefined;
      if (agent !== undefined && isIt(agent)) return agent;
    }
  return undefined;
}
