import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, listOf, objectOf } from '../../json/value.ts';
import { imageSize } from '../../util/image-size.ts';
import { type BlockFacts, NO_FACTS, type RecordChecks, type RecordFacts, type RecordIssue } from '../format.ts';
import { memberIssue, missingIssue } from '../issues.ts';
import { levelsOf } from '../rule-table.ts';

const PARTS: ReadonlySet<unknown> = new Set(
  'text reasoning tool file step-start step-finish snapshot patch agent subtask retry compaction'.split(' '),
);
const STATES: ReadonlySet<unknown> = new Set(['pending', 'running', 'completed', 'error']);

/** How the messages of a session are checked. A call and its result are one part, so no pair can be broken. */
export const checks: RecordChecks = {
  levels: levelsOf(
    'torn-line not-json invalid-utf8 oversize-line missing-field wrong-type duplicate-id',
    'unknown-role unknown-block unanswered-call oversize-image',
  ),
  // It has no lines that could be damaged.
  isRecord: () => true,
  describe,
};

/** The first record is the session, the others are its messages. */
function describe(record: JsonObject): RecordFacts {
  const info = objectOf(record['info']);
  const isSession = record['parts'] === undefined && info['role'] === undefined;
  if (isSession) return { ...NO_FACTS, isHeader: true };
  const { id, role } = info;
  return {
    ...NO_FACTS,
    isInConversation: true,
    id: typeof id === 'string' ? id : undefined,
    role: role === 'user' || role === 'assistant' ? role : undefined,
    blocks: listOf(record['parts']).flatMap((part, at) => (isObject(part) ? blocksOf(part, `parts[${at}]`) : [])),
    issues: [...issuesOf(record)],
  };
}

function* issuesOf(record: JsonObject): Generator<RecordIssue> {
  const info = objectOf(record['info']);
  if (!isObject(record['info'])) yield missingIssue('info');
  else {
    for (const key of ['id', 'role', 'time']) if (info[key] === undefined) yield missingIssue(`info.${key}`);
    if (info['role'] !== undefined && info['role'] !== 'user' && info['role'] !== 'assistant')
      yield { rule: 'unknown-role', path: 'info.role', message: `the role '${stringOf(info['role'])}' is unknown` };
  }
  const { parts } = record;
  if (!Array.isArray(parts)) yield memberIssue('parts', parts, 'a list');
  else for (const [at, part] of parts.entries()) yield* partIssues(part, `parts[${at}]`);
}

function* partIssues(part: unknown, path: string): Generator<RecordIssue> {
  if (!isObject(part)) {
    yield { rule: 'wrong-type', path, message: 'a part is not an object' };
    return;
  }
  const { type, text, callID, tool, state } = part;
  if (!PARTS.has(type)) yield { rule: 'unknown-block', path, message: `the part '${stringOf(type)}' is unknown` };
  if ((type === 'text' || type === 'reasoning') && typeof text !== 'string')
    yield { rule: 'wrong-type', path: `${path}.text`, message: "'text' is not a text" };
  if (type !== 'tool') return;
  for (const [key, value] of Object.entries({ callID, tool }))
    if (typeof value !== 'string') yield { ...missingIssue(key), path: `${path}.${key}` };
  if (!STATES.has(objectOf(state)['status']))
    yield { rule: 'wrong-type', path: `${path}.state.status`, message: 'the status of the call is unknown' };
}

function blocksOf(part: JsonObject, path: string): BlockFacts[] {
  const { type, text, callID, state, url, mime } = part;
  if (type === 'text' || type === 'reasoning')
    return [{ kind: type === 'text' ? 'text' : 'thinking', path, isEmpty: text === '' }];
  if (type === 'file' && typeof url === 'string' && stringOf(mime).startsWith('image/') && url.startsWith('data:')) {
    const data = url.slice(url.indexOf(',') + 1);
    return [{ kind: 'image', path: `${path}.url`, image: { length: data.length, ...imageSize(data) } }];
  }
  if (type !== 'tool') return [{ kind: PARTS.has(type) ? 'other' : 'unknown', path }];
  const callId = stringOf(callID);
  const { status } = objectOf(state);
  const call: BlockFacts = { kind: 'call', path, callId };
  return status === 'completed' || status === 'error' ? [call, { kind: 'result', path, callId }] : [call];
}
