import type { Log } from '../../src/log/log.ts';
import { openSession } from '../../src/shared/open-session.ts';
import { testIo } from './io.ts';

/** A session from objects, or from lines where a text stands for one; a header comes first unless one is given. */
export async function sessionOf(values: readonly (object | string)[]): Promise<Log> {
  const header = { type: 'session', version: 3, id: 'head', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
  const first = values[0];
  const all = typeof first === 'object' && 'type' in first && first.type === 'session' ? values : [header, ...values];
  return await openSession(
    '-',
    testIo(all.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')),
  );
}

/** An entry of type message, from a user unless told otherwise. */
export function message(id: string, parentId: string | null, more: object = { role: 'user', content: id }): object {
  return { type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', message: more };
}

export function labelEntry(id: string, parentId: string | null, targetId: string, label?: string): object {
  return { type: 'label', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', targetId, label };
}
