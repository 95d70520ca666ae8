import type { JsonObject } from '../json/value.ts';
import { grouped } from '../util/words.ts';
import { defineRule, findDeep, placeOf } from './rule.ts';

/** The default threshold of externalize. */
const LARGE = 1_024;

export const inlineImage = defineRule('inline-image', 'off', 'content', {
  summary: 'an image of 1,024 base64 characters or more is stored in the log itself',
  why: 'A fact, not a fault, but images make a log large and slow to open.',
  arises: 'Screenshots and pasted images are stored in the message.',
  advice: "'sessionctl externalize' moves them to a blob store.",
  example: '{"type":"message",…{"type":"image","data":"AAAAAAAA…","mimeType":"image/png"}…}',
  object: (object, _log, report) => {
    if (object.text.length < LARGE || !object.text.includes('"image"')) return;
    for (const { path, value } of findDeep(object.value, isLargeImage))
      report(placeOf(object, path), `an image of ${grouped(value.length)} base64 characters`);
  },
});

function isLargeImage(value: unknown, key: string, parent: JsonObject): value is string {
  const isLarge = key === 'data' && typeof value === 'string' && value.length >= LARGE && !value.startsWith('blob:');
  return isLarge && parent['type'] === 'image';
}
