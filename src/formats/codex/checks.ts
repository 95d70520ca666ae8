import { createHash } from 'node:crypto';
import type { Damage } from '../../entries/damage.ts';
import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { NearLog, RecordChecks, RecordEditor, RecordIssue } from '../format.ts';
import { type RuleTable, tableChecks } from '../rule-table.ts';
import { isEnvelopeType } from './envelope.ts';
import { describeRecord, isPaginated, reads } from './facts.ts';
import { findRollout } from './near.ts';

const REFUSED = 'Codex 0.166 and 0.98 refuse to resume the whole session';
const LINE_LOST =
  'Codex 0.166 and 0.98 silently skip the line: a message is lost to the model, of a call the result as well. A skipped event costs nothing.';

/** How severe each finding is, and what Codex 0.166 and 0.98 did with it when it was put into a healthy rollout. */
const TABLE: RuleTable = {
  'torn-line': ['error', LINE_LOST],
  'glued-entries': ['error', `${LINE_LOST} No version splits the line.`],
  'nul-bytes': ['error', `${LINE_LOST} NULs after the last line are harmless.`],
  'invalid-utf8': ['error', `${REFUSED}: 'stream did not contain valid UTF-8'.`],
  'byte-order-mark': ['error', `${REFUSED}: it 'does not start with session metadata'.`],
  'not-json': ['warning', 'Codex 0.166 and 0.98 skip the line, and nothing else is lost.'],
  'not-an-object': ['warning', 'Codex 0.166 skips the line, and nothing else is lost.'],
  'missing-final-newline': [
    'error',
    'Codex 0.166 starts its next record on a new line. Codex 0.98 writes it onto the last one, and both are lost at the resume after that.',
  ],
  'oversize-line': ['warning', 'Codex 0.166 reads a line of 50 MB; only the check leaves it out.'],
  'blank-line': ['warning', 'Codex 0.166 and 0.98 skip the line, and nothing else is lost.'],
  'missing-header': ['error', `${REFUSED}: it 'does not start with session metadata'.`],
  'late-header': ['error', 'Codex 0.166 refuses to resume the session; 0.98 finds the header on a later line.'],
  'second-header': ['warning', 'Codex 0.166 goes by the first one. Forks of older versions have several.'],
  'bad-header': [
    'error',
    "Codex 0.166 refuses to resume a session without an id, a cwd, a timestamp, an originator or a cli_version: it 'does not start with session metadata'.",
  ],
  'unknown-version': [
    'error',
    "Codex 0.166 refuses to resume the session: 'unknown variant, expected legacy or paginated'.",
  ],
  'missing-field': ['error', 'Codex 0.166 and 0.98 silently skip a record that lacks what they need.'],
  'wrong-type': ['error', 'Codex 0.166 silently skips a record that has another kind of value than it needs.'],
  'unknown-entry-type': ['warning', 'Codex 0.166 and 0.98 skip the record, and nothing else is lost.'],
  'unknown-block': ['error', 'Codex 0.166 skips the whole message, with all of its other content.'],
  'empty-block': [
    'error',
    'Codex 0.166 and 0.98 send a message without content, which the API rejects. A message with an empty text is sent as it is.',
  ],
  'bad-timestamp': ['warning', 'Codex 0.166 resumes the session with everything in it.'],
  'lone-surrogate': ['error', LINE_LOST],
  'deep-nesting': ['error', `${LINE_LOST} The limit is 127 levels.`],
  'missing-ordinal': [
    'error',
    "Codex 0.166 refuses to resume a paginated session: the 'final paginated rollout record is missing an ordinal'. On any other record it does not mind.",
  ],
  'ordinal-order': [
    'warning',
    'Codex 0.166 resumes the session and counts on from the last ordinal. Programs that show the session stop at a number that comes twice.',
  ],
  'missing-base': ['error', "Codex 0.166 refuses to resume the fork: 'invalid paginated history lineage'."],
  'duplicate-record': ['warning', 'Codex 0.166 sends both to the model.'],
  'orphan-result': ['error', 'Codex 0.166 and 0.98 silently drop the result.'],
  'result-before-call': ['warning', 'Codex 0.166 sends the result before its call.'],
  'duplicate-call-id': ['error', 'Codex 0.166 and 0.98 send both calls, and the API rejects the request.'],
  'duplicate-result': ['error', 'Codex 0.166 and 0.98 send both results, and the API rejects the request.'],
  'unanswered-call': ['warning', "Codex 0.166 and 0.98 send the call with a made-up result, 'aborted'."],
  'half-compaction': [
    'warning',
    'Codex 0.166 puts its summary in the place of all answers and calls before it: 18 of 27 blocks were gone. Versions of 2025 wrote such records.',
  ],
};

