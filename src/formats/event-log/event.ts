import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { CAMEL } from './event-type.ts';

const ENVELOPE = ['id', 'sessionId', 'seq', 'ts', 'type', 'causationId', 'correlationId', 'payload', 'data'];
/** Members that may wrap the members of an event. */
const WRAPPERS = ['payload', 'data'];

/** The members that are read of each type of event; others are kept, and counted. */
const MEMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'user.message': 'text',
    'model.requested': 'model provider',
    'model.responded': 'text model provider requestId usage inputTokens outputTokens status error',
    'tool.intent.created': 'toolCallId toolName arguments',
    'policy.decision.requested': 'toolCallId',
    'policy.decided': 'toolCallId decision',
    'policy.approved': 'toolCallId',
    'policy.denied': 'toolCallId',
    'user.approval.requested': 'toolCallId',
    'user.approval.granted': 'toolCallId',
    'user.approval.denied': 'toolCallId',
    'intent.rejected': 'toolCallId reason',
    'tool.started': 'toolCallId toolName',
    'tool.finished': 'toolCallId toolName status exitCode artifactRefs observationRef sideEffect',
    'observation.projected': 'toolCallId text observationRef isError',
    'context.compaction.started': '',
    'context.compaction.finished': 'summary replacedRange',
    'verification.started': 'command',
    'verification.finished': 'status command',
    'session.started': 'cwd title model provider',
    'session.paused': 'reason',
    'session.resumed': 'reason',
    'session.completed': 'reason',
    'session.failed': 'reason',
    'budget.exhausted': 'reason',
  }),
);

/** Other spellings. CamelCase becomes dotted first. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'message.user': 'user.message',
    'assistant.message': 'model.responded',
    'model.response': 'model.responded',
    'model.request': 'model.requested',
    'tool.intent': 'tool.intent.created',
    'policy.rejected': 'policy.denied',
    'user.approval.approved': 'user.approval.granted',
    'user.approval.rejected': 'user.approval.denied',
    'tool.intent.rejected': 'intent.rejected',
    'context.compacted': 'context.compaction.finished',
    'session.interrupted': 'session.paused',
    'budget.exceeded': 'budget.exhausted',
  }),
);

export function canonicalType(type: unknown): string {
  if (typeof type !== 'string') return '';
  const dotted = CAMEL.test(type) ? type.replace(/(?<=.)([A-Z])/g, '.$1').toLowerCase() : type;
  return ALIASES.get(dotted) ?? dotted;
}

export function isKnownType(type: string): boolean {
  return MEMBERS.has(type);
}

/** The path of a member: at the top, or in a wrapper; empty where it is missing. */
export function pathOf(event: JsonObject, member: string): readonly string[] {
  if (event[member] !== undefined) return [member];
  const wrapper = WRAPPERS.find((key) => isObject(event[key]) && (event[key] as JsonObject)[member] !== undefined);
  return wrapper === undefined ? [] : [wrapper, member];
}

export function memberOf(event: JsonObject, member: string): unknown {
  const [outer, inner] = pathOf(event, member);
  if (outer === undefined) return undefined;
  return inner === undefined ? event[outer] : (event[outer] as JsonObject)[inner];
}

/** The number of members that are not read; 0 for an unknown type, of which all is kept. */
export function countUnread(event: JsonObject, type: string): number {
  const members = MEMBERS.get(type);
  if (members === undefined) return 0;
  const known = new Set([...ENVELOPE, ...members.split(' ')]);
  const wrapped = WRAPPERS.flatMap((key) => (isObject(event[key]) ? Object.keys(event[key] as JsonObject) : []));
  return [...Object.keys(event), ...wrapped].filter((key) => !known.has(key)).length;
}

export function decisionOf(type: string, event: JsonObject): string | undefined {
  if (/^(?:policy\.decision|user\.approval)\.requested$/.test(type)) return 'requested';
  if (type === 'policy.approved' || type === 'user.approval.granted') return 'approved';
  if (type === 'policy.denied' || type === 'user.approval.denied' || type === 'intent.rejected') return 'denied';
  if (type !== 'policy.decided') return undefined;
  const word = stringOf(memberOf(event, 'decision'));
  if (/^(?:allow|approve|grant|accept|permit|auto)/i.test(word)) return 'approved';
  if (/^(?:den|reject|refus|block|forbid|disallow)/i.test(word)) return 'denied';
  return /^(?:ask|prompt|require|pending|confirm|escalat|defer)/i.test(word) ? 'requested' : word || 'unknown';
}
