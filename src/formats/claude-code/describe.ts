import { asString, isObject, type JsonObject, objectsIn } from '../../json/value.ts';

/**
 * What a record is. Of those with the type 'user', a prompt was typed by a person, results are those of calls, a
 * command is the output of a local command, and meta is text of the agent itself.
 */
type ClaudeRecordKind =
  | 'prompt'
  | 'results'
  | 'command'
  | 'interrupt'
  | 'meta'
  | 'summary'
  | 'answer'
  | 'error'
  | 'boundary'
  | 'attachment'
  | 'side'
  | 'title'
  | 'other';

/** The types of records that form the tree. */
const CHAIN: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** Tags around the text of local commands, shells, background tasks and other agents. */
const WRAPPER =
  /^\s*(?:Another Claude session sent a message:\s*)?<(?:command-(?:name|message|args|contents)|local-command-[a-z]+|bash-(?:input|stdout|stderr)|user-memory-input|task-notification|agent-notification|teammate-message|cross-session-message|system-reminder|tick)(?: [^>]*)?>/;
const INTERRUPT = /^\[Request interrupted by user(?: for tool use)?\]$/;

const NOTHING: readonly never[] = [];

/** What the tree needs to know of one record. */
interface TreeFacts {
  readonly id: string | undefined;
  readonly parentId: string | null | undefined;
  readonly kind: ClaudeRecordKind;
  /** The ids of its calls, and of the calls of its results. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
  readonly timestamp: string | undefined;
}

export function isChainType(type: unknown): boolean {
  return CHAIN.has(type);
}

/** Whether an object on a damaged line is a whole record; many of those beside the tree have no time. */
export function isRecord({ type, uuid, parentUuid, sessionId, leafUuid, messageId }: JsonObject): boolean {
  if (typeof type !== 'string') return false;
  if (isChainType(type)) return typeof uuid === 'string' && (parentUuid === null || typeof parentUuid === 'string');
  return [sessionId, leafUuid, messageId].some((id) => typeof id === 'string');
}

export function describeRecord(record: JsonObject): TreeFacts {
  const kind = kindOf(record);
  const isMessage = kind !== 'other' && isObject(record['message']);
  const content = isMessage ? (record['message'] as JsonObject)['content'] : undefined;
  const blocks = objectsIn(content);
  return {
    id: asString(record['uuid']),
    parentId: record['parentUuid'] === null ? null : asString(record['parentUuid']),
    kind,
    calls: kind === 'answer' ? idsIn(blocks, 'tool_use', 'id') : NOTHING,
    results: kind === 'results' ? idsIn(blocks, 'tool_result', 'tool_use_id') : NOTHING,
    timestamp: asString(record['timestamp']),
  };
}

function idsIn(blocks: readonly JsonObject[], type: string, member: string): readonly string[] {
  const ids: string[] = [];
  for (const block of blocks) {
    const id = block['type'] === type ? block[member] : undefined;
    if (typeof id === 'string') ids.push(id);
  }
  return ids;
}

function kindOf(record: JsonObject): ClaudeRecordKind {
  switch (record['type']) {
    case 'user':
      return isObject(record['message']) ? userKind(record, record['message']['content']) : 'other';
    case 'assistant':
      if (!isObject(record['message'])) return 'other';
      return record['isApiErrorMessage'] === true ? 'error' : 'answer';
    case 'system':
      if (record['subtype'] === 'compact_boundary') return 'boundary';
      return record['subtype'] === 'local_command' && typeof record['content'] === 'string' ? 'command' : 'side';
    case 'attachment':
      return 'attachment';
    case 'progress':
      return 'side';
    case 'summary':
    case 'ai-title':
    case 'custom-title':
      return 'title';
    default:
      return 'other';
  }
}

function userKind(record: JsonObject, content: unknown): ClaudeRecordKind {
  const blocks: readonly JsonObject[] = Array.isArray(content)
    ? content.filter(isObject)
    : [{ type: 'text', text: content }];
  if (blocks.some(({ type }) => type === 'tool_result')) return 'results';
  if (record['isCompactSummary'] === true) return 'summary';
  if (blocks.length === 1 && isInterrupt(blocks[0]?.['text'])) return 'interrupt';
  if (record['isMeta'] === true) return 'meta';
  const first = blocks.find(({ type }) => type === 'text')?.['text'];
  if (isWrapped(first)) return 'command';
  const { origin } = record;
  return isObject(origin) && typeof origin['kind'] === 'string' && origin['kind'] !== 'human' ? 'command' : 'prompt';
}

export function isWrapped(text: unknown): boolean {
  return typeof text === 'string' && WRAPPER.test(text);
}

export function isInterrupt(text: unknown): boolean {
  return typeof text === 'string' && INTERRUPT.test(text);
}
