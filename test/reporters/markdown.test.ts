import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { settings } from '../support/properties.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

const html = (markdown: string): string =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });

describe('markdown', () => {
  it('has the summary, the findings with errors first, and what was not checked', () => {
    const to = reporter('markdown');
    const output =
      to.begin() +
      to.finding(finding({ severity: 'warning', rule: 'stale-leaf', message: 'a|b', line: 3 })) +
      to.finding(finding()) +
      to.skipped('notes.jsonl', 'is plain text') +
      to.failed('gone.jsonl', 'no such file') +
      to.end(summary({ errors: 1, warnings: 1, fixable: 1, failed: 1, skippedKinds: { 'text file': 1 } }));
    expect(output).toBe(`### sessionctl validate

1 error and 1 warning in 1 session (40 entries); 1 can be fixed by 'sessionctl repair'; 1 text file, not checked; 1 file could not be checked

| File | Line | Level | Rule | Finding |
| --- | ---: | --- | --- | --- |
| a.jsonl | 38 | error | dangling-parent | parent 'x' is not in this file |
| a.jsonl | 3 | warning | stale-leaf | a\\|b |

| Not checked | Why |
| --- | --- |
| notes.jsonl | is plain text |
| gone.jsonl | no such file |
`);
  });

  it('is no table where there is nothing to list', () => {
    expect(report(reporter('markdown'), [[]])).toBe(
      '### sessionctl validate\n\nno problems found in 1 session (40 entries)\n',
    );
  });

  it('says below the summary why the run fails beside errors', () => {
    expect(report(reporter('markdown'), [[]], { objections: ['a *b*', 'c'] })).toBe(
      '### sessionctl validate\n\nno problems found in 1 session (40 entries)\n\n**Failed:** a \\*b\\*\n\n**Failed:** c\n',
    );
  });

  it('stays below what GitHub takes, and says how much is missing', () => {
    const findings = Array.from({ length: 9_000 }, (_, line) => finding({ line, message: 'x'.repeat(200) }));
    const output = report(reporter('markdown'), [findings]);
    expect(Buffer.byteLength(output)).toBeLessThan(1024 * 1024);
    const shown = output.match(/^\| a\.jsonl /gm)?.length ?? 0;
    expect(output).toContain(`\n${(9_000 - shown).toLocaleString('en')} more lines would not fit; the text format`);
  });

  it('is a table of five cells a finding, without a link, a picture or a tag, whatever the log says', () => {
    fc.assert(
      fc.property(fc.array(hostileFinding, { minLength: 1, maxLength: 4 }), (findings) => {
        const page = html(report(reporter('markdown'), [findings]));
        expect(page.match(/<td/g)).toHaveLength(findings.length * 5);
        const tags = /<\/?(?:h3|p|table|thead|tbody|tr|th|td)(?: align="right")?>/g;
        expect(page.replace(tags, '')).not.toMatch(/</);
      }),
      settings(300),
    );
  });
});
