import type { RecordChecks, RecordIssue } from './format.ts';

/** The rules for all logs of numbered records: a lost record, or what hides one, is an error. */
export const NUMBERED_LEVELS: RecordChecks['levels'] = {
  'torn-line': 'error',
  'glued-entries': 'error',
  'nul-bytes': 'error',
  'invalid-utf8': 'error',
  'byte-order-mark': 'error',
  'not-json': 'error',
  'not-an-object': 'error',
  'missing-final-newline': 'error',
  'oversize-line': 'warning',
  'blank-line': 'warning',
  'missing-field': 'error',
  'wrong-type': 'error',
  'unknown-entry-type': 'warning',
  // The order comes from the numbers.
  'bad-timestamp': 'warning',
  'ordinal-order': 'error',
  'duplicate-call-id': 'error',
  'unanswered-call': 'warning',
  'orphan-result': 'error',
  'duplicate-result': 'warning',
  'result-before-call': 'warning',
};

/** The issue of a required member that is missing or of another type. */
export function memberIssue(path: string, value: unknown, kind: string): RecordIssue {
  if (value === undefined) return { rule: 'missing-field', path, message: `'${path}' is missing` };
  return { rule: 'wrong-type', path, message: `'${path}' is not ${kind}` };
}
