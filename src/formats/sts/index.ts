import { isHeader } from '../../entries/envelope-check.ts';
import type { JsonObject } from '../../json/value.ts';
import type { LogFormat } from '../format.ts';

/** Session traces of Hugging Face: a header that names a harness, then one message per line. */
export const sts: LogFormat = {
  id: 'sts',
  title: 'a Hugging Face session trace',
  noun: 'Hugging Face session trace',
  detect: ({ first }) => (first !== undefined && isSessionTrace(first) ? 'certain' : undefined),
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./convert.ts')).toNative(sts, ...task),
  fromNative: async (session, sink) => (await import('./write.ts')).writeTrace(session, sink),
};

/** The first line of a Hugging Face session trace: a header by its type, but it names a harness and no folder. */
export function isSessionTrace(value: JsonObject): boolean {
  return isHeader(value) && typeof value['harness'] === 'string' && typeof value['cwd'] !== 'string';
}
