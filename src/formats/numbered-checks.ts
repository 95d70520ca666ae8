import type { RecordIssue } from './format.ts';
import { levelsOf } from './rule-table.ts';

/** The rules for all logs of numbered records: a lost record, or what hides one, is an error. Times give no order. */
export const NUMBERED_LEVELS = levelsOf(
  `torn-line glued-entries nul-bytes invalid-utf8 byte-order-mark not-json not-an-object missing-final-newline
  missing-field wrong-type ordinal-order duplicate-call-id orphan-result`,
  `oversize-line blank-line unknown-entry-type bad-timestamp unanswered-call duplicate-result result-before-call`,
);

/** The issue of a required member that is missing or of another type. */
export function memberIssue(path: string, value: unknown, kind: string): RecordIssue {
  if (value === undefined) return { rule: 'missing-field', path, message: `'${path}' is missing` };
  return { rule: 'wrong-type', path, message: `'${path}' is not ${kind}` };
}
