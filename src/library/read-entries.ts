import { type ReadDamage, type ReadObject, readObjects } from '../entries/read-objects.ts';
import { type Bytes, chunksOf, optionsOf } from './arguments.ts';

export interface ReadEntriesOptions {
  /** A longer line is reported as damage and not held: 256 MiB by default. */
  readonly maxLineBytes?: number;
}

/**
 * All objects of a log in file order, each with its line and its text, and the damage between them; nothing is thrown
 * because of what a log holds. Blank lines are skipped. Holds one piece of the input and one line.
 */
export function readEntries(
  source: Bytes,
  options?: ReadEntriesOptions,
): AsyncGenerator<ReadObject | ReadDamage, void, void> {
  const { maxLineBytes } = optionsOf('readEntries', options, { maxLineBytes: 'bytes' });
  return readObjects(chunksOf('readEntries', source), maxLineBytes);
}
