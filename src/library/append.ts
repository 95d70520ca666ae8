import { entryLine, misfit, readBody } from '../entries/new-entry.ts';
import { Detection } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import { linesIn, readLineBatches } from '../lines/reader.ts';
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
    random: 'function',
  });
  const { name = '', timestamp, random = systemRandom } = given;
  requireTime('append', timestamp);
  const tail = new LogTail(name, random);
  const detection = new Detection(name, { rewriting: { anyVersion: true } });
  let parentId = await readTail(tail, chunksOf('append', log), detection, given.parentId);
  const added = entries.map((entry, at) => {
    const [line] = linesIn(Buffer.from(`${toJson(entry)}\n`), at + 1, 0);
    const body = line ? readBody(line) : 'is blank';
    if (typeof body === 'string') throw new TypeError(`append: entry ${at} ${body}`);
    const envelope = { id: tail.newId(), parentId, timestamp };
    const wrong = misfit(body, envelope, tail.version ?? 3, tail.dialect);
    if (wrong !== undefined) throw new TypeError(`append: entry ${at} ${wrong}`);
    parentId = envelope.id;
    return entryLine(body, envelope);
  });
  return Buffer.from(added.join(''), 'latin1');
}

/** Gives the id of the entry that the next one hangs from. */
async function readTail(
  tail: LogTail,
  chunks: AsyncIterable<Buffer>,
  detection: Detection,
  parentId?: string,
): Promise<string | null> {
  for await (const lines of readLineBatches(chunks)) for (const line of detection.pass(lines)) tail.see(line);
  for (const line of detection.end()) tail.see(line);
  tail.end();
  return parentId ?? tail.leaf;
}
