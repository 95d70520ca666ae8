import { type Head, hasMembers, type LogFormat } from '../format.ts';
import { isEventType } from './event-type.ts';

/** A log of numbered events, with artifacts and snapshots of the state in folders beside it. */
export const eventLog: LogFormat = {
  id: 'event-log',
  title: 'an event log',
  noun: 'event log',
  files: 'events.jsonl, with its artifacts and snapshots',
  detect: ({ first, objects }: Head) => {
    if (isEvent(first)) return 'certain';
    return objects.length > 1 && objects.every(isEvent) ? 'probable' : undefined;
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => {
    const { convertNumbered } = await import('../convert-numbered.ts');
    await convertNumbered((await import('./conversion.ts')).numbered, eventLog, ...task);
  },
  readings: 2,
  fromNative: async (session, sink) => (await import('./write.ts')).writeEventLog(session, sink),
};

function isEvent(value: unknown): boolean {
  return (
    hasMembers(value, { id: 'string', sessionId: 'string', seq: 'number', ts: 'any', type: 'string' }) &&
    isEventType(String(value['type']))
  );
}
