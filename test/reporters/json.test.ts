import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/reporters/index.ts';
import { rawControls } from '../support/hostile.ts';
import { settings } from '../support/properties.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

describe('json', () => {
  it('writes one finding a line and the summary last', () => {
    const output = report(reporter('json'), [[finding({ entryId: 'e1', path: 'parentId' })]]);
    expect(output).toBe(
      `{"file":"a.jsonl","line":38,"offset":1204,"rule":"dangling-parent","severity":"error","message":"parent 'x' is not in this file","entryId":"e1","path":"parentId","fixable":true}\n` +
        '{"summary":{"sessions":1,"skipped":0,"failed":0,"entries":40,"errors":1,"warnings":0,"fixable":1,"hidden":0,"suppressed":0,"objections":[]}}\n',
    );
  });

  it('lists in the summary why the run fails beside errors', () => {
    const objections = (over: Partial<Summary>): unknown =>
      (JSON.parse(reporter('json').end(summary(over))) as { summary: Summary }).summary.objections;
    expect(objections({ objections: ['a', 'b'] })).toEqual(['a', 'b']);
    expect(objections({ sessions: 0 })).toEqual(['no sessions checked']);
    expect(objections({ sessions: 0, failed: 1 })).toEqual([]);
  });

  it('leaves out what a finding does not have', () => {
    expect(Object.keys(JSON.parse(reporter('json').finding(finding())))).toEqual([
      'file',
      'line',
      'offset',
      'rule',
      'severity',
      'message',
      'fixable',
    ]);
  });

  it('writes no key that is not documented, even if a finding carries one', () => {
    const more = { ...finding(), secret: 1 };
    expect(reporter('json').finding(more)).not.toContain('secret');
    expect(reporter('json').end({ ...summary(), ...{ secret: 1 } })).not.toContain('secret');
  });

  it('gives back every text exactly, on one line for every kind of line reader, safe on a terminal', () => {
    fc.assert(
      fc.property(fc.array(hostileFinding, { maxLength: 3 }), (findings) => {
        const output = report(reporter('json'), [findings]);
        const lines = output.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/);
        expect(lines.pop()).toBe('');
        expect(lines.slice(0, -1).map((line) => JSON.parse(line) as unknown)).toEqual(findings);
        expect(rawControls(output)).toEqual([]);
      }),
      settings(500),
    );
  });
});
