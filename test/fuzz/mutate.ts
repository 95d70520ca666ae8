import { createHash } from 'node:crypto';

/** Changes to session logs that crashes, other programs and malice make. Everything is drawn from the generator handed in. */
export type Draw = () => number;

export function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[Math.floor(draw() * items.length)] as Item;
}

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

const hashOf = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');
const WHOLE = 'x'.repeat(3000);
const DAMAGED_HASH = hashOf('something else');

/** What is in the store of a case: a blob, one that is damaged, an empty one, and files that are none. */
export const BLOBS: readonly (readonly [name: string, bytes: string])[] = [
  [hashOf(WHOLE), WHOLE],
  [DAMAGED_HASH, 'not that'],
  [hashOf(''), ''],
  ['.hidden', 'x'],
  ['0'.repeat(63), 'x'],
];

/** Values, as JSON text, that code is seldom written for. */
const ODD_VALUES: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1.0',
    '-1',
    '0.5',
    '1e400',
    '-1e400',
    '9007199254740993',
    '123456789012345678901234567890',
  ],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\u001b[31mred"',
    '"\\u202eevil"',
    '"a\\u200bb"',
    utf8('"é漢🙂"'),
    '"\\n\\r\\t"',
  ],
  ...[
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '[{}]',
    '[1,"x",{}]',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"toString":1}',
  ],
  ...[
    '"session"',
    '"message"',
    '"title"',
    '"root"',
    '"user"',
    '"assistant"',
    '"toolResult"',
    '"hookMessage"',
    '"compaction"',
    '"label"',
  ],
  ...[
    '"2026-01-01T00:00:00.000Z"',
    '"+275760-09-13T00:00:00.001Z"',
    '"not a time"',
    '8640000000000001',
    '-62135596800000',
  ],
  ...[
    '"../../../../etc/passwd"',
    '"/etc/passwd"',
    '"blob:sha256:zz"',
    '"data:image/png;base64,AAAA"',
    '"AAAA"',
    '"A"',
    '"=AA="',
  ],
  `"blob:sha256:${'0'.repeat(64)}"`,
  `"blob:sha256:../${'a'.repeat(61)}"`,
  `"blob:sha256:${hashOf(WHOLE)}"`,
  `"blob:sha256:${hashOf(WHOLE).toUpperCase()}"`,
  `"blob:sha256:${DAMAGED_HASH}"`,
  `{"type":"image","mimeType":"image/png","data":"blob:sha256:${hashOf(WHOLE)}"}`,
  `[{"type":"image","mimeType":"image/png","data":"${Buffer.from(WHOLE).toString('base64')}"}]`,
  `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${Buffer.from(WHOLE).toString('base64')}"}}]`,
  `{"content":[{"type":"toolResult","content":[{"type":"image","data":"${Buffer.from(WHOLE).toString('base64')}"}]}]}`,
  `"${'x'.repeat(3000)}"`,
  `"${'x'.repeat(500_001)}"`,
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'{"a":'.repeat(1200)}1${'}'.repeat(1200)}`,
];

const ODD_KEYS = [
  'id',
  'parentId',
  'type',
  'message',
  'role',
  'content',
  'timestamp',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '',
  utf8('é'),
  'version',
];

const ODD_LINES: readonly string[] = [
  ...[
    '',
    ' ',
    '\r',
    '\t',
    '{',
    '}',
    '[]',
    'null',
    '42',
    '"text"',
    '<<<<<<< HEAD',
    '=======',
    '\u0000',
    '\u0000'.repeat(100),
    '\u00ff\u00fe',
  ],
  ...[
    '{"type":"session"}',
    '{"type":"session","version":4,"id":"x"}',
    '{"type":"title","v":1,"title":"t","pad":""}',
    '{"id":"x"}',
    '{"type":7}',
  ],
  '{"type":"session","version":3,"id":"two","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}',
  '{"type":"label","id":"l","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","targetId":"l","label":"root"}',
  '{"type":"compaction","id":"c","parentId":"c","timestamp":"x","summary":null,"firstKeptEntryId":"c","firstKeptEntryIndex":-1}',
  '{"type":"context_edit","id":"e","parentId":null,"timestamp":"x","targetId":"e","replacement":{"content":{}}}',
  '{"type":"reset_boundary","id":"r","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z"}',
  '{"type":"message","id":"m","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall"}]}}',
];

/** Some bytes that come out of a healthy log, of a fixture that shows one thing, or of nothing at all. One character is one byte. */
export function mutated(draw: Draw, healthy: readonly string[], odd: readonly string[] = []): string {
  if (draw() < 0.04) return plainBytes(draw);
  let log = odd.length > 0 && draw() < 0.4 ? pick(draw, odd) : pick(draw, healthy);
  if (draw() < 0.05) log += pick(draw, healthy);
  if (draw() < 0.1) log = crossed(draw, log, pick(draw, odd.length > 0 ? odd : healthy));
  for (let times = 1 + Math.floor(draw() ** 3 * 12); times > 0; times--) log = changed(draw, log);
  return log;
}

/** A long log of the same lines: what is read as it comes must not be held. */
export function grown(draw: Draw, log: string): string {
  const bytes = 500_000 + draw() * 4_000_000;
  return log.repeat(Math.max(1, Math.floor(bytes / (log.length + 1))));
}

/** Lines of two logs among each other. */
function crossed(draw: Draw, one: string, other: string): string {
  const lines = one.split('\n');
  for (const line of other.split('\n'))
    if (draw() < 0.5) lines.splice(Math.floor(draw() * (lines.length + 1)), 0, line);
  return lines.join('\n');
}

function changed(draw: Draw, log: string): string {
  const choice = draw();
  if (choice < 0.1) return changedBytes(draw, log);
  const lines = log.split('\n');
  const at = Math.floor(draw() * lines.length);
  const line = lines[at] as string;
  if (choice < 0.5) lines[at] = changedObject(draw, line, log);
  else if (choice < 0.65) lines[at] = changedTree(draw, line, lines);
  else if (choice < 0.7) lines.splice(at, 1);
  else if (choice < 0.75) lines.splice(Math.floor(draw() * lines.length), 0, line);
  else if (choice < 0.8) lines.splice(at, 2, line + (lines[at + 1] ?? ''));
  else if (choice < 0.85) lines[at] = line.slice(0, Math.floor(draw() * line.length));
  else if (choice < 0.9) lines.splice(at, 0, pick(draw, ODD_LINES));
  else if (choice < 0.92) lines[at] = `${line}\r`;
  else if (choice < 0.94)
    lines[at] = line.replace(/([{,])/g, (_, sign: string) => (draw() < 0.5 ? `${sign}\n  ` : sign));
  else if (choice < 0.96) lines.push(lines.splice(at, 1)[0] as string);
  else if (choice < 0.98) return log.endsWith('\n') ? log.slice(0, -1) : `\u00ef\u00bb\u00bf${log}`;
  else return log.slice(0, Math.floor(draw() * log.length));
  return lines.join('\n');
}

/** One value, key or reference of an object on the line is another one. */
function changedObject(draw: Draw, line: string, log: string): string {
  const values = [
    ...line.matchAll(/("(?:[^"\\]|\\.)*")(\s*:\s*)("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\}|[{[])/g),
  ];
  if (values.length === 0) return line + pick(draw, ODD_LINES);
  const [whole, key = '', colon = '', value = ''] = pick(draw, values) as unknown as string[];
  const start = line.indexOf(whole as string);
  const end = start + (whole as string).length;
  const choice = draw();
  if (choice < 0.15) return `${line.slice(0, start)}"${pick(draw, ODD_KEYS)}"${colon}${line.slice(end - value.length)}`;
  if (choice < 0.25) return `${line.slice(0, start)}${key}${colon}${pick(draw, ODD_VALUES)},${line.slice(start)}`;
  // An opening bracket is left to what follows it, or the line would be torn each time.
  if (value === '{' || value === '[') return line;
  const others =
    choice < 0.6
      ? [...log.matchAll(/"(?:id|parentId|toolCallId)"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map((match) => match[1] as string)
      : [];
  const other = others.length > 0 ? pick(draw, others) : pick(draw, ODD_VALUES);
  return `${line.slice(0, start)}${key}${colon}${other}${line.slice(end)}`;
}

/** A value anywhere in an object becomes one from elsewhere in the log, moves, goes or is there twice. */
function changedTree(draw: Draw, line: string, lines: readonly string[]): string {
  const value = parsed(line);
  const donor = parsed(pick(draw, lines));
  if (typeof value !== 'object' || value === null) return line;
  const places = placesOf(value);
  const place = places.length > 0 ? pick(draw, places) : undefined;
  if (place === undefined) return line;
  const given = placesOf(donor);
  const choice = draw();
  const container = place.container as Record<string, unknown>;
  if (choice < 0.4 && given.length > 0) {
    const from = pick(draw, given);
    container[place.key] = (from.container as Record<string, unknown>)[from.key];
  } else if (choice < 0.55) delete container[place.key];
  else if (choice < 0.7) container[place.key] = [container[place.key], container[place.key]];
  else if (choice < 0.8) container[place.key] = structuredClone(value);
  else if (choice < 0.9 && Array.isArray(place.container)) place.container.push(...place.container);
  else container[pick(draw, ODD_KEYS)] = container[place.key];
  return Buffer.from(JSON.stringify(value), 'utf8').toString('latin1');
}

interface Place {
  readonly container: object;
  readonly key: string;
}

function placesOf(value: unknown, found: Place[] = [], depth = 0): Place[] {
  if (typeof value !== 'object' || value === null || depth > 50) return found;
  for (const key of Object.keys(value)) {
    found.push({ container: value, key });
    placesOf((value as Record<string, unknown>)[key], found, depth + 1);
  }
  return found;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(Buffer.from(line, 'latin1').toString('utf8'));
  } catch {
    return undefined;
  }
}

function changedBytes(draw: Draw, log: string): string {
  const at = Math.floor(draw() * (log.length + 1));
  const byte = String.fromCharCode(
    draw() < 0.5
      ? Math.floor(draw() * 256)
      : pick(draw, [0, 0x0a, 0x0d, 0x22, 0x5c, 0x7b, 0x7d, 0x80, 0xff, 0xed, 0xf0]),
  );
  const choice = draw();
  if (choice < 0.4) return log.slice(0, at) + byte + log.slice(at + 1);
  if (choice < 0.7) return log.slice(0, at) + byte.repeat(1 + Math.floor(draw() ** 4 * 500)) + log.slice(at);
  return log.slice(0, at) + log.slice(at + 1 + Math.floor(draw() ** 3 * 200));
}

function plainBytes(draw: Draw): string {
  const tokens = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '\n',
    '"type"',
    '"id"',
    '"session"',
    '"message"',
    '1',
    'null',
    '\u0000',
    '\u00ff',
    ' ',
  ];
  const isTokens = draw() < 0.5;
  let bytes = '';
  for (let length = Math.floor(draw() ** 2 * 2000); length > 0; length--) {
    bytes += isTokens ? pick(draw, tokens) : String.fromCharCode(Math.floor(draw() * 256));
  }
  return bytes;
}
