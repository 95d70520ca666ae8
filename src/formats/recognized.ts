import { isSdkHeader, isSessionTrace } from './evidence.ts';
import { hasMembers, type LogFormat } from './format.ts';

const startsWith =
  (magic: string): LogFormat['detect'] =>
  ({ bytes }) =>
    bytes.startsWith(magic);

/** Formats that are named and not read; the first that detects a file counts. */
export const recognizedFormats: readonly LogFormat[] = [
  {
    id: 'sqlite',
    title: 'an SQLite database (OpenCode and Goose store sessions in one)',
    noun: 'SQLite database',
    detect: startsWith('SQLite format 3\0'),
  },
  {
    id: 'zstd',
    title: 'a zstd archive, as Codex writes for old sessions; unpack it first',
    noun: 'zstd archive',
    detect: startsWith('\u0028\u00b5\u002f\u00fd'),
  },
  { id: 'gzip', title: 'a gzip archive; unpack it first', noun: 'gzip archive', detect: startsWith('\u001f\u008b') },
  { id: 'zip', title: 'a zip archive; unpack it first', noun: 'zip archive', detect: startsWith('PK\u0003\u0004') },
  {
    id: 'aider',
    title: 'an Aider chat history',
    noun: 'Aider chat history file',
    detect: (head) => /^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$/.test(head.firstText),
  },
  {
    id: 'atif',
    title: 'an ATIF trajectory',
    noun: 'ATIF trajectory file',
    detect: (head) =>
      hasMembers(head.document, { schema_version: 'string', steps: 'array' })
        ? /^ATIF-v\d+\.\d+$/.test(String(head.document['schema_version']))
        : head.document === undefined && head.documentHas('schema_version', 'agent', 'steps'),
  },
  {
    id: 'opencode',
    title: 'an OpenCode session',
    noun: 'OpenCode session',
    detect: ({ document }) =>
      (hasMembers(document, { info: 'object', messages: 'array' }) && hasSessionId(document['info'])) ||
      (hasMembers(document, { projectID: 'any', time: 'object' }) && hasSessionId(document)) ||
      hasMembers(document, { id: 'string', sessionID: 'string', messageID: 'string' }) ||
      hasMembers(document, { id: 'string', sessionID: 'string', role: 'string', time: 'object' }),
  },
  {
    id: 'goose',
    title: 'a Goose session',
    noun: 'Goose session',
    detect: ({ document, first }) =>
      hasMembers(document, { conversation: 'array', working_dir: 'string' }) ||
      (hasMembers(first, { type: 'absent', role: 'absent', message_count: 'any' }) &&
        (Object.hasOwn(first, 'description') || Object.hasOwn(first, 'working_dir'))),
  },
  {
    id: 'gemini',
    title: 'a Gemini CLI session',
    noun: 'Gemini CLI session',
    detect: (head) => {
      if (hasMembers(head.first, { type: 'absent', sessionId: 'string', projectHash: 'string' })) return true;
      if (head.documentHas('sessionId', 'projectHash', 'messages')) return true;
      const history = hasMembers(head.document, { history: 'array' }) ? head.document['history'] : head.document;
      return (
        Array.isArray(history) && history.length > 0 && history.every((turn) => hasMembers(turn, { parts: 'array' }))
      );
    },
  },
  {
    id: 'pi-sdk',
    title: "a log of pi's SDK (format 4), which is a different format",
    noun: 'pi SDK log',
    detect: ({ first }) => first !== undefined && isSdkHeader(first),
  },
  {
    id: 'sts',
    title: 'a Hugging Face session trace',
    noun: 'Hugging Face session trace',
    detect: ({ first }) => first !== undefined && isSessionTrace(first),
  },
  {
    id: 'droid',
    title: 'a Factory Droid session',
    noun: 'Factory Droid session',
    detect: ({ first }) => first?.['type'] === 'session_start' && hasMembers(first, { id: 'string', cwd: 'string' }),
  },
  {
    id: 'event-log',
    title: 'an event log (seq, time and type in each record)',
    noun: 'event log',
    detect: ({ first }) => {
      if (
        hasMembers(first, { seq: 'number', schema_version: 'any', payload: 'absent' }) &&
        first['type'] === 'session_meta'
      )
        return true;
      const isEvent = hasMembers(first, { seq: 'number', sessionId: 'string', ts: 'any', type: 'string' });
      return isEvent && /^[a-z_]+(\.[a-z_]+)+$/.test(String(first['type']));
    },
  },
  // What is left when no agent's format fits.
  {
    id: 'binary',
    title: 'a binary file',
    noun: 'binary file',
    // A log may have NULs in it, but no run of control characters that no text has.
    detect: (head) => /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(head.bytes) && head.objects.length === 0,
  },
  {
    // What `jq .` makes of a log.
    id: 'printed-log',
    title: "a session log that was pretty-printed over several lines; 'sessionctl repair' rejoins them",
    noun: 'pretty-printed session log',
    detect: (head) => head.objects.length === 0 && /^\s*\{\s*"type"\s*:\s*"(session|title)"/.test(head.text),
  },
  {
    id: 'json',
    title: 'one JSON document, not one JSON object per line',
    noun: 'JSON document',
    detect: (head) =>
      head.objects.length < 2 && head.isDocument && (head.values.length > 1 || Array.isArray(head.document)),
  },
  {
    id: 'jsonl',
    title: 'JSON Lines in an unknown format',
    noun: 'JSON Lines file',
    detect: (head) => head.objects.length > 0,
  },
  { id: 'text', title: 'plain text', noun: 'text file', detect: () => true },
];

function hasSessionId(value: unknown): boolean {
  return hasMembers(value, { id: 'string' }) && String(value['id']).startsWith('ses');
}
