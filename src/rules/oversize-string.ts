import { grouped } from '../util/words.ts';
import { findDeep } from './check/find-deep.ts';
import { placeOf, type Rule } from './rule.ts';

/** omp cuts longer strings when it rewrites a session. */
const LONGEST = 500_000;

export const oversizeString: Rule = {
  id: 'oversize-string',
  level: 'warning',
  group: 'content',
  summary: 'a string is longer than 500,000 characters (image data does not count)',
  why: 'omp truncates it the next time it rewrites the session; until then, every request pays for all of it.',
  arises: 'A tool printed a lot of output, or a large file was read into the session.',
  advice: "'sessionctl externalize --truncate' truncates it as omp would, with a notice; keep a backup.",
  fixable: false,
  example: '{"type":"message",…,"content":[{"type":"text","text":"… 2,000,000 characters …"}]}',
  looksAt: 'shape',
  object: (object, _log, report) => {
    if (object.text.length <= LONGEST) return;
    for (const { path, value, key, parent } of findDeep(
      object.value,
      (value) => typeof value === 'string' && value.length > LONGEST,
    )) {
      const image =
        (key === 'data' && parent?.['type'] === 'image') ||
        (key === 'url' || key === 'image_url' ? String(value).startsWith('data:') : false);
      if (!image)
        report(
          placeOf(object, path),
          `a string of ${grouped(String(value).length)} characters, more than ${grouped(LONGEST)}`,
        );
    }
  },
};
