import { openUnpacked } from '../files/unpack.ts';
import type { LogFormat, LogSource } from '../formats/format.ts';
import { Detection, type Identity, identifyDocument, requireReadable } from '../formats/index.ts';
import { nativeLog } from '../formats/native/convert.ts';
import { readLineBatches } from '../lines/reader.ts';
import { type ByteStore, documentStart } from '../log/byte-store.ts';
import { logSource } from '../log/open-log.ts';
import { scannerKind } from '../scanner/layout.ts';
import { logOptions } from '../shared/open-session.ts';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';

/** A log that is to be converted. */
export interface Convertible {
  readonly source: LogSource;
  readonly store: ByteStore;
  readonly format: Required<Pick<LogFormat, 'toNative'>>;
  /** Undefined for a log of ours. */
  readonly identity: Identity | undefined;
}

/** Opens FILE, or stdin for '-'. What a conversion would have to guess is refused. */
export async function openConvertible(name: string, from: string | undefined, io: Io): Promise<Convertible> {
  io.progress.file(name);
  const store = await openUnpacked(name, io);
  try {
    const identity = await identityOf(name, store, from);
    const format = identity ? requireReadable(name, identity.format) : nativeLog;
    if (identity?.certainty === 'probable' && from === undefined) {
      const { title, id } = identity.format;
      throw new AppError(
        `${name}: probably ${title}, but not surely; nothing was written; pass '--from ${id}' if it is`,
      );
    }
    const source = logSource(store, { ...logOptions(name, io), scanner: scannerKind(io.env) });
    return { source, store, format, identity };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function identityOf(name: string, store: ByteStore, from: string | undefined): Promise<Identity | undefined> {
  const start = await documentStart(store);
  const document = start && identifyDocument(name, start, from);
  if (document) return document;
  const detection = new Detection(name, { named: false, from, rewriting: { anyVersion: false } });
  for await (const lines of readLineBatches(store.chunks())) {
    detection.pass(lines);
    if (detection.open || detection.foreign) break;
  }
  detection.end();
  return detection.identity;
}
