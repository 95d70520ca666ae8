import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';

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
      const matches = picomatch(glob.replace(/\/$/, ''), { dot: true, nonegate: true });
      return { folder: resolve(folder), matches, reason: `is ignored by '${glob}' ${source}` };
    }),
  );
  return (path) => {
    const whole = resolve(path);
    return tests.find(({ folder, matches }) => {
      const inside = relative(folder, whole);
      const isOutside = inside.startsWith('..') || isAbsolute(inside);
      return selfAndAbove(isOutside ? whole : inside).some((one) => matches(one.replaceAll(sep, '/')));
    })?.reason;
  };
}

function selfAndAbove(path: string): string[] {
  const above = dirname(path);
  return above === path || above === '.' ? [path] : [path, ...selfAndAbove(above)];
}
