import { countingSource } from '../formats/counting-source.ts';
import type { ConversionReport, KEEP } from '../formats/format.ts';
import { originOf, requireFit } from '../formats/index.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { type ByteStore, memoryScratch } from '../log/byte-store.ts';
import { type NativeForm, sessionForm } from '../log/native-form.ts';
import { logSource, openForm, openLog } from '../log/open-log.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { convertible } from './identify.ts';
import { targetOf, writePath } from './outgoing.ts';

interface InMemoryOptions {
  readonly name: string;
  readonly random: (bytes: number) => Uint8Array;
  readonly from: string | undefined;
  readonly to: string;
  readonly keep: (typeof KEEP)[number];
  readonly session: string | undefined;
}

/** Converts the log in a store, for callers without files. */
export async function convertInMemory(
  store: ByteStore,
  { from, to, keep, session, ...about }: InMemoryOptions,
  out: ByteWriter,
): Promise<ConversionReport | undefined> {
  const { name } = about;
  const options = { ...about, onWarning: () => {}, scratch: memoryScratch };
  const log = logSource(store, options);
  const { format, identity } = await convertible(name, store, from);
  const target = targetOf(to);
  const dialect = originOf(to) ?? 'pi';
  const form = async (): Promise<NativeForm> => {
    const made = await sessionForm(log, format, { ...options, dialect, keep, session });
    if (identity) requireFit(name, identity, made.report);
    return made;
  };
  if (!target) {
    const { store: native, report } = await form();
    for await (const chunk of native.chunks()) await out.put(Buffer.from(chunk));
    return report;
  }
  const native = identity ? await form() : undefined;
  const open = native ? await openForm(native, options) : await openLog(store, { ...options, from, session });
  const { chunks, facts } = countingSource(log);
  for await (const _chunk of chunks);
  const outgoing = { log: open, chunks: () => (native?.store ?? store).chunks(), allLeaves: false };
  const counts = { bytes: native?.report?.source ?? facts(), damaged: native ? 0 : open.damage.length };
  const written = { out, asset: undefined, embed: false };
  return await writePath({ ...outgoing, ...counts }, await lastEntry(open), target, written);
}
