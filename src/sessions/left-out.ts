import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';

/** What a command over many files left out. */
export interface LeftOutFiles {
  /** The errors of files in folders that are no session logs. */
  readonly others: string[];
  /** The errors of files that could not be read. */
  readonly unread: string[];
  /** The paths of files with damaged lines. */
  readonly damagedFiles: string[];
}

/** More files are counted, not named. */
const MOST_NAMED = 20;

export function noteLeftOut(files: LeftOutFiles, done: 'listed' | 'searched' | 'counted', io: Pick<Io, 'note'>): void {
  const { others, unread, damagedFiles } = files;
  if (others.length > 0) io.note(`${counted(others.length, 'file')} not ${done}, such as ${others[0]}`);
  const named = [...unread.map((why) => `not ${done}: ${why}`), ...damagedFiles.map((path) => `damaged: ${path}`)];
  for (const one of named.slice(0, MOST_NAMED)) io.note(one);
  if (named.length > MOST_NAMED) io.note(`and ${counted(named.length - MOST_NAMED, 'other file')}`);
}
