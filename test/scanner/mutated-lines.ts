import { readFileSync } from 'node:fs';
import { assistant, entry, result, user } from '../support/sessions.ts';

/** Healthy lines; the last two are of kinds that the scanner does not know. */
export const SEEDS: readonly string[] = [
  user('a1', null, 'héllo 漢 🙂'),
  user('a2', 'a1', ''),
  assistant('b1', 'a1', ['t1', 't2'], 'toolUse'),
  assistant('b2', 'a1', [], 'aborted'),
  result('c1', 'b1', 't1'),
  entry('custom', 'd1', 'c1', {
    customType: 'x',
    data: { deep: [1, -2.5, true, null, { type: 'image', data: 'AAAA' }] },
  }),
  entry('message', 'e1', 'd1', {
    message: { role: 'user', content: [{ type: 'image', data: 'A'.repeat(30), mimeType: 'image/png' }], timestamp: 5 },
  }),
  entry('message', 'e2', null, {
    message: {
      role: 'toolResult',
      toolCallId: 'x',
      toolName: 'y',
      content: [{ type: 'text', text: 'a"b\\c\n' }],
      details: { diff: '+a' },
      isError: false,
      timestamp: 5,
    },
  }),
  entry('model_change', 'e3', 'e2', { provider: 'p', modelId: 'm' }),
  entry('thinking_level_change', 'e4', 'e3', { thinkingLevel: 'high' }),
  entry('label', 'f1', 'e1', { targetId: 'e1', label: 'x' }),
  '{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"v1"}}\n',
].map((line) => line.trimEnd());

const SCRAPS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '\t',
  '\r',
  '0',
  '-',
  '1.5',
  '1e5',
  '01',
  'true',
  'nul',
  'null',
  '"id":"zz",',
  '"type":"toolCall",',
  '"role":7,',
  '"role":"user",',
  '"message":{"role":"assistant"},',
  '"partialJson":"",',
  '"\\u0069d":"q",',
  '\\ud83d',
  '\\u00e9',
  '\\x',
  '"data":"q",',
  '"arguments":{"type":5},',
  '\u0001',
  'é',
  '🙂',
  '"timestamp":"2026-02-30T00:00:00.000Z",',
  '"timestamp":"2026-02-28T24:00:00.000Z",',
  '"parentId":5,',
  '""',
  '{"a":{"b":[[]]}}',
  '"content":[{"type":"toolCall","id":"n"}],',
];

/** Every name that the scanner looks for, of keys, types and roles, and every key of the healthy lines. */
const NAMES = [
  ...new Set([
    ...['keys', 'scan'].flatMap((file) => {
      const source = readFileSync(new URL(`../../src/scanner/assembly/${file}.ts`, import.meta.url), 'utf8');
      return Array.from(source.matchAll(/isText\(start, length, '(\w+)'\)/g), ([, name]) => name as string);
    }),
    ...Array.from(SEEDS.join('').matchAll(/"(\w+)":/g), ([, key]) => key as string),
  ]),
];

const ODD_VALUES = ['""', '"é"', '"\\u0061"', `"${'long '.repeat(20)}"`, '5', 'true', 'null', '{}', '[]'];
/** Every value in the healthy lines. */
const VALUES = SEEDS.flatMap((line) => valuesIn(JSON.parse(line)));

function valuesIn(value: unknown): string[] {
  const inside = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return [JSON.stringify(value), ...inside.flatMap(valuesIn)];
}

function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A key and its colon, now and then with an escape. */
function keyText(random: () => number, key: string): string {
  const escaped = `\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
  return `"${random() < 0.01 ? escaped : key}":`;
}

function anyValue(random: () => number): string {
  const kind = random();
  if (kind < 0.3) return pick(random, ODD_VALUES);
  if (kind < 0.6) return pick(random, VALUES);
  return kind < 0.8 ? `"${pick(random, NAMES)}"` : withNames(random, kind < 0.9 ? {} : [{}]);
}

/** The JSON of a value with known names anywhere in it, as keys and as strings, in place of what is there or beside it. */
function withNames(random: () => number, value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const inside = Object.entries(value).map(([key, one]) => (keys ? keyText(random, key) : '') + withNames(random, one));
  for (let chance = inside.length > 0 ? 0.2 : 0.8; random() < chance; chance /= 2) {
    const at = Math.floor(random() * (inside.length + 1));
    // Often the key that is there: with another value, or twice.
    const key = (random() < 0.5 && keys?.[at]) || pick(random, NAMES);
    inside.splice(at, random() < 0.5 ? 1 : 0, (keys ? keyText(random, key) : '') + anyValue(random));
  }
  return keys ? `{${inside.join(',')}}` : `[${inside.join(',')}]`;
}

/** A healthy line with up to three faults, or one with names at unusual places and up to one. */
export function mutated(random: () => number): Buffer {
  const hasNames = random() < 0.5;
  let text = pick(random, SEEDS);
  if (hasNames) text = withNames(random, JSON.parse(text));
  for (let faults = Math.floor(random() * (hasNames ? 2 : 4)); faults > 0; faults--) {
    const at = Math.floor(random() * (text.length + 1));
    const length = Math.floor(random() ** 3 * 20);
    switch (Math.floor(random() * 5)) {
      case 0:
        text = text.slice(0, at) + text.slice(at + length);
        break;
      case 1:
        text = text.slice(0, at) + pick(random, SCRAPS) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + pick(random, SCRAPS) + text.slice(at + length);
        break;
      case 3: {
        const comma = text.indexOf(random() < 0.5 ? ',' : '{', at) + 1;
        text = text.slice(0, comma) + pick(random, SCRAPS) + text.slice(comma);
        break;
      }
      default: {
        const other = pick(random, SEEDS);
        const from = Math.floor(random() * other.length);
        text = text.slice(0, at) + other.slice(from, from + length) + text.slice(at + length);
      }
    }
  }
  return Buffer.from(text.replaceAll('\n', ' '), 'utf8');
}