/** Whether an object is an envelope: objects inside one never have all of these. */
function isRecord({ type, timestamp, payload }: JsonObject): boolean {
  return typeof type === 'string' && typeof timestamp === 'string' && isObject(payload);
}

/** Only lost items and compactions are errors; a line that does not show what it was counts as one. */
function damageSeverity(damage: Damage, raw: string): 'error' | 'warning' | undefined {
  if (damage !== 'torn-line' && damage !== 'glued-entries' && damage !== 'nul-bytes') return undefined;
  if (/"type":"(?:session_meta|response_item|compacted)"/.test(raw)) return 'error';
  const types = [...raw.matchAll(/"type":"(\w+)"/g)].filter(([, type]) => isEnvelopeType(type)).length;
  const begun = raw.match(/\{"timestamp":/g)?.length ?? 0;
  return (types > 0 && types >= begun) || !raw.includes('{') ? 'warning' : 'error';
}

/** A fork names the rollout that it continues, and how many bytes of it. */
async function near({ payload }: JsonObject, open: () => Promise<NearLog>): Promise<readonly RecordIssue[]> {
  const base = isObject(payload) ? payload['history_base'] : undefined;
  if (!isObject(base)) return [];
  const { thread_id: id, end_byte_offset: end } = base;
  const issue = (message: string): RecordIssue[] => [{ rule: 'missing-base', path: 'payload.history_base', message }];
  const log = await open();
  const path = await findRollout(log, stringOf(id));
  const file = path === undefined ? undefined : await log.open(path);
  if (!file) return issue(`the session '${stringOf(id)}' that it continues is not beside it`);
  try {
    const isLong = typeof end !== 'number' || end < 1 || (await file.readAt(Buffer.alloc(1), end - 1)) === 1;
    return isLong ? [] : issue(`the session '${stringOf(id)}' that it continues has fewer than ${end} bytes`);
  } finally {
    await file.close();
  }
}

const edit: RecordEditor = {
  paths: { timestamp: 'timestamp', ordinal: 'ordinal' },
  callIdPath: ({ path }) => path,
  newId: (seed) => `call_${createHash('sha256').update(seed).digest('hex').slice(0, 24)}`,
  result: (before, { callId, callType, text }) => {
    const answer =
      callType === 'tool_search_call'
        ? { type: 'tool_search_output', call_id: callId, status: 'failed', execution: 'client', tools: [] }
        : {
            type: callType === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output',
            call_id: callId,
            output: text,
          };
    if (!isObject(before['payload'])) return answer;
    // No ordinal: the next number is in use, and programs stop at a number that comes twice.
    return { timestamp: before['timestamp'], type: 'response_item', payload: answer };
  },
  imageData: ({ image_url: url }) => /^data:[^;,]+;base64,(.*)$/s.exec(stringOf(url))?.[1],
  textBlock: (text) => ({ type: 'input_text', text }),
  header: rebuiltHeader,
};

/** The id in a torn header. */
const TORN_ID = /^[^{]*\{[^{}]*"type":"session_meta","payload":\{(?:[^{}]*?,)?"id":"([\w-]+)"/;

/** A header that Codex accepts, made from the other records. */
function rebuiltHeader(records: readonly JsonObject[], id: string, start = ''): JsonObject | undefined {
  const first = records.find(isRecord) ?? records.find(({ payload }) => isObject(payload));
  if (!first) return undefined;
  const firstIn = (member: string): string | undefined =>
    records.map(({ payload }) => (isObject(payload) ? stringOf(payload[member]) : '')).find((text) => text !== '');
  const { ordinal } = first;
  const timestamp = stringOf(first['timestamp']) || (firstIn('timestamp') ?? '1970-01-01T00:00:00.000Z');
  const isNumbered = typeof ordinal === 'number';
  return {
    timestamp,
    ...(isNumbered ? { ordinal: Math.max(0, ordinal - 1) } : {}),
    type: 'session_meta',
    payload: {
      id: TORN_ID.exec(start)?.[1] ?? firstIn('thread_id') ?? id,
      timestamp,
      cwd: firstIn('cwd') ?? '',
      originator: 'sessionctl',
      cli_version: '0.0.0',
      ...(isNumbered ? { history_mode: 'paginated' } : {}),
    },
  };
}

export const checks = {
  ...tableChecks(TABLE),
  isRecord,
  describe: describeRecord,
  reads,
  damageSeverity,
  near,
  edit,
  keepsOffsets: isPaginated,
} satisfies RecordChecks;
