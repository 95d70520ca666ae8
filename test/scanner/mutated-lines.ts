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

/** A healthy line with one to three faults, or none. */
export function mutated(random: () => number): Buffer {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let text = pick(SEEDS);
  for (let faults = Math.floor(random() * 4); faults > 0; faults--) {
    const at = Math.floor(random() * (text.length + 1));
    const length = Math.floor(random() ** 3 * 20);
    switch (Math.floor(random() * 5)) {
      case 0:
        text = text.slice(0, at) + text.slice(at + length);
        break;
      case 1:
        text = text.slice(0, at) + pick(SCRAPS) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + pick(SCRAPS) + text.slice(at + length);
        break;
      case 3: {
        const comma = text.indexOf(random() < 0.5 ? ',' : '{', at) + 1;
        text = text.slice(0, comma) + pick(SCRAPS) + text.slice(comma);
        break;
      }
      default: {
        const other = pick(SEEDS);
        const from = Math.floor(random() * other.length);
        text = text.slice(0, at) + other.slice(from, from + length) + text.slice(at + length);
      }
    }
  }
  return Buffer.from(text.replaceAll('\n', ' '), 'utf8');
}
