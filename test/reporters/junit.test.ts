import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reporter, Summary } from '../../src/reporters/index.ts';
import { rawControls } from '../support/hostile.ts';
import { settings } from '../support/properties.ts';
import { antErrors, jenkinsErrors } from '../support/schemas.ts';
import { parseXml, type XmlElement } from '../support/xml.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

function casesOf(suite: XmlElement | undefined): readonly XmlElement[] {
  return suite?.children.filter(({ name }) => name === 'testcase') ?? [];
}

/** JUnit XML as dashboards read it, with totals that are true. */
function junit(output: string): XmlElement {
  const root = parseXml(output);
  expect(root.name).toBe('testsuites');
  const sum = (name: string): string =>
    String(root.children.reduce((total, suite) => total + Number(suite.attributes[name]), 0));
  const totals = Object.fromEntries(['tests', 'failures', 'errors'].map((name) => [name, sum(name)]));
  expect(root.attributes).toEqual({ name: 'sessionctl validate', ...totals });
  for (const suite of root.children) {
    const cases = casesOf(suite);
    const of = (name: string): number => cases.filter((test) => test.children.some((one) => one.name === name)).length;
    expect(suite.attributes).toMatchObject({
      tests: String(cases.length),
      failures: String(of('failure')),
      errors: String(of('error')),
      skipped: String(of('skipped')),
    });
    expect(cases.length).toBeGreaterThan(0);
  }
  return root;
}

/** Who has a schema of such reports, and which of ours is for it. */
const SCHEMAS = [
  ['Jenkins', 'junit', jenkinsErrors],
  ['Ant', 'junit-ant', antErrors],
] as const;

/** A report with a file of each kind. */
function allKinds(to: Reporter): string {
  to.begin();
  to.failed('gone.jsonl', 'no such file');
  to.skipped('other.jsonl', 'is plain text');
  to.file('a.jsonl');
  to.finding(finding());
  to.fileEnd('a.jsonl', { entries: 1, errors: 2, warnings: 1 });
  to.file('b.jsonl');
  to.finding(finding({ file: 'b.jsonl', severity: 'warning' }));
  to.fileEnd('b.jsonl', { entries: 1, errors: 0, warnings: 1 });
  return to.end(summary({ objections: ['a'] }));
}

