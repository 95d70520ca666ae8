import { isObject } from '../json/value.ts';
import type { LogFormat } from './format.ts';

/** What is left when no agent's format fits: the last of the table, in this order. */
export const binary: LogFormat = {
  id: 'binary',
  title: 'a binary file',
  noun: 'binary file',
  // A log may have NULs in it, but no run of control characters that no text has.
  detect: (head) => /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(head.bytes) && head.objects.length === 0,
};

/** What `jq .` makes of a log. */
export const printedLog: LogFormat = {
  id: 'printed-log',
  title: "a session log that was pretty-printed over several lines; 'sessionctl repair' rejoins them",
  noun: 'pretty-printed session log',
  detect: (head) => head.objects.length === 0 && /^\s*\{\s*"type"\s*:\s*"(session|title)"/.test(head.text),
};

export const jsonDocument: LogFormat = {
  id: 'json',
  title: 'one JSON document, not one JSON object per line',
  noun: 'JSON document',
  detect: (head) =>
    head.objects.length < 2 && head.isDocument && (head.values.length > 1 || Array.isArray(head.document)),
};

export const jsonLines: LogFormat = {
  id: 'jsonl',
  title: 'JSON Lines in an unknown format',
  noun: 'JSON Lines file',
  detect: (head) => head.values.some(isObject),
};

export const text: LogFormat = {
  id: 'text',
  title: 'plain text',
  noun: 'text file',
  detect: () => true,
};
