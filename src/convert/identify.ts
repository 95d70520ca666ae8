import type { LogFormat } from '../formats/format.ts';
import { type Identity, requireReadable } from '../formats/index.ts';
import { nativeLog } from '../formats/native/convert.ts';
import type { ByteStore } from '../log/byte-store.ts';
import { detect } from '../log/detect.ts';
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
  const detection = await detect(name, store, { from, rewriting: { anyVersion: false } });
  detection.end();
  const { identity } = detection;
  const format = identity ? requireReadable(name, identity.format) : nativeLog;
  if (identity?.certainty === 'probable' && from === undefined) {
    const { title, id } = identity.format;
    throw new LogError(name, `probably ${title}, but not surely; nothing was written; pass '--from ${id}' if it is`);
  }
  return { format, identity };
}