describe('junit', () => {
  it('makes a suite of a file and a test of a rule, failed by errors only', () => {
    const warning = finding({ severity: 'warning', rule: 'stale-leaf', message: 'w' });
    expect(
      report(reporter('junit'), [[finding({ message: 'a<b' }), warning, finding({ line: 50, message: 'c' })], []]),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sessionctl validate" tests="3" failures="1" errors="0">
  <testsuite name="a.jsonl" package="sessionctl" id="0" hostname="localhost" timestamp="2026-03-11T10:00:00" tests="2" failures="1" errors="0" skipped="0" time="0.000">
    <properties><property name="sessionctl" value="1.2.3"/></properties>
    <testcase classname="a.jsonl" name="dangling-parent" time="0"><failure type="dangling-parent" message="2 findings">a.jsonl:38: error: dangling-parent: a&lt;b
a.jsonl:50: error: dangling-parent: c</failure></testcase>
    <testcase classname="a.jsonl" name="stale-leaf" time="0"></testcase>
    <system-out>a.jsonl:38: warning: stale-leaf: w</system-out>
    <system-err></system-err>
  </testsuite>
  <testsuite name="empty.jsonl" package="sessionctl" id="1" hostname="localhost" timestamp="2026-03-11T10:00:00" tests="1" failures="0" errors="0" skipped="0" time="0.000">
    <properties><property name="sessionctl" value="1.2.3"/></properties>
    <testcase classname="empty.jsonl" name="no findings" time="0"></testcase>
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
</testsuites>
`);
  });

  it('is never green for a file whose errors were all kept from being shown', () => {
    const to = reporter('junit');
    const output =
      to.begin() + to.file('a') + to.fileEnd('a', { entries: 1, errors: 2, warnings: 1 }) + to.end(summary());
    const [suite] = junit(output).children;
    expect(suite?.attributes['failures']).toBe('1');
    expect(casesOf(suite)[0]?.children[0]?.text).toBe('3 findings not shown because of --max-findings');
  });

  it('is never green for a run that fails for another reason than errors', () => {
    const failed = (over: Partial<Summary>) => {
      const root = junit(report(reporter('junit'), [[]], over));
      const suite = root.children[1];
      expect(root.attributes).toMatchObject({ tests: '2', failures: '1' });
      expect(suite?.attributes).toMatchObject({ name: 'sessionctl validate', tests: '1', failures: '1' });
      return casesOf(suite)[0];
    };
    expect(failed({ objections: ['a', 'b'] })).toMatchObject({
      attributes: { classname: 'sessionctl validate', name: 'no objections' },
      children: [{ name: 'failure', attributes: { type: 'objection', message: 'a; b' }, text: 'a\nb' }],
    });
    expect(failed({ sessions: 0, skippedKinds: { 'text file': 1 } })?.children[0]?.text).toBe(
      'no sessions checked: 1 text file, not checked',
    );
    expect(junit(report(reporter('junit'), [[]])).children).toHaveLength(1);
  });

  it('counts what it does not list of a rule with thousands of findings', () => {
    const findings = Array.from({ length: 2500 }, (_, at) => finding({ line: at + 1 }));
    const [suite] = junit(report(reporter('junit'), [findings])).children;
    const failure = casesOf(suite)[0]?.children[0];
    expect(failure?.attributes['message']).toBe('2,500 findings');
    expect(failure?.text.split('\n')).toHaveLength(1001);
    expect(failure?.text.split('\n').at(-1)).toBe('and 1,500 more findings of dangling-parent');
  });

  it('has an error for a file that could not be read, beside what was found before', () => {
    const to = reporter('junit');
    const output =
      to.begin() +
      to.failed('gone', 'no "such" file') +
      to.file('a') +
      to.finding(finding()) +
      to.failed('a', 'disk') +
      to.end(summary());
    const [gone, cut] = junit(output).children;
    expect(gone?.attributes).toMatchObject({ name: 'gone', tests: '1', errors: '1', failures: '0' });
    expect(casesOf(gone)[0]?.children[0]).toMatchObject({ name: 'error', attributes: { message: 'no "such" file' } });
    expect(cut?.attributes).toMatchObject({ name: 'a', tests: '2', errors: '1', failures: '1' });
  });

  it('shows characters that XML cannot hold and keeps those that it can', () => {
    const to = reporter('junit');
    const name = 'a\u0000\u001b\ufffe\ud800\u202e\t.jsonl';
    const output =
      to.begin() + to.file(name) + to.fileEnd(name, { entries: 0, errors: 0, warnings: 0 }) + to.end(summary());
    expect(junit(output).children[0]?.attributes['name']).toBe('a\\x00\\x1b\\ufffe\\ud800\u202e\t.jsonl');
  });

  it.each(SCHEMAS)('fits the schema that %s has, whatever the log says', async (_who, format, errors) => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileFinding, { minLength: 50, maxLength: 50 }), async (findings) => {
        expect(await errors(...findings.map((one) => report(reporter(format), [[one]])))).toEqual([]);
      }),
      { ...settings(2), endOnFailure: true },
    );
  });

  it.each(SCHEMAS)(
    'fits the schema that %s has where files failed, were skipped, have warnings alone or more than is shown, and the run has objections',
    async (_who, format, errors) => {
      const output = allKinds(reporter(format));
      expect(await errors(output)).toEqual([]);
      expect(parseXml(output).children.map((suite) => casesOf(suite)[0]?.children[0]?.name)).toEqual([
        'error',
        'skipped',
        'failure',
        undefined,
        'failure',
      ]);
      expect(await errors(output.replace('<failure ', '<failed '))).not.toEqual([]);
      expect(await errors(reporter(format).end(summary()))).toEqual([]);
    },
  );

  it('has totals of all suites, which Ant refuses: only they are missing in junit-ant', async () => {
    const output = allKinds(reporter('junit'));
    expect(junit(output).attributes).toMatchObject({ tests: '6', failures: '2', errors: '1' });
    expect(await antErrors(output)).not.toEqual([]);
    expect(allKinds(reporter('junit-ant'))).toBe(output.replace(/<testsuites .*?>/, '<testsuites>'));
  });

  it('says how long each file took, and when', () => {
    let time = Date.UTC(2026, 2, 11, 10, 0, 0, 250);
    const to = reporter('junit', { now: () => time });
    time += 1250;
    to.fileEnd('a.jsonl', { entries: 1, errors: 0, warnings: 0 });
    time += 500;
    to.fileEnd('b.jsonl', { entries: 1, errors: 0, warnings: 0 });
    expect(
      junit(to.end(summary())).children.map(({ attributes }) => [attributes['timestamp'], attributes['time']]),
    ).toEqual([
      ['2026-03-11T10:00:00', '1.250'],
      ['2026-03-11T10:00:01', '0.500'],
    ]);
  });

  it('stays well-formed, with true totals and without raw controls, whatever the log says', () => {
    fc.assert(
      fc.property(fc.array(hostileFinding, { maxLength: 4 }), (findings) => {
        const output = report(
          reporter('junit'),
          findings.map((one) => [one]),
        );
        // That nothing was checked is a suite too.
        expect(junit(output).children).toHaveLength(findings.length || 1);
        expect(rawControls(output)).toEqual([]);
      }),
      settings(300),
    );
  });
});
