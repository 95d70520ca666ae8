import { type Head, hasMembers, type LogFormat } from '../format.ts';

/** A log of records that are numbered from 0, each with a version, a time and a type, without an envelope. */
export const recordLog: LogFormat = {
  id: 'record-log',
  title: 'a record log',
  noun: 'record log',
  detect: ({ first, objects }: Head) => {
    if (isRecord(first) && first?.['type'] === 'session_meta') return 'certain';
    // Its first lines may be lost.
    return objects.length > 1 && objects.every(isRecord) ? 'probable' : undefined;
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => {
    const { convertNumbered } = await import('../convert-numbered.ts');
    await convertNumbered((await import('./conversion.ts')).numbered, recordLog, ...task);
  },
  readings: 3,
  fromNative: async (session, sink) => (await import('./write.ts')).writeRecordLog(session, sink),
};

function isRecord(value: unknown): boolean {
  return hasMembers(value, { schema_version: 'any', seq: 'number', time: 'any', type: 'string', payload: 'absent' });
}
