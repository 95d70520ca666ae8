import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { sessionUuid } from '../../util/uuid.ts';
import type { RecordEditor } from '../format.ts';
import { describeChecked, imageData } from './checked-facts.ts';

/** Members that every record of a conversation repeats. */
const COMMON = 'isSidechain agentId userType entrypoint cwd sessionId version gitBranch slug timestamp'.split(' ');

export const edit: RecordEditor = {
  paths: {
    id: 'uuid',
    parentId: 'parentUuid',
    messageId: 'message.id',
    timestamp: 'timestamp',
    leaf: 'leafUuid',
  },
  callIdPath: ({ kind, path }) => `${path}.${kind === 'call' ? 'id' : 'tool_use_id'}`,
  newId: (seed) => sessionUuid('claude-code', seed),
  /** As Claude Code writes it for an open call when it resumes a session. */
  result: (call, { callId, id, parentId, text }) => {
    const content = [{ type: 'tool_result', content: text, is_error: true, tool_use_id: callId }];
    const common = COMMON.flatMap((key) => (Object.hasOwn(call, key) ? [[key, call[key]]] : []));
    return {
      parentUuid: parentId ?? null,
      type: 'user',
      message: { role: 'user', content },
      uuid: id,
      toolUseResult: text,
      toolDenialKind: 'interrupted',
      // Another record of the answer may have the call.
      ...(makes(call, callId) ? { sourceToolAssistantUUID: call['uuid'] } : {}),
      ...Object.fromEntries(common),
    };
  },
  imageData,
  textBlock: (text) => ({ type: 'text', text }),
  keptOnly: ({ compactMetadata }, has) => {
    const { preservedMessages, preservedSegment } = compactMetadata as JsonObject;
    const isThere = (id: unknown): boolean => typeof id === 'string' && has(id);
    const listed = objectOf(preservedMessages);
    const ends = isObject(preservedSegment) ? [preservedSegment['headUuid'], preservedSegment['tailUuid']] : [];
    const left = (Array.isArray(listed['uuids']) ? listed['uuids'] : ends).filter(isThere);
    if (left.length === 0) return undefined;
    const changes = new Map<string, unknown>();
    for (const key of ['uuids', 'allUuids']) {
      const ids = listed[key];
      if (Array.isArray(ids) && !ids.every(isThere))
        changes.set(`compactMetadata.preservedMessages.${key}`, ids.filter(isThere));
    }
    if (ends.length > 0 && !isThere(ends[0])) changes.set('compactMetadata.preservedSegment.headUuid', left[0]);
    if (ends.length > 0 && !isThere(ends[1])) changes.set('compactMetadata.preservedSegment.tailUuid', left.at(-1));
    return changes;
  },
};

/** A cache: a record may have many calls. */
const callsOf = new WeakMap<JsonObject, ReadonlySet<string | undefined>>();

function makes(record: JsonObject, callId: string): boolean {
  const calls =
    callsOf.get(record) ??
    new Set(describeChecked(record).blocks.flatMap(({ kind, callId }) => (kind === 'call' ? [callId] : [])));
  callsOf.set(record, calls);
  return calls.has(callId);
}
