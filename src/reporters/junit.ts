import type { Finding } from '../rules/finding.ts';
import { escapeUnsafe, visibleEscape } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import type { FileCounts, Reporter } from './reporter.ts';
import { findingLine } from './text.ts';

/** A test report shows the first findings of a rule; whoever needs the thousandth reads another format. */
const MOST_OF_A_RULE = 1_000;

interface RuleFindings {
  readonly lines: string[];
  errors: number;
  count: number;
}

/**
 * JUnit XML as test dashboards read it: a suite for each file, a test for each rule that has something to say, failed
 * where an error was found. The names stay the same from run to run, so a dashboard can follow them.
 */
export function junitReporter(): Reporter {
  let rules = new Map<string, RuleFindings>();
  return {
    begin: () => '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sessionctl validate">\n',
    file: () => {
      rules = new Map();
      return '';
    },
    finding: (finding) => {
      collect(rules, finding);
      return '';
    },
    failed: (name, message) => {
      const text = suite(name, rules, undefined, message);
      rules = new Map();
      return text;
    },
    skipped: (name, reason) =>
      suiteOf(name, [testCase(name, 'session log', `<skipped message="${attribute(reason)}"></skipped>`)], {
        skipped: 1,
      }),
    fileEnd: (name, counts) => suite(name, rules, counts, undefined),
    end: () => '</testsuites>\n',
  };
}

function collect(rules: Map<string, RuleFindings>, finding: Finding): void {
  let group = rules.get(finding.rule);
  if (!group) {
    group = { lines: [], errors: 0, count: 0 };
    rules.set(finding.rule, group);
  }
  group.count++;
  if (finding.severity === 'error') group.errors++;
  if (group.lines.length < MOST_OF_A_RULE) group.lines.push(findingLine(finding));
}

function suite(
  name: string,
  rules: ReadonlyMap<string, RuleFindings>,
  counts: FileCounts | undefined,
  trouble: string | undefined,
): string {
  const cases: string[] = [];
  let failures = 0;
  let shown = 0;
  for (const [rule, group] of rules) {
    shown += group.count;
    if (group.errors > 0) failures++;
    cases.push(testCase(name, rule, ruleOutcome(rule, group)));
  }
  const hidden = counts === undefined ? 0 : counts.errors + counts.warnings - shown;
  if (counts !== undefined && hidden > 0) {
    const words = `${counted(hidden, 'finding')} not shown because of --max-findings`;
    // A file with errors is never green, even if none of them was shown.
    const failed = counts.errors > 0 && failures === 0;
    if (failed) failures++;
    cases.push(testCase(name, 'findings not shown', failed ? failure('hidden', words, words) : output(words)));
  }
  if (trouble !== undefined) {
    cases.push(testCase(name, 'readable', `<error type="unreadable" message="${attribute(trouble)}"></error>`));
  } else if (cases.length === 0) {
    cases.push(testCase(name, 'no findings', ''));
  }
  return suiteOf(name, cases, { failures, errors: trouble === undefined ? 0 : 1 });
}

interface Totals {
  readonly failures?: number;
  readonly errors?: number;
  readonly skipped?: number;
}

function suiteOf(name: string, cases: readonly string[], { failures = 0, errors = 0, skipped = 0 }: Totals): string {
  const totals = `tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return `  <testsuite name="${attribute(name)}" ${totals}>\n${cases.join('')}  </testsuite>\n`;
}

function ruleOutcome(rule: string, group: RuleFindings): string {
  const rest = group.count - group.lines.length;
  const text = [...group.lines, ...(rest > 0 ? [`and ${counted(rest, 'more finding')} of ${rule}`] : [])].join('\n');
  return group.errors > 0 ? failure(rule, counted(group.count, 'finding'), text) : output(text);
}

function testCase(file: string, name: string, outcome: string): string {
  return `    <testcase classname="${attribute(file)}" name="${attribute(name)}">${outcome}</testcase>\n`;
}

function failure(type: string, message: string, text: string): string {
  return `<failure type="${attribute(type)}" message="${attribute(message)}">${content(text)}</failure>`;
}

/** A warning does not fail a test; it is what the test printed. */
function output(text: string): string {
  return `<system-out>${content(text)}</system-out>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function content(text: string): string {
  return xmlText(text, '\n');
}

function attribute(text: string): string {
  return xmlText(text, '');
}

/** Characters that XML 1.0 cannot hold at all are shown as escapes, other invisible ones become character references. */
function xmlText(text: string, kept: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
  return escapeUnsafe(escaped, (character) => {
    if (character !== '' && kept.includes(character)) return character;
    return ILLEGAL_IN_XML.test(character)
      ? visibleEscape(character)
      : `&#x${(character.codePointAt(0) ?? 0).toString(16)};`;
  }).replace(NOT_CHARACTERS, visibleEscape);
}

const ILLEGAL_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Cs}/u;
const NOT_CHARACTERS = /[\ufffe\uffff]/g;
