import { shortJson } from '../util/to-json.ts';
import type { RecordIssue } from './format.ts';

/** The issue of a required member that is missing or of another type; `inferred` is the right value, if it is known. */
export function memberIssue(path: string, value: unknown, kind: string, inferred?: string): RecordIssue {
  if (value === undefined) return missingIssue(path, inferred);
  return { rule: 'wrong-type', path, message: `'${path}' is not ${kind}`, inferred };
}

export function missingIssue(path: string, inferred?: string): RecordIssue {
  return { rule: 'missing-field', path, message: `'${path}' is missing`, inferred };
}

export function unknownType(type: unknown, path = 'type'): RecordIssue {
  return { rule: 'unknown-entry-type', path, message: `the type ${shortJson(type)} is unknown` };
}
