import { isObject } from '../entries/json-value.ts';
import type { Format } from './format.ts';

/** What is left when no agent's format fits: the last of the table, in this order. */
export const binary: Format = {
  id: 'binary',
  title: 'a binary file',
  noun: 'binary file',
  // A log may have NULs in it, but no run of control characters that no text has.
  recognises: (start) => /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(start.bytes) && start.objects.length === 0,
};

/** What `jq .` makes of a log. */
export const printedLog: Format = {
  id: 'printed-log',
  title: "a session log that was pretty-printed over several lines; 'sessionctl repair' rejoins them",
  noun: 'printed session log',
  recognises: (start) => start.objects.length === 0 && /^\s*\{\s*"type"\s*:\s*"(session|title)"/.test(start.text),
};

export const jsonDocument: Format = {
  id: 'json',
  title: 'one JSON document, not one JSON object per line',
  noun: 'JSON document',
  recognises: (start) => start.objects.length < 2 && start.isDocument && (start.values.length > 1 || Array.isArray(start.document)),
};

export const jsonLines: Format = {
  id: 'jsonl',
  title: 'JSON lines in an unknown format',
  noun: 'JSON Lines file',
  recognises: (start) => start.values.some(isObject),
};

export const text: Format = {
  id: 'text',
  title: 'plain text',
  noun: 'text file',
  recognises: () => true,
};
