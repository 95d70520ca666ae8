import { stringOf } from '../../entries/entry-type.ts';
import { isCount } from '../../json/exact.ts';
import { isObject, type JsonObject, listOf } from '../../json/value.ts';
import { shortJson } from '../../util/to-json.ts';
import { type BlockFacts, NO_BLOCKS, NO_ISSUES, type RecordFacts, type RecordIssue } from '../format.ts';
import { memberIssue, unknownType } from '../issues.ts';
import { isEnvelopeType, isItemType } from './envelope.ts';
import { isRemote } from './items.ts';

const TEXT = 'a string';
/** The members that Codex requires, by the type of the item or record, and what each has to be. */
const REQUIRED: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map<string, Record<string, string>>([
  ['message', { role: TEXT, content: 'a list' }],
  ['reasoning', { summary: 'a list' }],
  ['function_call', { name: TEXT, arguments: TEXT, call_id: TEXT }],
  ['function_call_output', { call_id: TEXT, output: 'a string or a list' }],
  ['custom_tool_call', { name: TEXT, input: TEXT, call_id: TEXT }],
  ['custom_tool_call_output', { call_id: TEXT, output: 'a string or a list' }],
  ['local_shell_call', { action: 'an object' }],
  ['compacted', { message: TEXT }],
]);
/** The same for the header. */
const HEADER_MEMBERS = ['id', 'timestamp', 'cwd', 'originator', 'cli_version'];
const HISTORY_MODES: ReadonlySet<unknown> = new Set([undefined, null, 'legacy', 'paginated']);
const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'input_image', 'input_audio']);
/** Codex skips a record that is nested deeper. */
const DEEPEST = 127;
const HALF_PAIR = 1;
const TOO_DEEP = 2;

/** The members that describeRecord reads. Flaws may be anywhere, but a line with one is always read in full. */
export const reads = {
  members: `timestamp ordinal type payload record_type id call_id role name action summary replacement_history
    history_mode cwd originator cli_version execution`.split(/\s+/),
  texts: ['content', 'text', 'output', 'arguments', 'input', 'message'],
};

const HALF_COMPACTION: RecordIssue = {
  rule: 'half-compaction',
  path: 'payload.replacement_history',
  message: 'the compaction does not say what stays in view: its summary takes the place of all answers before it',
};

export function isPaginated(header: JsonObject): boolean {
  return isObject(header['payload']) && header['payload']['history_mode'] === 'paginated';
}

/** Describes a record: in an envelope, or bare in the versions of 2025. */
export function describeRecord(record: JsonObject): RecordFacts {
  const { type, payload } = record;
  if (!('payload' in record) && !isEnvelopeType(type)) {
    if (typeof type === 'string' && !('timestamp' in record)) return describeItem(record, record, '', type);
    if (type === undefined && ('record_type' in record || typeof record['id'] === 'string')) return bare(record);
  }
  const issues = envelopeIssues(record);
  const kind = inferredType(record) ?? stringOf(type);
  if (!isObject(payload)) return factsOf(record, { issues });
  if (kind === 'response_item') return describeItem(record, payload, 'payload.', stringOf(payload['type']), issues);
  if (kind === 'session_meta') return describeHeader(record, payload, issues);
  if (kind === 'compacted') {
    requireMembers(kind, payload, 'payload.', issues);
    if (!Array.isArray(payload['replacement_history'])) issues.push(HALF_COMPACTION);
    return factsOf(record, { issues, isInConversation: true });
  }
  if (typeof type === 'string' && !isEnvelopeType(type)) issues.push(unknownType(type));
  return factsOf(record, { issues });
}

/** The header of the first Rust versions, and their records between the items. */
function bare(record: JsonObject): RecordFacts {
  const isHeader = !('record_type' in record);
  return { ...factsOf(record, { isHeader }), timestamp: null };
}

type Known = Partial<Pick<RecordFacts, 'isInConversation' | 'isHeader' | 'role' | 'blocks' | 'issues' | 'content'>>;

/** Always with the same members in the same order, which is faster. */
function factsOf(record: JsonObject, known: Known): RecordFacts {
  const { ordinal, timestamp } = record;
  return {
    isInConversation: known.isInConversation === true,
    isHeader: known.isHeader === true,
    conversation: '',
    role: known.role,
    blocks: known.blocks ?? NO_BLOCKS,
    // A value that is no string is another finding.
    timestamp: typeof timestamp === 'string' ? timestamp : null,
    // Any other value is a finding of its own.
    ordinal: typeof ordinal === 'number' ? ordinal : (ordinal ?? undefined) === undefined ? undefined : null,
    content: known.content,
    issues: known.issues ?? NO_ISSUES,
  };
}

function envelopeIssues(record: JsonObject): RecordIssue[] {
  const issues: RecordIssue[] = [];
  const { timestamp, type, payload, ordinal } = record;
  if (typeof timestamp !== 'string') issues.push(memberIssue('timestamp', timestamp, 'a string'));
  if (typeof type !== 'string') issues.push(memberIssue('type', type, 'a string', inferredType(record)));
  if (!isObject(payload)) issues.push(memberIssue('payload', payload, 'an object'));
  if (ordinal !== undefined && ordinal !== null && !isCount(ordinal))
    issues.push(memberIssue('ordinal', ordinal, 'a whole number'));
  addFlaws(record, type === 'response_item' || type === 'compacted', issues);
  return issues;
}

