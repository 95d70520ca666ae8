import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';

/** What a command over many files left out. */
export interface LeftOutFiles {
  /** Why files of a folder are no session logs: there a file may be anything. */
  readonly others: string[];
  /** Why files could not be read. */
  readonly unread: string[];
  /** The paths of files that have damaged lines. */
  readonly damagedFiles: string[];
}

/** So many files are named. */
const MOST_NAMED = 20;

export function noteLeftOut(files: LeftOutFiles, done: 'listed' | 'searched' | 'counted', io: Pick<Io, 'note'>): void {
  const { others, unread, damagedFiles } = files;
  if (others.length > 0) io.note(`${counted(others.length, 'file')} not ${done}, such as ${others[0]}`);
  const named = [...unread.map((why) => `not ${done}: ${why}`), ...damagedFiles.map((path) => `damaged: ${path}`)];
  for (const one of named.slice(0, MOST_NAMED)) io.note(one);
  if (named.length > MOST_NAMED) io.note(`and ${counted(named.length - MOST_NAMED, 'other file')}`);
}
