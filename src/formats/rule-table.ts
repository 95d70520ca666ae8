import type { RecordChecks } from './format.ts';

/** By rule: its level for a format, and what the agent does with a log that breaks it. */
export type RuleTable = Readonly<Record<string, readonly [level: 'error' | 'warning', evidence: string]>>;

export function tableChecks(table: RuleTable): Pick<RecordChecks, 'levels' | 'evidence'> {
  const column = <At extends 0 | 1>(at: At): Record<string, RuleTable[string][At]> =>
    Object.fromEntries(Object.entries(table).map(([rule, row]) => [rule, row[at]]));
  return { levels: column(0), evidence: column(1) };
}

/** Levels for rules that are listed with spaces between them. */
export function levelsOf(errors: string, warnings: string): RecordChecks['levels'] {
  const all = (rules: string, level: 'error' | 'warning') => rules.split(/\s+/).map((rule) => [rule, level] as const);
  return Object.fromEntries([...all(errors, 'error'), ...all(warnings, 'warning')]);
}

/** The rules for all logs of numbered records: a lost record, or what hides one, is an error. Times give no order. */
export const NUMBERED_LEVELS = levelsOf(
  `torn-line glued-entries nul-bytes invalid-utf8 byte-order-mark not-json not-an-object missing-final-newline
  missing-field wrong-type ordinal-order duplicate-call-id orphan-result`,
  `oversize-line blank-line unknown-entry-type bad-timestamp unanswered-call duplicate-result result-before-call`,
);
