import { describe, expect, it } from 'vitest';
import { exampleOf, missingFrom, placesOf } from '../../scripts/rule-examples.ts';
import { rules } from '../../src/rules/index.ts';
import { run } from '../support/run.ts';

describe('the example of the rule', () => {
  it.each(rules)('$id is in the log of its fixture, and validate reports the rule there', async (rule) => {
    const { argv, places } = exampleOf(rule);
    const { stdout } = await run(argv);
    const found = [...stdout.matchAll(/^[^:]+:(\d+): (?:error|warning): ([\w-]+): /gm)];
    const lines = found.filter(([, , id]) => id === rule.id).map(([, line]) => Number(line));
    const isShown = places.some(([first, last]) => lines.some((line) => first <= line && line <= last));
    const message = `'sessionctl ${argv.join(' ')}' reports ${rule.id} on lines [${lines}], the example is lines [${places.join('], [')}]`;
    expect(isShown, message).toBe(true);
  });
});

describe('an example', () => {
  const places = (example: string, log: string) => placesOf(example, Buffer.from(log, 'latin1'));

  it('is whole lines of the log, one after the other', () => {
    expect(places('b\nc', 'a\nb\nc\nd\n')).toEqual([[2, 3]]);
    expect(places('b', 'ab\nbc\nb\n')).toEqual([[3, 3]]);
    expect(places('b\nd', 'b\nc\nd\n')).toEqual([]);
    expect(places('a\n\nb', 'a\n\nb\n')).toEqual([[1, 3]]);
  });

  it('leaves out a part of a line, or lines, where it has …', () => {
    expect(places('{"id":1,…}', '{"id":1}\n{"id":1,"x":2}\n')).toEqual([[2, 2]]);
    expect(places('a…z', 'a\nz\n')).toEqual([]);
    expect(places('a\n…\nz', 'a\nb\nc\nz\n')).toEqual([[1, 4]]);
  });

  it('names bytes as \\xNN, and the end of a log without a newline as a diff does', () => {
    expect(places('caf\\xe9', 'caf\xe9\n')).toEqual([[1, 1]]);
    expect(places('\\ud83d', '\\ud83d\n')).toEqual([[1, 1]]);
    expect(places('b\n\\ No newline at end of file', 'b\nb')).toEqual([[2, 2]]);
    expect(places('b\n\\ No newline at end of file', 'a\nb\n')).toEqual([]);
  });

  it('is told by its first line that is in no log, or by the order of its lines', () => {
    const logs = [Buffer.from('{"a":1}\n{"b":2}')];
    const anyText = "('…' is one character or more)";
    expect(missingFrom('{"a":1}\n{…"b":2}', logs)).toBe(`no whole line is {…"b":2} ${anyText}`);
    expect(missingFrom('{"c":3}\n\\ No newline at end of file', logs)).toBe(`no whole line is {"c":3} ${anyText}`);
    expect(missingFrom('{"b":2}\n{"a":1}', logs)).toMatch(/^all of its lines are there/);
  });
});
