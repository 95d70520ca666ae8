import { defineRule, findDeep, placeOf } from './rule.ts';

const TRANSIENT = ['partialJson', 'jsonlEvents'];
/** The ends of these names start with rare letters, which makes a search several times faster. */
const ENDS = ['Json"', 'Events"'];

export const transientField = defineRule('transient-field', 'warning', 'content', {
  summary: 'a field that is only needed while a message streams was stored (partialJson, jsonlEvents)',
  why: 'It doubles the size of tool calls, and no agent reads it back.',
  arises: 'The message was stored before the agent cleaned it up, often because the stream was aborted.',
  advice: "'sessionctl externalize --strip-transient' removes it.",
  example: '{"type":"message",…{"type":"toolCall",…,"partialJson":"{\\"command\\":\\"npm te"}…}',
  looksAt: 'unscanned',
  object: (object, _log, report) => {
    if (!TRANSIENT.some((name, at) => object.text.includes(ENDS[at] as string) && object.text.includes(`"${name}"`)))
      return;
    const isTransient = (_value: unknown, key: string): _value is unknown => TRANSIENT.includes(key);
    for (const { path, key } of findDeep(object.value, isTransient))
      report(placeOf(object, path), `${key} is only needed while a message streams`);
  },
});
