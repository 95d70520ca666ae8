import type { Finding, Severity } from '../rules/finding.ts';
import type { Paint, Style } from '../util/io.ts';
import { escapeUnsafe, printable, visibleEscape } from '../util/printable.ts';
import { type Reporter, type ReporterOptions, SILENT } from './reporter.ts';
import { paintedSummary } from './summary.ts';

/** A greppable line for each finding; on a terminal the same facts grouped by file, with the summary at the end. */
export function textReporter(options: ReporterOptions): Reporter {
  return options.isTerminal
    ? grouped(options)
    : { ...SILENT, finding: (finding) => `${findingLine(finding, options.style)}\n` };
}

/** PATH:LINE: error: dangling-parent: message */
export function findingLine({ file, line, severity, rule, message }: Finding, style?: Style): string {
  const painted = style ? `${severityPaint(style)[severity](severity)}: ${style.bold(rule)}` : `${severity}: ${rule}`;
  return `${pathText(file)}:${line}: ${painted}: ${printable(message)}`;
}

function severityPaint(style: Style): Readonly<Record<Severity, Paint>> {
  return { error: style.red, warning: style.yellow };
}

/** A path stays as it is, so that other programs can open it, unless it would break the line. */
function pathText(path: string): string {
  return escapeUnsafe(path, (character) =>
    /[\p{Cc}\u2028\u2029]/u.test(character) ? visibleEscape(character) : character,
  );
}

const SEVERITY_COLUMNS = 'warning'.length;
const LINE_COLUMNS = 6;

function grouped({ style }: ReporterOptions): Reporter {
  let heading = '';
  let anything = false;
  const paint = severityPaint(style);
  return {
    ...SILENT,
    file: (name) => {
      heading = name;
      return '';
    },
    finding: (finding) => {
      const title = heading === '' ? '' : `${anything ? '\n' : ''}${style.bold(printable(heading))}\n`;
      heading = '';
      anything = true;
      const line = style.dim(String(finding.line).padStart(LINE_COLUMNS));
      const severity = paint[finding.severity](finding.severity.padEnd(SEVERITY_COLUMNS));
      return `${title}${line}  ${severity}  ${style.bold(finding.rule)}: ${printable(finding.message)}\n`;
    },
    end: (summary) => `${anything ? '\n' : ''}${paintedSummary(summary, style)}\n`,
  };
}