function describeHeader(record: JsonObject, payload: JsonObject, issues: RecordIssue[]): RecordFacts {
  for (const member of HEADER_MEMBERS) {
    if (typeof payload[member] === 'string') continue;
    const found = payload[member] === undefined ? 'is missing' : 'is not a string';
    issues.push({ rule: 'bad-header', path: `payload.${member}`, message: `the header's ${member} ${found}` });
  }
  const mode = payload['history_mode'];
  if (!HISTORY_MODES.has(mode)) {
    const message = `history_mode ${shortJson(mode)} is unknown; the known modes are legacy and paginated`;
    issues.push({ rule: 'unknown-version', path: 'payload.history_mode', message });
  }
  const facts = factsOf(record, { issues, isHeader: true });
  return { ...facts, ordinal: facts.ordinal ?? (isPaginated(record) ? null : undefined) };
}

function describeItem(
  record: JsonObject,
  item: JsonObject,
  at: '' | 'payload.',
  type: string,
  issues: RecordIssue[] = [],
): RecordFacts {
  if (!isItemType(type))
    issues.push(type === '' ? memberIssue(`${at}type`, item['type'], 'a string') : unknownType(type, `${at}type`));
  requireMembers(type, item, at, issues);
  if (type === 'message') messageIssues(item, at, issues);
  if (at === '') addFlaws(record, true, issues);
  const isResult = type.endsWith('_output');
  const { role } = item;
  const author = role === 'user' || role === 'assistant' ? role : undefined;
  return factsOf(record, {
    issues,
    blocks: toolBlocks(item, at, type),
    isInConversation: true,
    role: isResult ? 'result' : type.endsWith('_call') || type === 'reasoning' ? 'assistant' : author,
    content: item,
  });
}

/** The call or result of an item; none for one that the provider ran. */
function toolBlocks(item: JsonObject, at: string, type: string): readonly BlockFacts[] {
  const isCall = type.endsWith('_call');
  if (!(isCall || type.endsWith('_output')) || isRemote(type, item)) return NO_BLOCKS;
  const member = type === 'local_shell_call' && typeof item['call_id'] !== 'string' ? 'id' : 'call_id';
  const callId = item[member];
  if (typeof callId !== 'string') return NO_BLOCKS;
  const path = `${at}${member}`;
  return [isCall ? { kind: 'call', path, callId, callType: type } : { kind: 'result', path, callId }];
}

function requireMembers(type: string, item: JsonObject, at: string, issues: RecordIssue[]): void {
  const required = REQUIRED.get(type);
  for (const member in required) {
    const value = item[member];
    const isText = member === 'call_id' || member === 'role';
    if (value === undefined || value === null || (isText && typeof value !== 'string')) {
      const inferred = member === 'role' ? inferredRole(item) : undefined;
      issues.push(memberIssue(`${at}${member}`, value, required[member] ?? '', inferred));
    }
  }
}

function messageIssues({ content }: JsonObject, at: string, issues: RecordIssue[]): void {
  const path = `${at}content`;
  if (!Array.isArray(content)) {
    if (content !== undefined && content !== null) issues.push(memberIssue(path, content, 'a list'));
    return;
  }
  if (content.length === 0) issues.push({ rule: 'empty-block', path, message: 'the message has no content' });
  for (let index = 0; index < content.length; index++) {
    const part: unknown = content[index];
    const type = isObject(part) ? part['type'] : undefined;
    if (!isObject(part) || !CONTENT_TYPES.has(type)) {
      const message = `the content type ${shortJson(type ?? part)} is unknown`;
      issues.push({ rule: 'unknown-block', path: `${path}[${index}]`, message });
    } else if (type === 'input_text' || type === 'output_text') {
      const { text } = part;
      if (typeof text !== 'string') issues.push(memberIssue(`${path}[${index}].text`, text, 'a string'));
      else if (text === '')
        issues.push({
          rule: 'empty-block',
          path: `${path}[${index}]`,
          message: 'the text is empty',
          severity: 'warning',
        });
    }
  }
}

/** The type of a record without one, where its payload can only be an item. */
function inferredType({ type, payload }: JsonObject): string | undefined {
  if (typeof type === 'string' || !isObject(payload)) return undefined;
  // Events may have this type too.
  return isItemType(payload['type']) && payload['type'] !== 'agent_message' ? 'response_item' : undefined;
}

/** The role of a message without one, by the type of its text. */
function inferredRole({ content }: JsonObject): string | undefined {
  const [first] = listOf(content);
  const type = isObject(first) ? first['type'] : undefined;
  return type === 'output_text' ? 'assistant' : type === 'input_text' ? 'user' : undefined;
}

/** Codex skips a record with a flaw; only the loss of items and compactions is an error. */
function addFlaws(record: JsonObject, isInConversation: boolean, issues: RecordIssue[]): void {
  const flaws = flawsIn(record, DEEPEST);
  const severity = isInConversation ? 'error' : 'warning';
  const add = (rule: string, message: string): number => issues.push({ rule, path: '', message, severity });
  if ((flaws & HALF_PAIR) !== 0)
    add('lone-surrogate', 'a string has half of a surrogate pair, as an escape; Codex skips the record');
  if ((flaws & TOO_DEEP) !== 0) add('deep-nesting', `nested more than ${DEEPEST} levels deep; Codex skips the record`);
}

/** The flaws anywhere in a value, down to so many levels. */
function flawsIn(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.isWellFormed() ? 0 : HALF_PAIR;
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return TOO_DEEP;
  let flaws = 0;
  for (const key in value) flaws |= flawsIn((value as JsonObject)[key], levels - 1);
  return flaws;
}
