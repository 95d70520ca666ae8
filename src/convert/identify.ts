import type { LogFormat } from '../formats/format.ts';
import { Detection, type Identity, identifyDocument, requireReadable } from '../formats/index.ts';
import { nativeLog } from '../formats/native/convert.ts';
import { readLineBatches } from '../lines/reader.ts';
import { type ByteStore, documentStart } from '../log/byte-store.ts';
import { LogError } from '../util/errors.ts';

export interface ConvertibleFormat {
  readonly format: Required<Pick<LogFormat, 'toNative'>>;
  /** Undefined for a native log. */
  readonly identity: Identity | undefined;
}

/** The format of a log that is to be converted; one that is only probable is refused. */
export async function convertible(
  name: string,
  store: ByteStore,
  from: string | undefined,
): Promise<ConvertibleFormat> {
  const identity = await identityOf(name, store, from);
  const format = identity ? requireReadable(name, identity.format) : nativeLog;
  if (identity?.certainty === 'probable' && from === undefined) {
    const { title, id } = identity.format;
    throw new LogError(name, `probably ${title}, but not surely; nothing was written; pass '--from ${id}' if it is`);
  }
  return { format, identity };
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
