import { readBody } from '../entries/new-entry.ts';
import { Detection, ORIGINS, type Origin } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import { linesIn } from '../lines/reader.ts';
import { LogTail } from '../log/log-tail.ts';
import { toJson } from '../util/to-json.ts';
import { type Bytes, chunksOf, optionsOf, type Random, requireTime, systemRandom } from './arguments.ts';

export interface AppendOptions {
  /** What messages call the log; without it they start with none. */
  readonly name?: string;
  /** The id of the entry that the first one hangs from; by default the last of the log. */
  readonly parentId?: string;
  /** The time of the entries, such as `new Date().toISOString()`. */
  readonly timestamp: string;
  /** Take the log for one of this agent, even if few of its records are known entries. */
  readonly from?: Origin;
  readonly random?: Random;
}

/**
 * The bytes to append to a log, for entries that have neither id nor parent yet: each gets its place in the tree, and
 * one that an agent would reject is thrown as AppError, as is a log that nothing may be added to. Write them in one
 * call, at the end of the log. Holds the ids of the log.
 */
export async function append(log: Bytes, entries: readonly JsonObject[], options: AppendOptions): Promise<Uint8Array> {
  const given = optionsOf('append', options, {
    name: 'string',
    parentId: 'string',
    timestamp: 'checked later',
    from: ORIGINS,
    random: 'function',
  });
  const { name = '', timestamp, from, random = systemRandom } = given;
  requireTime('append', timestamp);
  const tail = new LogTail(name, random);
  const detection = new Detection(name, { from, rewriting: { anyVersion: true } });
  await tail.read(chunksOf('append', log), detection);
  let parentId = given.parentId ?? tail.leaf;
  const added = entries.map((entry, at) => {
    const [line] = linesIn(Buffer.from(`${toJson(entry)}\n`), at + 1, 0);
    const body = line ? readBody(line) : 'is blank';
    if (typeof body === 'string') throw new TypeError(`append: entry ${at} ${body}`);
    const made = tail.newEntry(body, parentId, timestamp);
    if (typeof made === 'string') throw new TypeError(`append: entry ${at} ${made}`);
    parentId = made.id;
    return made.raw;
  });
  return Buffer.from(added.join(''), 'latin1');
}
