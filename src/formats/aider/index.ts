import type { LogFormat } from '../format.ts';
import { HEADER } from './grammar.ts';

/** The first header is searched for in these bytes: users may write something above it. */
const FIRST_BYTES = 4096;

/** The chat history that Aider appends to: Markdown, one session per run. */
export const aider: LogFormat = {
  id: 'aider',
  title: 'an Aider chat history',
  noun: 'Aider chat history file',
  files: '.aider.chat.history.md (Markdown)',
  detect: (head) => {
    if (HEADER.test(head.firstText.replace(/^\ufeff/, ''))) return 'certain';
    // JSON may quote a header.
    if (head.objects.length > 0) return undefined;
    return new RegExp(HEADER, 'm').test(head.text.slice(0, FIRST_BYTES)) ? 'probable' : undefined;
  },
  isDocument: () => true,
  records: async function* (source, chunks, onDamage) {
    yield* (await import('./checks.ts')).readHistory(source, chunks, onDamage);
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./convert.ts')).toNative(aider, ...task),
};
