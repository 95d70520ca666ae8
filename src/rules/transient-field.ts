import { findDeep } from './check/find-deep.ts';
import { placeOf, type Rule } from './rule.ts';

const TRANSIENT = ['partialJson', 'jsonlEvents'];

export const transientField: Rule = {
  id: 'transient-field',
  level: 'warning',
  group: 'content',
  summary: 'a field that is only needed while a message streams was stored (partialJson, jsonlEvents)',
  why: 'It doubles the size of tool calls, and no agent reads it back.',
  arises: 'The message was stored before the agent cleaned it up, often because the stream was aborted.',
  advice: "'sessionctl externalize --strip-transient' removes it.",
  fixable: false,
  example: '{"type":"message",…,"content":[{"type":"toolCall",…,"partialJson":"{\\"pa"}]}',
  looksAt: 'shape',
  neverOnScanned: true,
  object: (object, _log, report) => {
    if (!TRANSIENT.some((name) => object.text.includes(`"${name}"`))) return;
    for (const { path, key } of findDeep(object.value, (_value, key) => key !== undefined && TRANSIENT.includes(key))) {
      report(placeOf(object, path), `${key} is only needed while a message streams`);
    }
  },
};
