import type { Damage } from '../../entries/damage.ts';
import type { RecordChecks } from '../format.ts';
import { type RuleTable, tableChecks } from '../rule-table.ts';
import { describeChecked, reads } from './checked-facts.ts';
import { isChainType, isRecord } from './describe.ts';
import { edit } from './edit.ts';

/**
 * How severe each finding is, and what tested versions did with it. An error: one of them loses, hides or overwrites
 * data, or refuses the session, or the API refuses it.
 */
const TABLE: RuleTable = {
  'torn-line': [
    'error',
    'Claude Code 2.1.325 and 2.1.100 skip the line; if it is in the middle of a session at the usual pace, all that came before it is hidden (20 of 24 blocks).',
  ],
  'glued-entries': [
    'error',
    '2.1.325 splits two whole records on one line; 2.1.100 skips the line, and hid 21 of 24 blocks. Of half a record and a whole one, both lose both.',
  ],
  'nul-bytes': [
    'error',
    'With NULs inside a record both versions skip the line and hide what came before it; a run of NULs in front of a record makes 2.1.100 do the same. NULs after the last line do no harm.',
  ],
  'invalid-utf8': ['warning', 'Both versions read the bytes as U+FFFD and send them to the model like that.'],
  'byte-order-mark': ['warning', 'Both versions cope.'],
  'not-json': ['warning', 'Both versions skip the line and lose nothing else.'],
  'not-an-object': [
    'error',
    'A line with null makes 2.1.100 hide 5 of 24 blocks, and what it appends is lost at the next resume; 2.1.325 copes, and both cope with other values.',
  ],
  'missing-final-newline': [
    'error',
    '2.1.100 appends its next record to the same line, and at the next resume the whole conversation is gone; 2.1.325 starts with a newline.',
  ],
  'oversize-line': ['warning', 'Both versions read a line of 50 MB.'],
  'blank-line': ['warning', 'Both versions cope.'],
  'missing-field': [
    'error',
    'A record without type, uuid or parentUuid ends the chain: 19 or 20 of 24 blocks are hidden. Without a message 2.1.325 drops the record, and 2.1.100 refuses to resume the session.',
  ],
  'wrong-type': [
    'error',
    'If the content is null, 2.1.325 drops the record, and 2.1.100 refuses to resume the session.',
  ],
  'unknown-entry-type': [
    'error',
    'Both versions skip a record of a type they do not know; when others hang from it, all that came before it is hidden (19 of 24 blocks).',
  ],
  'unknown-block': ['error', 'Both versions send the block as it is, and the API rejects the request.'],
  'empty-block': [
    'error',
    "Both versions send a user's empty text, which the API rejects; an empty text of the assistant is left out or replaced by '(no content)'.",
  ],
  'unsigned-thinking': [
    'error',
    'Both versions send thinking without a signature, and the API rejects this and every later request; users report the same for thinking that was emptied and kept its signature. Where the record says that the API left the text out (thinkingDisplay), it is no finding.',
  ],
  'oversize-image': [
    'error',
    '2.1.325 refuses to resume once and then leaves the image out; 2.1.100 refuses every time.',
  ],
  'bad-timestamp': [
    'error',
    "Without a valid timestamp on the last record 2.1.325 says 'No conversation found', and 2.1.100 resumes at an earlier one; without any, both refuse. Elsewhere they cope.",
  ],
  'time-backwards': [
    'warning',
    '2.1.100 resumes at the record with the latest time, so it may leave out the last ones; 2.1.325 copes.',
  ],
  'duplicate-id': [
    'error',
    'Of two records with one uuid both versions keep the later one only; equal copies do no harm.',
  ],
  'duplicate-message-id': [
    'error',
    '2.1.100 joins records with one message.id from different turns: it made up results for two calls, and the next resume lost 14 blocks; 2.1.325 copes.',
  ],
  'dangling-parent': [
    'error',
    'Both versions attach the record to the one before it only if that is less than 5 seconds older; otherwise all that came before it is hidden (19 to 23 of 24 blocks).',
  ],
  'parent-cycle': [
    'error',
    'At the usual pace of a session both versions hide what came before the cycle (18 or 19 of 24 blocks).',
  ],
  'forward-parent': ['warning', 'Both versions cope.'],
  'stale-leaf': [
    'warning',
    '2.1.325 resumes below the record that the last last-prompt names, 2.1.100 at the record with the latest time: they open two different conversations.',
  ],
  'half-compaction': [
    'error',
    'Without its summary both versions hid 19 of 24 blocks; when kept records are missing, 2.1.325 drops all that the compaction kept.',
  ],
  'unanswered-call': [
    'error',
    'In the middle both versions drop the call. At the end 2.1.325 writes a result that says that the call was interrupted, and 2.1.100 continues above the call. On a path that they do not resume it does no harm.',
  ],
  'orphan-result': [
    'error',
    'Both versions silently drop the result, and what hangs from the lost call may be hidden.',
  ],
  'duplicate-call-id': ['error', 'Both versions drop one of the two calls and its result.'],
  'duplicate-result': ['warning', 'Both versions send the first result only.'],
  'result-before-call': ['warning', '2.1.325 sends the blocks in another order; 2.1.100 copes.'],
  'no-conversation': ['error', "Both versions say 'No conversation found' and exit."],
};

export const checks = {
  ...tableChecks(TABLE),
  isRecord,
  describe: describeChecked,
  reads,
  damageSeverity,
  edit,
} satisfies RecordChecks;

/** Records of a conversation start with their parent, all others with their type. */
const START = /^[\0\s]*\{"type":"([a-z-]+)"/;

/** A warning where no record of a conversation is lost. */
function damageSeverity(damage: Damage, raw: string): 'warning' | undefined {
  if (damage === 'not-an-object') return raw.trim() === 'null' ? undefined : 'warning';
  if (damage === 'nul-bytes' && /^[\0\s]*$/.test(raw)) return 'warning';
  const type = damage === 'glued-entries' ? undefined : START.exec(raw)?.[1];
  return type === undefined || isChainType(type) ? undefined : 'warning';
}
