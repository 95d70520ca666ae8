import { openUnpacked } from '../files/unpack.ts';
import type { LogSource } from '../formats/format.ts';
import { type ByteStore, closedOnError } from '../log/byte-store.ts';
import { logSource, type OpenLogOptions } from '../log/open-log.ts';
import { logOptions } from '../shared/open-session.ts';
import type { Io } from '../util/io.ts';
import { type ConvertibleFormat, convertible } from './identify.ts';

/** A log that is to be converted. */
export interface Convertible extends ConvertibleFormat {
  readonly source: LogSource;
  readonly store: ByteStore;
  readonly onPhase: OpenLogOptions['onPhase'];
}

/** Opens FILE, or stdin for '-'. */
export async function openConvertible(name: string, from: string | undefined, io: Io): Promise<Convertible> {
  io.progress.file(name);
  const store = await openUnpacked(name, io);
  const options = logOptions(name, io);
  const source = logSource(store, options);
  const known = await closedOnError(store, () => convertible(name, store, from));
  return { source, store, onPhase: options.onPhase, ...known };
}
