import type { Finding } from '../rules/rule.ts';
import { escapeUnsafe, visibleEscape } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import { hiddenErrors, type Reporter, SILENT, summaryLine } from './reporter.ts';

/** GitHub shows ten annotations of each kind for a step; nobody would see more than the first thousand. */
const MOST_HELD = 1_000;

/** Workflow commands that become annotations. Errors go out at once, warnings and notices wait for the end. */
export function githubReporter(): Reporter {
  const warnings: string[] = [];
  const notices: string[] = [];
  let more = 0;
  return {
    ...SILENT,
    finding: (finding) => {
      if (finding.severity === 'error') return annotation(finding);
      if (warnings.length < MOST_HELD) warnings.push(annotation(finding));
      else more++;
      return '';
    },
    failed: (name, message) => workflowCommand('error', name === '-' ? {} : { file: name }, message),
    skipped: (name, reason) => {
      if (notices.length < MOST_HELD) notices.push(workflowCommand('notice', { file: name }, reason));
      return '';
    },
    end: (summary) => {
      const hidden = `${counted(more, 'more warning')}; the text format lists them all`;
      if (more > 0) warnings.push(workflowCommand('warning', {}, hidden));
      const last = summaryLine(summary);
      notices.push(summary.sessions === 0 ? workflowCommand('error', {}, last) : `${last}\n`);
      const objections = [...hiddenErrors(summary), ...summary.objections].map((text) =>
        workflowCommand('error', {}, text),
      );
      return [...objections, ...warnings, ...notices].join('');
    },
  };
}

function annotation(finding: Finding): string {
  const place = finding.file === '-' ? {} : { file: finding.file, line: String(finding.line) };
  const where = finding.file === '-' ? `line ${finding.line}: ` : '';
  return workflowCommand(finding.severity, { ...place, title: finding.rule }, where + finding.message);
}

function workflowCommand(name: string, properties: Readonly<Record<string, string>>, message: string): string {
  const written = Object.entries(properties).map(
    ([key, value]) => `${key}=${dataText(value).replace(/:/g, '%3A').replace(/,/g, '%2C')}`,
  );
  return `::${name}${written.length > 0 ? ` ${written.join(',')}` : ''}::${dataText(message)}\n`;
}

/** The runner turns %0A, %0D and %25 back; everything else that is unsafe in a log view is made visible. */
function dataText(text: string): string {
  const percent = text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  return escapeUnsafe(percent, visibleEscape);
}
