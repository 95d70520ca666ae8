import type { Finding, Level, RuleMeta } from '../rules/rule.ts';
import type { Paint, Style } from '../util/io.ts';
import { escapeUnsafe, printable, visibleEscape } from '../util/printable.ts';
import { fill } from '../util/words.ts';
import { paintedSummary, type Reporter, type ReporterOptions, SILENT } from './reporter.ts';

/** A greppable line for each finding; on a terminal the same facts grouped by file, with the summary at the end. */
export function textReporter(options: ReporterOptions): Reporter {
  return options.isTerminal
    ? grouped(options)
    : { ...SILENT, finding: (finding) => `${findingLine(finding, options.style)}\n` };
}

/** PATH:LINE: error: dangling-parent: message */
export function findingLine({ file, line, severity, rule, message }: Finding, style?: Style): string {
  const painted = style ? `${levelPaint(style)[severity](severity)}: ${style.bold(rule)}` : `${severity}: ${rule}`;
  return `${pathText(file)}:${line}: ${painted}: ${printable(message)}`;
}

function levelPaint(style: Style): Readonly<Record<Level, Paint>> {
  return { error: style.red, warning: style.yellow, off: style.dim };
}

/** A path stays as it is, so that other programs can open it, unless it would break the line. */
function pathText(path: string): string {
  return escapeUnsafe(path, (character) =>
    /[\p{Cc}\u2028\u2029]/u.test(character) ? visibleEscape(character) : character,
  );
}

const LEVEL_COLUMNS = 'warning'.length;
const LINE_COLUMNS = 6;
const WIDTH = 80;

function grouped({ style }: ReporterOptions): Reporter {
  let heading = '';
  let anything = false;
  const paint = levelPaint(style);
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
      const severity = paint[finding.severity](finding.severity.padEnd(LEVEL_COLUMNS));
      return `${title}${line}  ${severity}  ${style.bold(finding.rule)}: ${printable(finding.message)}\n`;
    },
    end: (summary) => `${anything ? '\n' : ''}${paintedSummary(summary, style)}\n`,
  };
}

/** What a rule means in the logs of one agent. */
export interface RuleInFormat extends Pick<RuleMeta, 'level' | 'fixable'> {
  readonly noun: string;
  /** What the agent does with what the rule finds; empty where nobody has tried. */
  readonly evidence: string;
}

/** A rule for a person: why it matters, how it arises, how to fix it, with an example. */
export function explainRule(rule: RuleMeta, style: Style, formats: readonly RuleInFormat[] = []): string {
  const part = (title: string, text: string, more = ''): string =>
    `${style.bold(title)}${more}\n${fill(text.split(' '), '  ', '  ', WIDTH).join('\n')}\n`;
  const severity = ({ level, fixable }: Pick<RuleMeta, 'level' | 'fixable'>): string => {
    const fixed = level === 'error' ? ', fixed by repair' : ', fixed by repair --only';
    return `(${levelPaint(style)[level](level)}${fixable ? fixed : ''})`;
  };
  return [
    `${style.bold(rule.id)} ${severity(rule)}: ${rule.summary}\n`,
    part('Why it matters', rule.why),
    ...formats
      .filter(({ evidence }) => evidence !== '')
      .map((one) => part(`In a ${one.noun}`, one.evidence, ` ${severity(one)}`)),
    part('How it arises', rule.arises),
    part('What to do', rule.advice),
    `${style.bold('Example')}\n${rule.example.replace(/^/gm, '  ')}\n`,
  ].join('\n');
}

/** One line per rule: id, level, what it finds. */
export function listRules(rules: readonly RuleMeta[], style: Style): string {
  const longest = Math.max(...rules.map((rule) => rule.id.length));
  return rules
    .map(({ id, level, summary }) => {
      const columns = levelPaint(style)[level](level) + ' '.repeat(LEVEL_COLUMNS - level.length);
      return `${style.bold(id.padEnd(longest))}  ${columns}  ${summary}\n`;
    })
    .join('');
}
