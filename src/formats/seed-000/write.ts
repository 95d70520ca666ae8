import { stringOf } from '../../entries/entry-type.ts';
import { numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import type { ConversionReport, NativeSession, SessionSink } from '../format.ts';
import { reportLoss } from '../losses.ts';
import { modelMessageOf } from '../model-message.ts';
import { toSeed000 } from '../native/seed-000.ts';

/** All types that the design has; others are kept as custom entries. */
const TYPES: ReadonlySet<unknown> = new Set(['message', 'model_change', 'compaction', 'custom']);

/** Writes a path of a session in the first design of these logs. */
export async function writeSeed000(session: NativeSession, sink: SessionSink): Promise<ConversionReport['roundtrip']> {
  const { id, timestamp, cwd, version: _version, type, ...rest } = session.header;
  await sink.line({ type, id, timestamp, cwd, ...rest, version: 1 });
  let isExact = true;
  for await (const entry of session.entries()) {
    const { value } = entry;
    const parentId = value['parentId'] ?? id;
    const isKnown = TYPES.has(value['type']);
    if (hasMoreUsage(value)) reportLoss(sink, 'USAGE_REDUCED', 'info', entry);
    await sink.line(isKnown ? toSeed000({ ...value, parentId }) : asCustom({ ...value, parentId }));
    // What the model sees of another type is not seen in a custom entry.
    if (!isKnown) reportLoss(sink, 'ENTRY_AS_CUSTOM', modelMessageOf(value) ? 'lossy' : 'info', entry);
    sink.count(isKnown ? 'mapped' : 'custom');
    isExact &&= isKnown;
  }
  return isExact ? 'exact' : 'semantic';
}

function asCustom({ type, id, parentId, timestamp, ...data }: JsonObject): JsonObject {
  return { type: 'custom', id, parentId, timestamp, customType: `native/${stringOf(type)}`, data };
}

/** The design counts neither what the cache gave nor money. */
function hasMoreUsage({ message }: JsonObject): boolean {
  const usage = isObject(message) ? message['usage'] : undefined;
  if (!isObject(usage)) return false;
  const cost = objectOf(usage['cost']);
  return [usage['cacheRead'], usage['cacheWrite'], ...Object.values(cost)].some((one) => (numberOf(one) ?? 0) > 0);
}
