import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeStyle } from '../../src/cli/io.ts';
import type { Summary } from '../../src/reporters/reporter.ts';
import { rawControls } from '../support/hostile.ts';
import { settings } from '../support/properties.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

const colored = await makeStyle(true);

describe('text into a pipe', () => {
  it('writes one greppable line for each finding and nothing else', () => {
    const output = report(reporter('text'), [
      [finding(), finding({ line: 40, severity: 'warning', rule: 'stale-leaf', message: 'm' })],
      [],
    ]);
    expect(output).toBe(
      "a.jsonl:38: error: dangling-parent: parent 'x' is not in this file\na.jsonl:40: warning: stale-leaf: m\n",
    );
  });

  it('has color where that is asked for', () => {
    expect(reporter('text', { style: colored }).finding(finding({ message: 'm' }))).toBe(
      'a.jsonl:38: \u001b[31merror\u001b[39m: \u001b[1mdangling-parent\u001b[22m: m\n',
    );
    expect(reporter('text', { style: colored }).finding(finding({ severity: 'warning' }))).toContain(
      '\u001b[33mwarning\u001b[39m',
    );
  });

  it('keeps every finding on its line, whatever the log or the path says', () => {
    fc.assert(
      fc.property(hostileFinding, (one) => {
        const output = reporter('text').finding(one);
        expect(output.split(/[\n\r\u0085\u2028\u2029\v\f]/)).toHaveLength(2);
        expect(output).toContain(`:${one.line}: ${one.severity}: ${one.rule}: `);
      }),
      settings(500),
    );
  });

  it('leaves a path as it is, so that it can be opened, where that breaks no line', () => {
    expect(reporter('text').finding(finding({ file: 'sess\u00efon \u200bx.jsonl' }))).toContain(
      'sess\u00efon \u200bx.jsonl:38:',
    );
    expect(reporter('text').finding(finding({ file: 'a\nb.jsonl' }))).toContain('a\\nb.jsonl:38:');
  });
});

describe('text on a terminal', () => {
  it('groups by file, leaves files without findings out and ends with one line of summary', () => {
    const files = [
      [finding(), finding({ line: 7, message: 'other' })],
      [],
      [finding({ file: 'b.jsonl', severity: 'warning', rule: 'stale-leaf', message: 'm' })],
    ];
    expect(report(reporter('text', { isTerminal: true }), files, { entries: 1204 })).toBe(
      [
        'a.jsonl',
        "    38  error    dangling-parent: parent 'x' is not in this file",
        '     7  error    dangling-parent: other',
        '',
        'b.jsonl',
        '    40  warning  stale-leaf: m'.replace('40', '38'),
        '',
        "2 errors and 1 warning in 3 sessions (1,204 entries); all can be fixed by 'sessionctl repair'",
        '',
      ].join('\n'),
    );
  });

  it('says that nothing is wrong', () => {
    expect(reporter('text', { isTerminal: true }).end(summary())).toBe('no problems found in 1 session (40 entries)\n');
  });

  it('says which warnings repair fixes only where it is asked to', () => {
    const line = (over: Partial<Summary>) => reporter('text', { isTerminal: true }).end(summary(over)).trimEnd();
    const two = { 'forward-parent': 1, 'blank-line': 2 };
    expect(line({ errors: 2, warnings: 4, fixable: 4, fixableWarnings: two })).toBe(
      "2 errors and 4 warnings in 1 session (40 entries); 1 can be fixed by 'sessionctl repair'; 3 more by 'sessionctl repair --only blank-line,forward-parent'",
    );
    expect(line({ warnings: 3, fixable: 3, fixableWarnings: two })).toBe(
      "3 warnings in 1 session (40 entries); all can be fixed by 'sessionctl repair --only blank-line,forward-parent'",
    );
    expect(line({ warnings: 1, fixable: 1, fixableWarnings: { 'blank-line': 1 } })).toBe(
      "1 warning in 1 session (40 entries); 1 can be fixed by 'sessionctl repair --only blank-line'",
    );
  });

  it('tells what was skipped, hidden and not readable', () => {
    const skippedKinds = { 'text file': 1, 'Codex rollout': 12, 'Goose session': 1 };
    const line = reporter('text', { isTerminal: true }).end(
      summary({ errors: 12, fixable: 3, hidden: 2, skipped: 14, skippedKinds, failed: 4 }),
    );
    expect(line).toBe(
      "12 errors in 1 session (40 entries); 2 findings not shown because of --max-findings; 3 can be fixed by 'sessionctl repair'; 12 Codex rollouts, 1 text file and 1 Goose session, not checked; 4 files could not be checked\n",
    );
  });

  it('tells findings of one rule and one cause once, with their number and the first line', () => {
    const transient = (line: number) =>
      finding({ line, rule: 'transient-field', message: 'm', severity: 'warning', entryId: `${line}` });
    const files = [
      [
        transient(17),
        finding(),
        transient(20),
        transient(20),
        finding({ line: 99 }),
        finding({ line: 3, message: 'x' }),
      ],
    ];
    expect(report(reporter('text', { isTerminal: true }), files)).toBe(
      [
        'a.jsonl',
        '    17  warning  transient-field: 2 entries, first on line 17: m',
        "    38  error    dangling-parent: 2 lines, first on line 38: parent 'x' is not in this file",
        '     3  error    dangling-parent: x',
        '',
        "'--all' lists each finding",
        "3 errors and 3 warnings in 1 session (40 entries); all can be fixed by 'sessionctl repair'",
        '',
      ].join('\n'),
    );
    const same = [finding({ path: 'a' }), finding({ path: 'b' })];
    expect(report(reporter('text', { isTerminal: true }), [same])).toContain(
      'dangling-parent: 2 findings on line 38: ',
    );
    const all = report(reporter('text', { isTerminal: true, listsAll: true }), files);
    expect(all.match(/^ +\d+ {2}/gm)).toHaveLength(6);
    expect(all).not.toContain('--all');
  });

  it('shows what was found before a file could not be read any further', () => {
    const to = reporter('text', { isTerminal: true });
    expect(to.file('a') + to.finding(finding()) + to.failed('a', 'disk')).toContain('dangling-parent');
  });

  it('holds no more than so many causes of one file', () => {
    const to = reporter('text', { isTerminal: true });
    to.file('a');
    const printed = Array.from({ length: 1_500 }, (_, line) => to.finding(finding({ line, message: `${line}` })));
    expect(printed.join('').match(/^ +\d+ {2}/gm)).toHaveLength(1_000);
  });

  it('colors errors red, warnings yellow and a clean result green', () => {
    const make = () => reporter('text', { isTerminal: true, style: colored });
    expect(report(make(), [[finding()]])).toContain('\u001b[31merror');
    expect(report(make(), [[finding({ severity: 'warning' })]])).toContain('\u001b[33mwarning');
    expect(make().end(summary())).toContain('\u001b[32mno problems found');
    expect(make().end(summary({ failed: 1 }))).toContain('\u001b[31mno problems found');
    expect(make().end(summary({ objections: ['a'] }))).toContain('\u001b[31mno problems found');
  });

  it('never hands a control character of a log or a path to the terminal', () => {
    fc.assert(
      fc.property(fc.array(hostileFinding, { maxLength: 4 }), (findings) => {
        const output = report(
          reporter('text', { isTerminal: true, style: colored }),
          findings.map((one) => [one]),
        );
        expect(rawControls(output)).toEqual([]);
      }),
      settings(500),
    );
  });
});
