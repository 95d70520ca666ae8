import type { Damage } from '../../entries/damage.ts';
import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, listOf } from '../../json/value.ts';
import {
  type BlockFacts,
  NO_FACTS,
  type RecordChecks,
  type RecordFacts,
  type RecordIssue,
  type ViewChange,
} from '../format.ts';
import { missingIssue, unknownType } from '../issues.ts';
import { type RuleTable, tableChecks } from '../rule-table.ts';
import { readMessage } from './message.ts';
import { partsOf } from './parts.ts';

const REFUSED = "Gemini CLI 0.61 does not find the session: 'No previous sessions found for this project'";
const LINE_LOST = 'Gemini CLI 0.61 silently skips the line: a message is lost, and with a call its results too.';

/** How severe each finding is, and what Gemini CLI 0.61 did with it when it was put into a healthy session. */
const TABLE: RuleTable = {
  'torn-line': ['error', `${LINE_LOST} At the end it adds that the answer was interrupted.`],
  'glued-entries': ['error', `${LINE_LOST} No version splits the line.`],
  'nul-bytes': ['error', `${LINE_LOST} NULs after the last line are harmless.`],
  'invalid-utf8': [
    'error',
    'Gemini CLI 0.61 reads another character in its place, also in ids: a result loses its call.',
  ],
  'byte-order-mark': ['error', `${REFUSED}.`],
  'not-json': ['warning', 'Gemini CLI 0.61 skips the line, and nothing else is lost.'],
  'not-an-object': ['warning', 'Gemini CLI 0.61 skips the line, and nothing else is lost.'],
  'missing-final-newline': [
    'warning',
    'Gemini CLI 0.61 writes its next record onto the last line, and then all messages anew: nothing is lost.',
  ],
  'oversize-line': ['error', 'Gemini CLI 0.61 hid the whole conversation behind a line of 50 MB.'],
  'blank-line': ['warning', 'Gemini CLI 0.61 skips the line, and nothing else is lost.'],
  'missing-header': ['error', `${REFUSED}.`],
  'bad-header': ['error', `${REFUSED}, without a sessionId or a projectHash.`],
  'missing-field': [
    'error',
    'Gemini CLI 0.61 skips a message without an id, and the results of its calls have none then.',
  ],
  'unknown-entry-type': ['warning', 'Gemini CLI 0.61 leaves the message out of what it sends.'],
  'orphan-result': ['error', 'Gemini CLI 0.61 sends the result without its call, which the API rejects.'],
  'unanswered-call': ['error', 'Gemini CLI 0.61 leaves out what follows the call: 7 of 25 parts were gone.'],
  'no-conversation': [
    'warning',
    `${REFUSED}. Each resume leaves such a file behind. It is an error where answers were lost: to a list of messages, or to a rewind to a message that it does not know.`,
  ],
  'dangling-link': ['error', 'Gemini CLI 0.61 takes back all messages before a rewind to one that it does not know.'],
};

const TYPES: ReadonlySet<unknown> = new Set('user gemini info error warning'.split(' '));

function isRecord(value: JsonObject): boolean {
  return (
    'projectHash' in value || '$set' in value || '$rewindTo' in value || ('timestamp' in value && 'content' in value)
  );
}

function describe(record: JsonObject): RecordFacts {
  const { id, type, $set: change, $rewindTo: rewind } = record;
  if (typeof rewind === 'string')
    return { ...NO_FACTS, view: { takesFrom: { path: '$rewindTo', id: rewind }, adds: [] } };
  if (isObject(change)) return { ...NO_FACTS, ...describeList(change['messages']) };
  if (type === undefined && id === undefined) return { ...NO_FACTS, ...describeHeader(record) };
  const issues: RecordIssue[] = [];
  if (typeof id !== 'string') issues.push(missingIssue('id'));
  if (!TYPES.has(type)) issues.push(unknownType(type));
  const role = roleOf(record);
  const facts = { ...NO_FACTS, id: stringOf(id) || undefined, blocks: blocksOf(record, ''), issues };
  const view = typeof id === 'string' ? { view: { adds: [{ id, role }] } } : {};
  return { ...facts, ...view, isInConversation: role !== undefined, role };
}

/** Undefined for a message that is not sent to the model. */
function roleOf(message: JsonObject): RecordFacts['role'] {
  const { kind } = readMessage(message);
  return kind === 'model' ? 'assistant' : kind === 'results' ? 'result' : kind === 'user' ? 'user' : undefined;
}

function describeHeader(record: JsonObject): Pick<RecordFacts, 'isHeader' | 'issues'> {
  const missing = ['sessionId', 'projectHash'].filter((member) => typeof record[member] !== 'string');
  // A record with neither member is no header.
  if (missing.length === 2) return { isHeader: false, issues: [] };
  const issues = missing.map((path) => ({ rule: 'bad-header', path, message: `the header's ${path} is missing` }));
  return { isHeader: true, issues };
}

/** The calls and results of a list of messages, which repeats earlier ones. */
function describeList(messages: unknown): Pick<RecordFacts, 'isInConversation' | 'blocks' | 'view'> {
  if (!Array.isArray(messages)) return { isInConversation: false, blocks: [] };
  const blocks: BlockFacts[] = [];
  const adds: ViewChange['adds'][number][] = [];
  for (const [at, message] of messages.entries()) {
    if (!isObject(message)) continue;
    if (typeof message['id'] === 'string') adds.push({ id: message['id'], role: roleOf(message) });
    blocks.push(...blocksOf(message, `$set.messages[${at}].`));
  }
  return { isInConversation: adds.some(({ role }) => role !== undefined), blocks, view: { takesAll: true, adds } };
}

/** Calls and results, in the content and beside it. */
function blocksOf(message: JsonObject, at: string): readonly BlockFacts[] {
  const blocks: BlockFacts[] = [];
  const add = (kind: 'call' | 'result', path: string, id: unknown): void => {
    if (typeof id === 'string' && id !== '') blocks.push({ kind, path: `${at}${path}`, callId: id });
  };
  for (const [index, part] of partsOf(message['content']).entries()) {
    const { functionCall, functionResponse } = part;
    if (isObject(functionCall)) add('call', `content[${index}].functionCall.id`, functionCall['id']);
    if (isObject(functionResponse)) add('result', `content[${index}].functionResponse.id`, functionResponse['id']);
  }
  const { toolCalls } = message;
  for (const [index, call] of listOf(toolCalls).entries()) {
    if (!isObject(call)) continue;
    add('call', `toolCalls[${index}].id`, call['id']);
    if ((call['result'] ?? '') !== '') add('result', `toolCalls[${index}].result`, call['id']);
  }
  return blocks;
}

/** Only a lost message is an error; a line that does not show what it was counts as one. */
function damageSeverity(damage: Damage, raw: string): 'error' | 'warning' | undefined {
  if (damage !== 'torn-line' && damage !== 'glued-entries' && damage !== 'nul-bytes') return undefined;
  const isChange = /^[\0\s]*\{"\$set":\{"(?:lastUpdated|sessionId|summary|directories)":/.test(raw);
  return !raw.includes('{') || (isChange && !/"id":|"messages":/.test(raw)) ? 'warning' : 'error';
}

export const checks: RecordChecks = {
  ...tableChecks(TABLE),
  isRecord,
  describe,
  damageSeverity,
};
