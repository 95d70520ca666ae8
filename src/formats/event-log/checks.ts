import { stringOf } from '../../entries/entry-type.ts';
import { isCount, numberOf, parseExact } from '../../json/exact.ts';
import { isObject, type JsonObject, listOf } from '../../json/value.ts';
import { shortJson } from '../../util/to-json.ts';
import {
  type FileFacts,
  type NearLog,
  NO_BLOCKS,
  type RecordChecks,
  type RecordFacts,
  type RecordIssue,
  type SnapshotFacts,
} from '../format.ts';
import { memberIssue, unknownType } from '../issues.ts';
import { readNear } from '../near-file.ts';
import { NUMBERED_LEVELS } from '../rule-table.ts';
import { artifactPath, artifactRefs, FOLDER } from './artifacts.ts';
import { canonicalType, isKnownType, memberOf, pathOf } from './event.ts';

/** The required string members of each type. */
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['user.message', ['text']],
  ['tool.intent.created', ['toolCallId', 'toolName']],
  ['tool.finished', ['status']],
]);
/** Events that follow up on other events. */
const FOLLOWING = /^(?:policy|user\.approval|intent|observation)\.|^tool\.(?:started|finished)$|\.finished$/;
const STATES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'session.started': 'running',
    'session.resumed': 'running',
    'session.paused': 'paused',
    'session.completed': 'completed',
    'session.failed': 'failed',
  }),
);
const SNAPSHOTS = 'snapshots';
/** Only the newest ones are checked: a program resumes from them. */
const MOST_SNAPSHOTS = 16;
const MOST_SNAPSHOT_BYTES = 16 * 1024 * 1024;

function describe(event: JsonObject): RecordFacts {
  const { id, seq, ts, sessionId } = event;
  const issues: RecordIssue[] = [];
  const type = canonicalType(event['type']);
  for (const member of ['id', 'sessionId', 'type'])
    if (typeof event[member] !== 'string') issues.push(memberIssue(member, event[member], 'a string'));
  if (!isCount(seq)) issues.push(memberIssue('seq', seq, 'a whole number'));
  if (type !== '' && !isKnownType(type)) issues.push(unknownType(event['type']));
  for (const member of TEXTS.get(type) ?? []) {
    const value = memberOf(event, member);
    if (typeof value !== 'string')
      issues.push(memberIssue(pathOf(event, member).join('.') || member, value, 'a string'));
  }
  const call = stringOf(memberOf(event, 'toolCallId'));
  const use = type === 'tool.started' ? 'call' : type === 'tool.finished' ? 'result' : undefined;
  const path = pathOf(event, 'toolCallId').join('.');
  const role = type === 'user.message' ? 'user' : type === 'model.responded' ? 'assistant' : undefined;
  const group = stringOf(event['correlationId']);
  const isFollowing = FOLLOWING.test(type);
  const files = filesOf(event, stringOf(sessionId), issues);
  return {
    isInConversation: role !== undefined || use !== undefined,
    conversation: '',
    id: typeof id === 'string' ? id : undefined,
    role,
    blocks: use && call !== '' ? [{ kind: use, path, callId: call }] : NO_BLOCKS,
    timestamp: typeof ts === 'number' ? null : ts,
    ordinal: numberOf(seq),
    names: [
      ...(type === 'tool.intent.created' && call !== '' ? [call] : []),
      ...(isFollowing || group === '' ? [] : [group]),
    ],
    links: [
      ...linkOf(event, 'causationId'),
      ...(isFollowing ? linkOf(event, 'correlationId') : []),
      ...(isFollowing && call !== '' ? [{ path, name: call }] : []),
    ],
    files,
    state: STATES.get(type),
    issues,
  };
}

function linkOf(event: JsonObject, member: string): NonNullable<RecordFacts['links']> {
  const name = stringOf(event[member]);
  return name === '' ? [] : [{ path: member, name }];
}

function filesOf(event: JsonObject, session: string, issues: RecordIssue[]): readonly FileFacts[] {
  return artifactRefs(event).flatMap(({ ref, path, sha256 }) => {
    const file = artifactPath(ref, session);
    if (file !== undefined) return [{ path, file, folder: FOLDER, sha256 }];
    const message = `${shortJson(ref)} names no file in the artifacts of this session`;
    issues.push({ rule: 'bad-artifact-ref', path, message });
    return [];
  });
}

async function snapshots({ sessionId }: JsonObject, log: NearLog): Promise<readonly SnapshotFacts[]> {
  const files = (await log.list(SNAPSHOTS, false)).filter((file) => /state-\d+\.json$/.test(file));
  const found: SnapshotFacts[] = [];
  for (const file of files.slice(-MOST_SNAPSHOTS)) {
    const value = await documentIn(log, file);
    if (value === undefined) found.push({ file, ordinal: undefined, problem: 'is no JSON object' });
    else if (value['sessionId'] !== undefined && value['sessionId'] !== sessionId)
      found.push({ file, ordinal: undefined, problem: `is of the session ${shortJson(value['sessionId'])}` });
    else found.push(snapshotFacts(file, value));
  }
  return found;
}

function snapshotFacts(file: string, value: JsonObject): SnapshotFacts {
  const state = isObject(value['state']) ? value['state'] : value;
  const ordinal = numberOf(value['seq']) ?? numberOf(state['seq']);
  if (ordinal === undefined) return { file, ordinal, problem: "has no 'seq'" };
  const open = state['pendingToolCalls'] ?? state['pendingIntents'] ?? state['pendingActions'];
  const ids = listOf(open).map((one) =>
    isObject(one) ? stringOf(one['toolCallId']) || stringOf(one['id']) : stringOf(one),
  );
  return {
    file,
    ordinal,
    lastId: stringOf(value['lastEventId']) || undefined,
    state: stringOf(state['status']) || undefined,
    openCalls: ids.filter((id) => id !== ''),
  };
}

async function documentIn(log: NearLog, path: string): Promise<JsonObject | undefined> {
  const bytes = await readNear(log, path, MOST_SNAPSHOT_BYTES, SNAPSHOTS);
  return bytes && parseExact(bytes.toString('utf8'));
}

export const checks: RecordChecks = {
  levels: {
    ...NUMBERED_LEVELS,
    'duplicate-id': 'error',
    'dangling-link': 'warning',
    'bad-artifact-ref': 'error',
    'missing-artifact': 'warning',
    'damaged-artifact': 'error',
    'snapshot-mismatch': 'warning',
  },
  isRecord: ({ id, seq, type }) => typeof id === 'string' && typeof type === 'string' && numberOf(seq) !== undefined,
  describe,
  snapshots,
};
