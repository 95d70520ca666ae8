import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, listOf } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import { type BlockFacts, NO_FACTS, type RecordChecks, type RecordFacts, type RecordIssue } from '../format.ts';
import { type RuleTable, tableChecks } from '../rule-table.ts';
import { isCall, outcomeOf } from './blocks.ts';

const LINE_LOST = 'Goose silently skips a line that it cannot read: the message is lost to the model.';
const AS_IT_IS = 'Goose sends what it has; providers reject a request whose calls and results do not pair up.';

/** How severe each finding is, and what Goose's own code does with it. */
const TABLE: RuleTable = {
  'torn-line': ['error', LINE_LOST],
  'glued-entries': ['error', `${LINE_LOST} It does not split the line.`],
  'nul-bytes': ['error', LINE_LOST],
  'invalid-utf8': ['error', LINE_LOST],
  'byte-order-mark': ['error', 'Goose cannot read the first line then, and loses what it says of the session.'],
  'not-json': ['error', LINE_LOST],
  'not-an-object': ['warning', 'Goose skips the line, and nothing else is lost.'],
  'missing-final-newline': [
    'warning',
    'Goose wrote the file as a whole, so that nothing is appended to its last line.',
  ],
  'oversize-line': ['warning', 'Goose skips lines of more than 5 MiB.'],
  'blank-line': ['warning', 'Goose skips the line, and nothing else is lost.'],
  'missing-header': [
    'warning',
    'Goose takes the first line for a message then; folder and name of the session are lost.',
  ],
  'missing-field': ['error', LINE_LOST],
  'wrong-type': ['error', LINE_LOST],
  'unknown-block': ['error', 'Goose skips the whole message, with all of its other content.'],
  'orphan-result': ['warning', AS_IT_IS],
  'result-before-call': ['warning', AS_IT_IS],
  'duplicate-call-id': ['warning', AS_IT_IS],
  'duplicate-result': ['warning', AS_IT_IS],
  'unanswered-call': ['warning', 'Goose removes the call before it sends the session again.'],
};

const BLOCKS: ReadonlySet<unknown> = new Set(
  `text image toolRequest toolResponse toolConfirmationRequest actionRequired frontendToolRequest thinking
  redactedThinking reasoning systemNotification conversationCompacted contextLengthExceeded summarizationRequested`.split(
    /\s+/,
  ),
);

function isHeader({ role, content, working_dir: cwd, description }: JsonObject): boolean {
  return role === undefined && content === undefined && (cwd !== undefined || description !== undefined);
}

function describe(record: JsonObject): RecordFacts {
  if (isHeader(record)) return { ...NO_FACTS, isHeader: true };
  const { role } = record;
  const blocks = listOf(record['content']).flatMap((block, at) =>
    isObject(block) ? [blockFacts(block, `content[${at}]`)] : [],
  );
  const isResult = blocks.some(({ kind }) => kind === 'result');
  return {
    ...NO_FACTS,
    isInConversation: true,
    role: role === 'assistant' ? 'assistant' : role === 'user' ? (isResult ? 'result' : 'user') : undefined,
    blocks,
    issues: issuesOf(record),
  };
}

function blockFacts(block: JsonObject, path: string): BlockFacts {
  const { type, id, text, thinking } = block;
  if (type === 'text') return { kind: 'text', path, isEmpty: stringOf(text) === '' };
  if (type === 'thinking') return { kind: 'thinking', path, isEmpty: stringOf(thinking) === '', isSigned: true };
  if (type === 'image') return { kind: 'image', path };
  if (type === 'toolResponse') return { kind: 'result', path, callId: stringOf(id) };
  // A call with an error also gets a result.
  if (isCall(block)) return { kind: 'call', path, callId: stringOf(id) };
  return { kind: BLOCKS.has(type) ? 'other' : 'unknown', path };
}

function issuesOf({ role, content, created }: JsonObject): readonly RecordIssue[] {
  const issues: RecordIssue[] = [];
  const need = (path: string, value: unknown, isRight: boolean, kind: string): void => {
    if (value === undefined) issues.push({ rule: 'missing-field', path, message: `has no ${path}` });
    else if (!isRight) issues.push({ rule: 'wrong-type', path, message: `expected ${kind} at ${path}` });
  };
  need('role', role, role === 'user' || role === 'assistant', "'user' or 'assistant'");
  need('created', created, typeof created === 'number', 'a number');
  need('content', content, Array.isArray(content), 'a list');
  if (!Array.isArray(content)) return issues;
  content.forEach((block: unknown, at) => {
    const path = `content[${at}]`;
    if (!isObject(block)) issues.push({ rule: 'wrong-type', path, message: `expected an object at ${path}` });
    else if (!BLOCKS.has(block['type']))
      issues.push({
        rule: 'unknown-block',
        path,
        message: `the content type ${toJson(block['type'] ?? null)} is unknown`,
      });
    else if (block['type'] === 'toolResponse' && outcomeOf(block['toolResult']).value === undefined)
      if (!isObject(block['toolResult']) || block['toolResult']['status'] !== 'error')
        issues.push({ rule: 'missing-field', path: `${path}.toolResult`, message: `has no result at ${path}` });
  });
  return issues;
}

export const checks = {
  ...tableChecks(TABLE),
  isRecord: (value) => isHeader(value) || (typeof value['role'] === 'string' && Array.isArray(value['content'])),
  describe,
} satisfies RecordChecks;
