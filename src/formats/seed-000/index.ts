import type { LogFormat } from '../format.ts';

/** The first design of the native log: version 1, but with ids and parents. It is read as a native log. */
export const seed000: LogFormat = {
  id: 'seed-000',
  title: 'a session log of version 1 with ids',
  noun: 'session log of version 1 with ids',
  files: 'JSONL of version 1 with ids, read as pi',
  detect: () => undefined,
  fromNative: async (session, sink) => (await import('./write.ts')).writeSeed000(session, sink),
};
