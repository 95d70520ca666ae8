import type { JsonObject } from '../json/value.ts';
import { grouped } from '../util/words.ts';
import { defineRule, findDeep, placeOf } from './rule.ts';

/** omp truncates longer strings when it rewrites a session. */
const LONGEST = 500_000;

export const oversizeString = defineRule('oversize-string', 'warning', 'content', {
  summary: 'a string is longer than 500,000 characters (image data does not count)',
  why: 'omp truncates it the next time it rewrites the session; until then, every request pays for all of it.',
  arises: 'A tool printed a lot of output, or a large file was read into the session.',
  advice: "'sessionctl externalize --truncate' truncates it as omp would, with a notice; keep a backup.",
  example: '{"type":"message",…"text":"xxxxxxxx…"…}',
  looksAt: 'shape',
  object: (object, _log, report) => {
    if (object.text.length <= LONGEST) return;
    for (const { path, value } of findDeep(object.value, isTooLong))
      report(placeOf(object, path), `a string of ${grouped(value.length)} characters, more than ${grouped(LONGEST)}`);
  },
});

function isTooLong(value: unknown, key: string, parent: JsonObject): value is string {
  if (typeof value !== 'string' || value.length <= LONGEST) return false;
  if (key === 'data') return parent['type'] !== 'image';
  return (key !== 'url' && key !== 'image_url') || !value.startsWith('data:');
}
