import { escapeUnsafe, visibleEscape } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import { allObjections, type Reporter, type ReporterOptions, SILENT } from './reporter.ts';
import { findingLine } from './text.ts';

/** A test report shows the first findings of a rule; other formats have all of them. */
const MOST_OF_A_RULE = 1_000;
/** All suites are held until the totals are known, so there is a limit for them together too. */
const MOST_LINES = 100_000;

/** The first findings of a rule as text, and how many there are. */
type RuleFindings = { readonly lines: string[]; errors: number; count: number };

/** A test by its name, with the element that says how it went; '' where it passed. */
type TestCase = readonly [name: string, outcome: string];

/** With totals of all suites, as Jenkins and GitLab know them. */
export function junitReporter(options: ReporterOptions): Reporter {
  return suitesReporter(options, true);
}

/** Without them: in the schema of Ant the element of all suites has no attributes. */
export function junitAntReporter(options: ReporterOptions): Reporter {
  return suitesReporter(options, false);
}

/**
 * JUnit XML as test dashboards read it: a suite for each file, a test for each rule that has something to say, failed
 * where an error was found. The names stay the same from run to run, so a dashboard can follow them. A warning does
 * not fail a test; it is what the suite printed, for Ant knows no output of a single test. A run that fails for another
 * reason has a suite of its own.
 */
function suitesReporter({ version, now }: ReporterOptions, hasTotals: boolean): Reporter {
  let rules = new Map<string, RuleFindings>();
  let lines = 0;
  let startedAt = now();
  const suites: string[] = [];
  const totals = { tests: 0, failures: 0, errors: 0 };
  /** Findings that are no failures are printed by the suite. */
  const addSuite = (file: string, others: readonly TestCase[], printed: readonly string[] = []): string => {
    const cases = [...[...rules].map(([rule, group]): TestCase => [rule, ruleOutcome(rule, group)]), ...others];
    const warnings = [...rules].filter(([, { errors }]) => errors === 0).map(([rule, group]) => listed(rule, group));
    const count = (tag: string): number => cases.filter(([, outcome]) => outcome.startsWith(`<${tag}`)).length;
    const [tests, failures, errors] = [cases.length, count('failure'), count('error')];
    totals.tests += tests;
    totals.failures += failures;
    totals.errors += errors;
    const ended = now();
    const time = ((ended - startedAt) / 1000).toFixed(3);
    const started = new Date(startedAt).toISOString().slice(0, 19);
    const counts = { tests, failures, errors, skipped: count('skipped') };
    const place = { name: file, package: 'sessionctl', id: suites.length, hostname: 'localhost', timestamp: started };
    const parts = [
      `  <testsuite${attributesText({ ...place, ...counts, time })}>\n`,
      `    <properties><property${attributesText({ name: 'sessionctl', value: version })}/></properties>\n`,
      ...cases.map(([name, outcome]) => {
        return `    <testcase${attributesText({ classname: file, name, time: 0 })}>${outcome}</testcase>\n`;
      }),
      `    ${element('system-out', {}, [...warnings, ...printed].join('\n'))}\n    <system-err></system-err>\n`,
      '  </testsuite>\n',
    ];
    suites.push(parts.join(''));
    rules = new Map();
    startedAt = ended;
    return '';
  };
  return {
    ...SILENT,
    finding: (finding) => {
      const group = rules.get(finding.rule) ?? { lines: [], errors: 0, count: 0 };
      rules.set(finding.rule, group);
      group.count++;
      if (finding.severity === 'error') group.errors++;
      if (group.lines.length < MOST_OF_A_RULE && lines++ < MOST_LINES) group.lines.push(findingLine(finding));
      return '';
    },
    failed: (name, message) => addSuite(name, [['readable', element('error', { type: 'unreadable', message })]]),
    skipped: (name, reason) => addSuite(name, [['session log', element('skipped', {}, reason)]]),
    fileEnd: (name, { errors, warnings }) => {
      const groups = [...rules.values()];
      const hidden = errors + warnings - groups.reduce((sum, { count }) => sum + count, 0);
      if (hidden === 0) return addSuite(name, groups.length > 0 ? [] : [['no findings', '']]);
      const message = `${counted(hidden, 'finding')} not shown because of --max-findings`;
      // A file with errors is never green, even if none of them was shown.
      const isGreen = errors === 0 || groups.some((group) => group.errors > 0);
      const outcome = isGreen ? '' : element('failure', { type: 'hidden', message }, message);
      return addSuite(name, [['findings not shown', outcome]], isGreen ? [message] : []);
    },
    end: (summary) => {
      const name = `sessionctl ${summary.command}`;
      const objections = allObjections(summary);
      const failure = element('failure', { type: 'objection', message: objections.join('; ') }, objections.join('\n'));
      if (objections.length > 0) addSuite(name, [['no objections', failure]]);
      const root = hasTotals ? attributesText({ name, ...totals }) : '';
      return ['<?xml version="1.0" encoding="UTF-8"?>\n', `<testsuites${root}>\n`, ...suites, '</testsuites>\n'].join(
        '',
      );
    },
  };
}

function ruleOutcome(rule: string, group: RuleFindings): string {
  if (group.errors === 0) return '';
  return element('failure', { type: rule, message: counted(group.count, 'finding') }, listed(rule, group));
}

function listed(rule: string, { lines, count }: RuleFindings): string {
  const rest = count - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${counted(rest, 'more finding')} of ${rule}`] : [])].join('\n');
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${xmlText(String(value))}"`)
    .join('');
}

function element(tag: string, attributes: Readonly<Record<string, string>>, text = ''): string {
  return `<${tag}${attributesText(attributes)}>${xmlText(text, '\n')}</${tag}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const ILLEGAL_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Cs}/u;
const NOT_CHARACTERS = /[\ufffe\uffff]/g;

/** Characters that XML 1.0 cannot hold are shown as escapes, other invisible ones as character references. */
function xmlText(text: string, kept = ''): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&${ENTITIES[character]};`);
  return escapeUnsafe(escaped, (character) => {
    if (character === kept) return character;
    return ILLEGAL_IN_XML.test(character)
      ? visibleEscape(character)
      : `&#x${(character.codePointAt(0) ?? 0).toString(16)};`;
  }).replace(NOT_CHARACTERS, visibleEscape);
}
