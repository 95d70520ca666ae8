import { asString, type JsonObject, objectOf, objectsIn, parseObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';

/** An id, and the position of the entry that it leads to. */
export type NamedPosition = readonly [id: string, position: number];

/** The ids that another agent has for parts of an entry: for an answer, its records, its texts and its calls. */
export async function sourceIds(log: Log): Promise<NamedPosition[]> {
  const found: NamedPosition[] = [];
  const all = Array.from({ length: log.index.size }, (_, position) => position);
  await log.forEachEntry(all, ({ position, value }) => {
    const { target, fields } = objectOf(value['data']);
    const at = typeof target === 'string' ? (log.index.definitions(target)[0] ?? position) : position;
    const records = objectOf(fields)['uuids'];
    const ids = Array.isArray(records) ? records : partsOf(objectOf(value['message']));
    for (const id of ids) if (typeof id === 'string' && id !== '') found.push([id, at]);
  });
  return found;
}

function partsOf({ role, responseId, content }: JsonObject): unknown[] {
  if (role !== 'assistant') return [];
  return [
    responseId,
    ...objectsIn(content).map(({ id, textSignature }) => id ?? parseObject(asString(textSignature) ?? '')?.['id']),
  ];
}
