import { asString, isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { imageSize } from '../../util/image-size.ts';
import { type BlockFacts, NO_BLOCKS, NO_ISSUES, type RecordFacts, type RecordIssue, UNNAMED } from '../format.ts';
import { isChainType } from './describe.ts';

/** Block types without checks of their own. */
const OTHER_BLOCKS: ReadonlySet<unknown> = new Set(
  'redacted_thinking document search_result server_tool_use mcp_tool_use container_upload compaction fallback connector_text'.split(
    ' ',
  ),
);

export const reads = {
  members: `type subtype uuid parentUuid leafUuid timestamp isSidechain agentId isMeta isCompactSummary thinkingDisplay
    compactMetadata preservedMessages uuids preservedSegment headUuid tailUuid
    message role id tool_use_id source data`.split(/\s+/),
  texts: ['content', 'text', 'thinking', 'signature'],
};

export function describeChecked(record: JsonObject): RecordFacts {
  const { type, uuid } = record;
  const isChain = isChainType(type) && (uuid !== undefined || type !== 'progress');
  if (isChain || (typeof type !== 'string' && uuid !== undefined)) return chainFacts(record);
  const issues = typeof type === 'string' ? NO_ISSUES : typeIssue(record);
  const base = { isInConversation: false, conversation: '', blocks: NO_BLOCKS, issues };
  // The agent skips a record of an unknown type, and all below it.
  if (typeof uuid === 'string')
    return { ...base, id: uuid, parentId: parentOf(record), timestamp: record['timestamp'] };
  return type === 'last-prompt' ? { ...base, leaf: asString(record['leafUuid']) } : base;
}

/** The type of a record, inferred where it is missing. */
function typeOf({ type, message, attachment, subtype }: JsonObject): string | undefined {
  if (typeof type === 'string') return type;
  if (isObject(message))
    return message['role'] === 'user' || message['role'] === 'assistant' ? message['role'] : undefined;
  if (isObject(attachment)) return 'attachment';
  return typeof subtype === 'string' ? 'system' : undefined;
}

function chainFacts(record: JsonObject): RecordFacts {
  const { uuid, message, isSidechain, agentId, timestamp } = record;
  const type = typeOf(record);
  const isMessage = type === 'user' || type === 'assistant';
  const content = isObject(message) ? message['content'] : undefined;
  const blocks = isMessage ? blocksOf(content, record) : NO_BLOCKS;
  const isBoundary = type === 'system' && record['subtype'] === 'compact_boundary';
  return {
    isInConversation: true,
    conversation: isSidechain === true ? (asString(agentId) ?? UNNAMED) : '',
    id: asString(uuid),
    parentId: parentOf(record),
    // Subagents without an id share a conversation, and each starts with a root.
    mayBeRoot: isBoundary || (isSidechain === true && record['parentUuid'] === null),
    messageId: type === 'assistant' && isObject(message) ? asString(message['id']) : undefined,
    role: isMessage ? roleOf(record, type, blocks) : undefined,
    blocks,
    timestamp: timestamp ?? undefined,
    isSummary: record['isCompactSummary'] === true,
    issues: issuesOf(record, isMessage, isBoundary),
    ...(isBoundary ? { compaction: { kept: keptBy(record['compactMetadata']), isWhole: false } } : {}),
  };
}

function parentOf({ parentUuid }: JsonObject): string | null | undefined {
  return parentUuid === null ? null : asString(parentUuid);
}

/** Texts of the agent itself have the type 'user'; they are no prompts. */
function roleOf({ isMeta }: JsonObject, type: string, blocks: readonly BlockFacts[]): RecordFacts['role'] {
  if (type === 'assistant') return 'assistant';
  if (blocks.some(({ kind }) => kind === 'result')) return 'result';
  return isMeta === true ? undefined : 'user';
}

/** The records that a compaction keeps in view. */
function keptBy(metadata: unknown): readonly string[] {
  const { preservedMessages, preservedSegment } = objectOf(metadata);
  const kept = isObject(preservedMessages) ? preservedMessages['uuids'] : undefined;
  if (Array.isArray(kept)) return kept.filter((id) => typeof id === 'string');
  if (!isObject(preservedSegment)) return [];
  return [preservedSegment['headUuid'], preservedSegment['tailUuid']].filter((id) => typeof id === 'string');
}

function blocksOf(content: unknown, record: JsonObject): readonly BlockFacts[] {
  if (content === '') return [{ kind: 'text', path: 'message.content', isEmpty: true }];
  if (!Array.isArray(content)) return NO_BLOCKS;
  if (content.length === 0) return [{ kind: 'text', path: 'message.content', isEmpty: true }];
  const blocks: BlockFacts[] = [];
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at];
    if (isObject(block)) addBlock(blocks, block, `message.content[${at}]`, record);
  }
  return blocks;
}

