import type { Finding } from '../rules/rule.ts';
import { safeJson } from '../util/to-json.ts';
import { allObjections, type Reporter, SILENT, type Summary } from './reporter.ts';

/** One finding per line, or one file that failed or was skipped; the summary is the last record. */
export function jsonReporter(): Reporter {
  return {
    ...SILENT,
    finding: (finding) => `${safeJson(findingRecord(finding))}\n`,
    failed: (file, failed) => `${safeJson({ file, failed })}\n`,
    skipped: (file, skipped) => `${safeJson({ file, skipped })}\n`,
    end: (summary) => `${safeJson({ summary: summaryRecord(summary) })}\n`,
  };
}

/** The keys in their documented order, and no others. */
function findingRecord(finding: Finding): object {
  const { file, line, offset, rule, severity, message, entryId, path, fixable } = finding;
  return { file, line, offset, rule, severity, message, entryId, path, fixable };
}

export function summaryRecord(summary: Summary): object {
  const { sessions, skipped, failed, entries, errors, warnings, fixable, hidden, suppressed } = summary;
  const counts = { sessions, skipped, failed, entries, errors, warnings, fixable, hidden, suppressed };
  return { ...counts, objections: allObjections(summary) };
}
