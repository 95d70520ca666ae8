import { isCount, numberOf } from '../../json/exact.ts';
import type { JsonObject } from '../../json/value.ts';
import { shortJson } from '../../util/to-json.ts';
import { NO_BLOCKS, type RecordChecks, type RecordFacts, type RecordIssue } from '../format.ts';
import { memberIssue, unknownType } from '../issues.ts';
import { NUMBERED_LEVELS } from '../rule-table.ts';

/** The required string members of each type. */
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    session_meta: [],
    context: [],
    user: ['text'],
    assistant_started: [],
    assistant_finished: ['text'],
    reasoning_finished: ['text'],
    tool_started: ['call_id', 'name'],
    tool_finished: ['call_id', 'status'],
    cancelled: [],
    failed: [],
    session_renamed: ['title'],
  }),
);
const ROLES: ReadonlyMap<string, RecordFacts['role']> = new Map(
  Object.entries({
    user: 'user',
    assistant_finished: 'assistant',
    reasoning_finished: 'assistant',
    tool_started: 'assistant',
    tool_finished: 'result',
  } as const),
);
const VERSION = 1;

function describe(record: JsonObject): RecordFacts {
  const { schema_version: version, seq, time, type, call_id: callId } = record;
  const issues: RecordIssue[] = [];
  const kind = typeof type === 'string' ? type : '';
  if (typeof type !== 'string') issues.push(memberIssue('type', type, 'a string'));
  else if (!TEXTS.has(kind)) issues.push(unknownType(kind));
  if (!isCount(seq)) issues.push(memberIssue('seq', seq, 'a whole number'));
  if (version === undefined) issues.push(memberIssue('schema_version', version, 'a number'));
  else if (numberOf(version) !== VERSION) {
    const message = `schema_version ${shortJson(version)} is unknown; the known version is ${VERSION}`;
    issues.push({ rule: 'unknown-version', path: 'schema_version', message });
  }
  for (const member of TEXTS.get(kind) ?? [])
    if (typeof record[member] !== 'string') issues.push(memberIssue(member, record[member], 'a string'));
  if (kind === 'session_meta' && typeof record['session_id'] !== 'string') {
    const found = record['session_id'] === undefined ? 'is missing' : 'is not a string';
    issues.push({ rule: 'bad-header', path: 'session_id', message: `the header's session_id ${found}` });
  }
  const role = ROLES.get(kind);
  const use = kind === 'tool_started' ? 'call' : kind === 'tool_finished' ? 'result' : undefined;
  return {
    isInConversation: role !== undefined,
    isHeader: kind === 'session_meta',
    conversation: '',
    role,
    blocks: use && typeof callId === 'string' ? [{ kind: use, path: 'call_id', callId }] : NO_BLOCKS,
    timestamp: time,
    ordinal: numberOf(seq),
    issues,
  };
}

export const checks: RecordChecks = {
  levels: {
    ...NUMBERED_LEVELS,
    'missing-header': 'error',
    'late-header': 'error',
    'second-header': 'warning',
    'bad-header': 'error',
    'unknown-version': 'error',
  },
  isRecord: ({ seq, type }) => typeof type === 'string' && numberOf(seq) !== undefined,
  describe,
};