function addBlock(blocks: BlockFacts[], block: JsonObject, path: string, record: JsonObject): void {
  const { type, text, thinking, signature, id, tool_use_id: answered, content } = block;
  switch (type) {
    case 'text':
      blocks.push({ kind: 'text', path, isEmpty: typeof text !== 'string' || text === '' });
      return;
    case 'thinking':
      blocks.push({
        kind: 'thinking',
        path,
        // The API accepts empty thinking that it was asked to leave out.
        isEmpty: (typeof thinking !== 'string' || thinking === '') && record['thinkingDisplay'] !== 'omitted',
        isSigned: typeof signature === 'string' && signature !== '',
      });
      return;
    case 'tool_use':
      blocks.push({ kind: 'call', path, callId: asString(id) });
      return;
    case 'tool_result':
      blocks.push({ kind: 'result', path, callId: asString(answered) });
      addImages(blocks, content, path);
      return;
    case 'image':
      blocks.push(imageFacts(block, path));
      return;
    default:
      blocks.push({ kind: OTHER_BLOCKS.has(type) || isToolResult(type) ? 'other' : 'unknown', path });
  }
}

/** Results of the provider's own tools, one type for each tool. */
function isToolResult(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result');
}

function addImages(blocks: BlockFacts[], content: unknown, path: string): void {
  if (!Array.isArray(content)) return;
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at];
    if (isObject(block) && block['type'] === 'image') blocks.push(imageFacts(block, `${path}.content[${at}]`));
  }
}

function imageFacts(block: JsonObject, path: string): BlockFacts {
  const data = imageData(block);
  return { kind: 'image', path, ...(data === undefined ? {} : { image: { length: data.length, ...imageSize(data) } }) };
}

export function imageData({ source }: JsonObject): string | undefined {
  return isObject(source) && source['type'] === 'base64' ? asString(source['data']) : undefined;
}

function issuesOf(record: JsonObject, isMessage: boolean, isBoundary: boolean): readonly RecordIssue[] {
  const { type, uuid, parentUuid, message } = record;
  if (typeof type === 'string' && typeof uuid === 'string' && (typeof parentUuid === 'string' || parentUuid === null)) {
    if (!isMessage) return isBoundary ? boundaryIssues(record) : NO_ISSUES;
    if (isObject(message) && hasPlainContent(message)) return NO_ISSUES;
  }
  const issues: RecordIssue[] = typeof type === 'string' ? [] : typeIssue(record);
  need(issues, uuid, 'uuid', typeof uuid === 'string', 'a string');
  need(issues, parentUuid, 'parentUuid', typeof parentUuid === 'string' || parentUuid === null, 'a string or null');
  if (isMessage) need(issues, message, 'message', isObject(message), 'an object');
  if (isMessage && isObject(message)) messageIssues(issues, message, asString(type));
  return issues;
}

/** True for most messages, which need no further checks. */
function hasPlainContent({ role, content }: JsonObject): boolean {
  if (typeof role !== 'string') return false;
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every(isWhole);
}

function isWhole(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type } = block;
  if (type === 'tool_use') return typeof block['id'] === 'string';
  if (type === 'tool_result') return typeof block['tool_use_id'] === 'string';
  return type === 'text' || type === 'thinking' || type === 'image' || OTHER_BLOCKS.has(type) || isToolResult(type);
}

function messageIssues(issues: RecordIssue[], { role, content }: JsonObject, type: string | undefined): void {
  need(issues, role, 'message.role', typeof role === 'string', 'a string', type);
  const isContent = typeof content === 'string' || Array.isArray(content);
  need(issues, content, 'message.content', isContent, 'a string or an array');
  if (!Array.isArray(content)) return;
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at];
    const path = `message.content[${at}]`;
    need(issues, block, path, isObject(block), 'an object');
    if (!isObject(block) || isWhole(block)) continue;
    const { type, id, tool_use_id: answered } = block;
    if (type === 'tool_use') need(issues, id, `${path}.id`, false, 'a string');
    else if (type === 'tool_result') need(issues, answered, `${path}.tool_use_id`, false, 'a string');
    else if (typeof type !== 'string') need(issues, type, `${path}.type`, false, 'a string');
    else issues.push({ rule: 'unknown-block', path, message: `the content block has the unknown type '${type}'` });
  }
}

function need(
  issues: RecordIssue[],
  value: unknown,
  path: string,
  isRight: boolean,
  wanted: string,
  inferred?: string,
): void {
  if (isRight) return;
  if (value === undefined) issues.push({ rule: 'missing-field', path, message: `${path} is missing`, inferred });
  else issues.push({ rule: 'wrong-type', path, message: `${path} is not ${wanted}`, inferred });
}

/** Only a warning for a record that cannot be a parent: nothing else is lost with it. */
function typeIssue(record: JsonObject): RecordIssue[] {
  const issues: RecordIssue[] = [];
  need(issues, record['type'], 'type', false, 'a string', typeOf(record));
  return record['uuid'] === undefined ? issues.map((issue) => ({ ...issue, severity: 'warning' })) : issues;
}

/** The metadata says what the compaction has kept. */
function boundaryIssues({ compactMetadata }: JsonObject): readonly RecordIssue[] {
  if (isObject(compactMetadata)) return NO_ISSUES;
  return [{ rule: 'half-compaction', path: 'compactMetadata', message: 'the compaction does not say what it kept' }];
}
