import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { shortJson } from '../../util/to-json.ts';
import { type BlockFacts, NO_FACTS, type RecordChecks, type RecordFacts, type RecordIssue } from '../format.ts';
import { levelsOf } from '../rule-table.ts';
import { isoTime, millisecondsOf } from '../times.ts';

const ERRORS = `torn-line glued-entries nul-bytes invalid-utf8 not-json not-an-object missing-header late-header bad-header
  missing-field wrong-type`;
const WARNINGS = `byte-order-mark blank-line oversize-line second-header unknown-entry-type unknown-role bad-timestamp
  orphan-result result-before-call duplicate-call-id duplicate-result unanswered-call`;

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'tool']);

class Description {
  readonly issues: RecordIssue[] = [];
  readonly blocks: BlockFacts[] = [];

  /** Whether a member is a string; adds an issue where it is not. */
  text(value: unknown, path: string, rule?: string): value is string {
    if (typeof value === 'string') return true;
    const message = value === undefined ? `${path} is missing` : `${path} is not a string: ${shortJson(value)}`;
    this.issues.push({ rule: rule ?? (value === undefined ? 'missing-field' : 'wrong-type'), path, message });
    return false;
  }

  calls(calls: unknown): void {
    if (calls === undefined) return;
    const path = 'message.toolCalls';
    if (!Array.isArray(calls)) this.issues.push({ rule: 'wrong-type', path, message: `${path} is not a list` });
    else for (const [at, call] of calls.entries()) this.#call(call, `${path}[${at}]`);
  }

  #call(call: unknown, path: string): void {
    const { id, function: called } = objectOf(call);
    if (this.text(id, `${path}.id`)) this.blocks.push({ kind: 'call', path, callId: id });
    const { name, arguments: json } = objectOf(called);
    this.text(name, `${path}.function.name`);
    this.text(json, `${path}.function.arguments`);
  }
}

function describe(record: JsonObject): RecordFacts {
  const { type, message } = record;
  const found = new Description();
  const { issues, blocks } = found;
  const facts = { ...NO_FACTS, blocks, issues };
  if (type === 'session') {
    for (const key of ['harness', 'id']) found.text(record[key], key, 'bad-header');
    return { ...facts, isHeader: true };
  }
  if (!found.text(type, 'type') || type !== 'message') {
    if (typeof type === 'string')
      issues.push({ rule: 'unknown-entry-type', path: 'type', message: `unknown type ${shortJson(type)}` });
    return facts;
  }
  if (!isObject(message)) {
    const rule = message === undefined ? 'missing-field' : 'wrong-type';
    issues.push({ rule, path: 'message', message: `message is ${message === undefined ? 'missing' : 'no object'}` });
    return { ...facts, isInConversation: true };
  }
  const { role, content, reasoningContent, toolCalls, toolCallId, timestamp, model } = message;
  if (found.text(role, 'message.role') && !ROLES.has(role))
    issues.push({ rule: 'unknown-role', path: 'message.role', message: `unknown role ${shortJson(role)}` });
  found.text(content, 'message.content');
  if (reasoningContent !== undefined) found.text(reasoningContent, 'message.reasoningContent');
  if (model !== undefined) found.text(model, 'message.model');
  found.calls(toolCalls);
  if (role === 'tool' && found.text(toolCallId, 'message.toolCallId'))
    blocks.push({ kind: 'result', path: 'message', callId: toolCallId });
  const author = role === 'user' || role === 'assistant' ? role : undefined;
  return { ...facts, isInConversation: true, role: role === 'tool' ? 'result' : author, timestamp: timeOf(timestamp) };
}

/** Times are optional, and numbers; a text is read too. */
function timeOf(timestamp: unknown): unknown {
  if (timestamp === undefined) return null;
  const time = typeof timestamp === 'number' ? millisecondsOf(timestamp) : undefined;
  return time === undefined ? timestamp : isoTime(time);
}

export const checks: RecordChecks = {
  levels: levelsOf(ERRORS, WARNINGS),
  isRecord: ({ type }) => type === 'session' || type === 'message',
  describe,
};
