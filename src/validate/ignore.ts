import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { UsageError } from '../util/errors.ts';

/** Globs, and the folder that they are meant from. */
interface IgnoreList {
  readonly globs: readonly string[];
  readonly folder: string;
  /** Who says so. */
  readonly source: string;
}

/** Says why a file is not checked: a glob matches it or a folder that it is in. */
export function makeIgnore(lists: readonly IgnoreList[]): (path: string) => string | undefined {
  const tests = lists.flatMap(({ globs, folder, source }) =>
    globs.map((glob) => {
      const pattern = glob.replace(/\/$/, '');
      if (pattern === '') throw new UsageError(`'${glob}' ${source} matches no file; pass a glob such as '**/old'`);
      const matches = picomatch(pattern, { dot: true, nonegate: true });
      const isWhole = isAbsolute(pattern);
      return { folder: resolve(folder), isWhole, matches, reason: `is ignored by '${glob}' ${source}` };
    }),
  );
  return (path) => {
    const whole = resolve(path);
    return tests.find(({ folder, isWhole, matches }) => {
      const inside = relative(folder, whole);
      const isOutside = inside.startsWith('..') || isAbsolute(inside);
      return selfAndAbove(isWhole || isOutside ? whole : inside).some((one) => matches(one.replaceAll(sep, '/')));
    })?.reason;
  };
}

function selfAndAbove(path: string): string[] {
  const above = dirname(path);
  return above === path || above === '.' ? [path] : [path, ...selfAndAbove(above)];
}
