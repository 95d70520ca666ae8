import type { Finding, Level, RuleMeta } from '../rules/rule.ts';
import type { Paint, Style } from '../util/io.ts';
import { escapeUnsafe, printable, visibleEscape } from '../util/printable.ts';
import { counted, fill } from '../util/words.ts';
import { paintedSummary, type Reporter, type ReporterOptions, SILENT } from './reporter.ts';

/**
 * A greppable line for each finding; on a terminal the same facts grouped by file and cause, with the summary at the
 * end.
 */
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

/** How many causes of one file are kept apart before the first are printed. */
const MOST_CAUSES = 1_000;

/** Findings of one rule with one message, in one file. */
interface Cause {
  readonly first: Finding;
  lastLine: number;
  lines: number;
  count: number;
}

/** For a terminal: by file, and what has one cause on one line. */
function grouped({ style, listsAll }: ReporterOptions): Reporter {
  let heading = '';
  let anything = false;
  let isShortened = false;
  const causes = new Map<string, Cause>();
  const paint = levelPaint(style);
  const row = (cause: Cause): string => {
    const { first, count } = cause;
    const title = heading === '' ? '' : `${anything ? '\n' : ''}${style.bold(printable(heading))}\n`;
    heading = '';
    anything = true;
    isShortened ||= count > 1;
    const line = style.dim(String(first.line).padStart(LINE_COLUMNS));
    const severity = paint[first.severity](first.severity.padEnd(LEVEL_COLUMNS));
    return `${title}${line}  ${severity}  ${style.bold(first.rule)}: ${timesOf(cause)}${printable(first.message)}\n`;
  };
  const rows = (): string => {
    const text = [...causes.values()].map(row).join('');
    causes.clear();
    return text;
  };
  return {
    ...SILENT,
    file: (name) => {
      heading = name;
      return '';
    },
    finding: (finding) => {
      const { line, severity, rule, message } = finding;
      const key = listsAll ? '' : `${severity} ${rule} ${message}`;
      const cause = causes.get(key);
      if (!cause) causes.set(key, { first: finding, lastLine: line, lines: 1, count: 1 });
      else {
        cause.count++;
        if (line !== cause.lastLine) cause.lines++;
        cause.lastLine = line;
      }
      return listsAll || causes.size >= MOST_CAUSES ? rows() : '';
    },
    failed: rows,
    fileEnd: rows,
    end: (summary) => {
      const hint = isShortened ? `${style.dim("'--all' lists each finding")}\n` : '';
      return `${anything ? '\n' : ''}${hint}${paintedSummary(summary, style)}\n`;
    },
  };
}

/** '9 entries, first on line 17: ', or nothing for a single finding. */
function timesOf({ first, lines, count }: Cause): string {
  if (count === 1) return '';
  if (lines === 1) return `${counted(count, 'finding')} on line ${first.line}: `;
  const places = first.entryId === undefined ? counted(lines, 'line') : counted(lines, 'entry', 'entries');
  return `${places}, first on line ${first.line}: `;
}

/** What a rule means in the logs of one agent. */
export interface RuleInFormat extends Pick<RuleMeta, 'level' | 'fixable'> {
  readonly noun: string;
  /** What the agent does with what the rule finds; empty where it was not tried. */
  readonly evidence: string;
}

/** What fixes the findings of a rule, behind its level; empty if nothing does. */
export function fixedBy({ level, fixable }: Pick<RuleMeta, 'level' | 'fixable'>): string {
  if (!fixable) return '';
  return level === 'error' ? ', fixed by repair' : ', fixed by repair --only';
}

/** A rule for a person: why it matters, how it arises, how to fix it, with an example. */
export function explainRule(rule: RuleMeta, style: Style, formats: readonly RuleInFormat[] = []): string {
  const part = (title: string, text: string, more = ''): string =>
    `${style.bold(title)}${more}\n${fill(text.split(' '), '  ', '  ', WIDTH).join('\n')}\n`;
  const severity = (one: Pick<RuleMeta, 'level' | 'fixable'>): string =>
    `(${levelPaint(style)[one.level](one.level)}${fixedBy(one)})`;
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
export function ruleList(rules: readonly RuleMeta[], style: Style): string {
  const longest = Math.max(...rules.map((rule) => rule.id.length));
  return rules
    .map(({ id, level, summary }) => {
      const columns = levelPaint(style)[level](level) + ' '.repeat(LEVEL_COLUMNS - level.length);
      return `${style.bold(id.padEnd(longest))}  ${columns}  ${summary}\n`;
    })
    .join('');
}
