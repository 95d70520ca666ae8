import { grouped } from '../util/words.ts';
import { findDeep } from './check/find-deep.ts';
import { placeOf, type Rule } from './rule.ts';

/** What externalize moves out by default. */
const LARGE = 1_024;

export const inlineImage: Rule = {
  id: 'inline-image',
  level: 'off',
  group: 'content',
  summary: 'an image of 1,024 base64 characters or more is stored in the log itself',
  why: 'A fact, not a fault, but images make a log large and slow to open.',
  arises: 'Screenshots and pasted images are stored in the message.',
  advice: "'sessionctl externalize' moves them to a blob store.",
  fixable: false,
  example: '{"type":"message",…,"content":[{"type":"image","data":"iVBORw0…","mimeType":"image/png"}]}',
  object: (object, _log, report) => {
    if (object.text.length < LARGE || !object.text.includes('"image"')) return;
    const isLarge = (value: unknown, key: string | undefined): boolean =>
      key === 'data' && typeof value === 'string' && value.length >= LARGE && !value.startsWith('blob:');
    for (const { path, value, parent } of findDeep(object.value, isLarge)) {
      if (parent?.['type'] === 'image')
        report(placeOf(object, path), `an image of ${grouped(String(value).length)} base64 characters`);
    }
  },
};
