import type { JsonObject } from '../json/value.ts';
import { type Certainty, type Head, hasMembers, type LogFormat } from './format.ts';
import { hasSessionId } from './opencode/index.ts';

type Detect = (head: Head) => boolean;

function recognized(id: string, noun: string, title: string, detect: Detect, certainty: Certainty = 'certain') {
  return { id, noun, title, detect: (head: Head) => (detect(head) ? certainty : undefined) };
}

/** A format of files that no agent's format fits; `--from` may name another one. */
function unspecific(id: string, noun: string, title: string, detect: Detect): LogFormat {
  return recognized(id, noun, title, detect, 'probable');
}

const MAGIC = {
  sqlite: 'SQLite format 3\0',
  zstd: '\u0028\u00b5\u002f\u00fd',
  gzip: '\u001f\u008b',
  zip: 'PK\u0003\u0004',
};

/** Whether the first bytes are those of a database or an archive, even if lines of a log are in it. */
export function isContainer(bytes: string): boolean {
  return Object.values(MAGIC).some((magic) => bytes.startsWith(magic));
}

function startsWith(magic: string): Detect {
  return ({ bytes }) => bytes.startsWith(magic);
}

/** pi's SDK has another format, which starts with {"v":4,"kind":"header"}; older versions have "version". */
export function isSdkHeader(value: JsonObject): boolean {
  return value['kind'] === 'header' && (typeof value['v'] === 'number' || typeof value['version'] === 'number');
}

/** Files that users pass by mistake, by their start. */
const MISTAKEN: readonly LogFormat[] = (
  [
    ['office', 'Office document', 'an Office document', /^PK\u0003\u0004.{26}(?:\[Content_Types\]|mimetype)/s],
    ['pdf', 'PDF document', 'a PDF document', /^%PDF-/],
    ['image', 'picture', 'a picture', /^(?:\u0089PNG|\u00ff\u00d8\u00ff|GIF8|RIFF....WEBP)/s],
    ['html', 'HTML page', 'an HTML page', /^\s*<(?:!doctype html|html)\b/i],
    ['utf-16', 'UTF-16 file', 'text in UTF-16; save it as UTF-8 first', /^(?:\u00ff\u00fe|\u00fe\u00ff)/],
  ] as const
).map(([id, noun, title, start]) => unspecific(id, noun, title, ({ bytes }) => start.test(bytes)));

/** Formats that are named and not read; the first that detects a file counts. */
export const recognizedFormats: readonly LogFormat[] = [
  ...MISTAKEN,
  {
    ...recognized(
      'sqlite',
      'SQLite database',
      'an SQLite database (OpenCode, Goose and OpenClaw store sessions in one)',
      (head) => startsWith(MAGIC.sqlite)(head) || hasMembers(head.first?.['sqlite'], { tables: 'object' }),
    ),
    mayHaveSessions: true,
  },
  recognized(
    'zstd',
    'zstd archive',
    'a zstd archive, as Codex writes for old sessions; unpack it first',
    startsWith(MAGIC.zstd),
  ),
  recognized('gzip', 'gzip archive', 'a gzip archive; unpack it first', startsWith(MAGIC.gzip)),
  recognized('zip', 'zip archive', 'a zip archive; unpack it first', startsWith(MAGIC.zip)),
  recognized(
    'opencode-storage',
    'OpenCode storage file',
    "one file of OpenCode's old storage; 'opencode export' gives the whole session",
    ({ document }) =>
      (hasMembers(document, { projectID: 'any', time: 'object' }) && hasSessionId(document)) ||
      hasMembers(document, { id: 'string', sessionID: 'string', messageID: 'string' }) ||
      hasMembers(document, { id: 'string', sessionID: 'string', role: 'string', time: 'object' }),
  ),
  recognized(
    'pi-sdk',
    'pi SDK log',
    "a log of pi's SDK (format 4), which is a different format",
    ({ first }) => first !== undefined && isSdkHeader(first),
  ),
  recognized(
    'droid',
    'Factory Droid session',
    'a Factory Droid session',
    ({ first }) => first?.['type'] === 'session_start' && hasMembers(first, { id: 'string', cwd: 'string' }),
  ),
  // A log may have NULs, but then it also has objects.
  unspecific(
    'binary',
    'binary file',
    'a binary file',
    (head) => /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(head.bytes) && head.objects.length === 0,
  ),
  // The output of `jq .`.
  unspecific(
    'printed-log',
    'pretty-printed session log',
    "a session log that was pretty-printed over several lines; 'sessionctl repair' rejoins them",
    (head) => head.objects.length === 0 && /^\s*\{\s*"type"\s*:\s*"(session|title)"/.test(head.text),
  ),
  unspecific(
    'json',
    'JSON document',
    'one JSON document, not one JSON object per line',
    ({ objects, isDocument, values, document }) =>
      objects.length < 2 && isDocument && (values.length > 1 || Array.isArray(document)),
  ),
  unspecific('jsonl', 'JSON Lines file', 'JSON Lines in an unknown format', ({ objects }) => objects.length > 0),
  unspecific('text', 'text file', 'plain text', () => true),
];
