import { escapeUnsafe, visibleEscape } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import type { Reporter } from './reporter.ts';
import { findingLine } from './text.ts';

/** A test report shows the first findings of a rule; whoever needs the thousandth reads another format. */
const MOST_OF_A_RULE = 1_000;

/** The first findings of a rule as text, and how many there are. */
type RuleFindings = { readonly lines: string[]; errors: number; count: number };

/** A test by its name, with the element that says how it went; '' where it passed. */
type TestCase = readonly [name: string, outcome: string];

/**
 * JUnit XML as test dashboards read it: a suite for each file, a test for each rule that has something to say, failed
 * where an error was found. The names stay the same from run to run, so a dashboard can follow them.
 */
export function junitReporter(): Reporter {
  let rules = new Map<string, RuleFindings>();
  const ruleCases = (): TestCase[] => [...rules].map(([rule, group]) => [rule, ruleOutcome(rule, group)]);
  return {
    begin: () => '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sessionctl validate">\n',
    file: () => {
      rules = new Map();
      return '';
    },
    finding: (finding) => {
      const group = rules.get(finding.rule) ?? { lines: [], errors: 0, count: 0 };
      rules.set(finding.rule, group);
      group.count++;
      if (finding.severity === 'error') group.errors++;
      if (group.lines.length < MOST_OF_A_RULE) group.lines.push(findingLine(finding));
      return '';
    },
    failed: (name, message) => {
      const cases = ruleCases();
      rules = new Map();
      return suite(name, [...cases, ['readable', element('error', { type: 'unreadable', message })]]);
    },
    skipped: (name, reason) => suite(name, [['session log', element('skipped', {}, reason)]]),
    fileEnd: (name, { errors, warnings }) => {
      const cases = ruleCases();
      const groups = [...rules.values()];
      const hidden = errors + warnings - groups.reduce((sum, { count }) => sum + count, 0);
      if (hidden > 0) {
        const message = `${counted(hidden, 'finding')} not shown because of --max-findings`;
        // A file with errors is never green, even if none of them was shown.
        const isGreen = errors === 0 || groups.some((group) => group.errors > 0);
        const outcome = isGreen ? output(message) : element('failure', { type: 'hidden', message }, message);
        cases.push(['findings not shown', outcome]);
      }
      return suite(name, cases.length > 0 ? cases : [['no findings', '']]);
    },
    end: () => '</testsuites>\n',
  };
}

function ruleOutcome(rule: string, { lines, errors, count }: RuleFindings): string {
  const rest = count - lines.length;
  const text = lines.join('\n') + (rest > 0 ? `\nand ${counted(rest, 'more finding')} of ${rule}` : '');
  return errors > 0 ? element('failure', { type: rule, message: counted(count, 'finding') }, text) : output(text);
}

/** A warning does not fail a test; it is what the test printed. */
function output(text: string): string {
  return element('system-out', {}, text);
}

function suite(file: string, cases: readonly TestCase[]): string {
  const count = (tag: string): number => cases.filter(([, outcome]) => outcome.startsWith(`<${tag}`)).length;
  const totals = `failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const place = xmlText(file);
  const tests = cases.map(
    ([name, outcome]) => `    <testcase classname="${place}" name="${xmlText(name)}">${outcome}</testcase>\n`,
  );
  return `  <testsuite name="${place}" tests="${cases.length}" ${totals}>\n${tests.join('')}  </testsuite>\n`;
}

function element(tag: string, attributes: Readonly<Record<string, string>>, text = ''): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${xmlText(value)}"`);
  return `<${tag}${written.join('')}>${xmlText(text, '\n')}</${tag}>`;
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
