import type { Finding } from '../rules/finding.ts';
import { safeJson } from '../util/to-json.ts';
import { type Reporter, SILENT, type Summary } from './reporter.ts';

/** One finding a line, or one file that failed or was skipped; the summary is the last record. */
export function jsonReporter(): Reporter {
  return {
    ...SILENT,
    finding: (finding) => `${jsonLine(findingRecord(finding))}\n`,
    failed: (file, failed) => `${jsonLine({ file, failed })}\n`,
    skipped: (file, skipped) => `${jsonLine({ file, skipped })}\n`,
    end: (summary) => `${jsonLine({ summary: summaryRecord(summary) })}\n`,
  };
}

/** The keys in their documented order, and no others. */
function findingRecord(finding: Finding): object {
  const { file, line, offset, rule, severity, message, entryId, path, fixable } = finding;
  return {
    file,
    line,
    offset,
    rule,
    severity,
    message,
    ...(entryId === undefined ? {} : { entryId }),
    ...(path === undefined ? {} : { path }),
    fixable,
  };
}

export function summaryRecord(summary: Summary): object {
  const { sessions, skipped, failed, entries, errors, warnings, fixable, hidden } = summary;
  return { sessions, skipped, failed, entries, errors, warnings, fixable, hidden };
}

/** JSON on one line for every reader of lines, and safe on a terminal: what it means is the same with or without the escapes. */
export function jsonLine(value: unknown): string {
  return safeJson(value);
}
