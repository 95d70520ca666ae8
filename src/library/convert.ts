import { convertInMemory } from '../convert/in-memory.ts';
import { type ConversionReport, KEEP } from '../formats/format.ts';
import { readFormats, writtenFormats } from '../formats/index.ts';
import { produce } from '../lines/produce.ts';
import { copyOf, inMemory } from '../log/byte-store.ts';
import { type Bytes, chunksOf, optionsOf, systemRandom } from './arguments.ts';

export interface ConvertLogOptions {
  /** What messages call the log; without it they start with none. */
  readonly name?: string;
  /** The format of the log; found by its content by default. */
  readonly from?: string;
  /** The format to write; 'pi' by default. */
  readonly to?: string;
  /** What is kept of records that have no counterpart: 'meta' by default. */
  readonly keep?: (typeof KEEP)[number];
  /** One of several sessions that the log has. */
  readonly session?: string;
}

/**
 * Any agent's session in another format, as bytes; the generator returns what became of the records. Files beside the
 * log, such as those of subagents, are not available and count as losses. Holds the log and what it becomes.
 */
export function convert(
  source: Bytes,
  options?: ConvertLogOptions,
): AsyncGenerator<Uint8Array, ConversionReport | undefined, void> {
  const given = optionsOf('convert', options, {
    name: 'string',
    from: readFormats(),
    to: writtenFormats(),
    keep: KEEP,
    session: 'string',
  });
  const chunks = chunksOf('convert', source);
  const { name = '', from, to = 'pi', keep = 'meta', session } = given;
  const settings = { name, random: systemRandom, from, to, keep, session };
  return produce(async (out) => await convertInMemory(inMemory(await copyOf(chunks)), settings, out));
}
