import { convertible } from '../convert/identify.ts';
import { type Target, writePath } from '../convert/outgoing.ts';
import { countingSource } from '../formats/counting-source.ts';
import { type ConversionReport, KEEP } from '../formats/format.ts';
import { foreignFormats, ORIGINS, readFormats, requireFit, writtenFormats } from '../formats/index.ts';
import { ByteWriter } from '../lines/writer.ts';
import { type ByteStore, copyOf, inMemory, memoryScratch } from '../log/byte-store.ts';
import { type NativeForm, sessionForm } from '../log/native-form.ts';
import { logSource, openForm, openLog } from '../log/open-log.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { type Bytes, chunksOf, optionsOf, systemRandom } from './arguments.ts';
import { outputTo, produce } from './produce.ts';
import { eachPlainly, UNNAMED } from './unnamed.ts';

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
  return eachPlainly(produce(async (write) => await converted(inMemory(await copyOf(chunks)), given, write)));
}

async function converted(
  store: ByteStore,
  { name = UNNAMED, from, to = 'pi', keep = 'meta', session }: ConvertLogOptions,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<ConversionReport | undefined> {
  const options = { name, random: systemRandom, onWarning: () => {}, scratch: memoryScratch };
  const log = logSource(store, options);
  const { format, identity } = await convertible(name, store, from);
  const target = foreignFormats.find((one): one is Target => one.id === to && one.fromNative !== undefined);
  const dialect = ORIGINS.find((one) => one === to) ?? 'pi';
  const form = async (): Promise<NativeForm> => {
    const made = await sessionForm(log, format, { ...options, dialect, keep, session });
    if (identity) requireFit(name, identity, made.report);
    return made;
  };
  if (!target) {
    const { store: native, report } = await form();
    for await (const chunk of native.chunks()) await write(Buffer.from(chunk));
    return report;
  }
  const native = identity ? await form() : undefined;
  const open = native ? await openForm(native, options) : await openLog(store, { ...options, from, session });
  const { chunks, facts } = countingSource(log);
  for await (const _chunk of chunks);
  const outgoing = { log: open, chunks: () => (native?.store ?? store).chunks(), allLeaves: false };
  const out = new ByteWriter(outputTo(write));
  const counts = { bytes: native?.report?.source ?? facts(), damaged: native ? 0 : open.damage.length };
  const report = await writePath({ ...outgoing, ...counts }, await lastEntry(open), target, {
    out,
    asset: undefined,
    embed: false,
  });
  await out.flush();
  return report;
}
