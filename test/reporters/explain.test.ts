import { describe, expect, it } from 'vitest';
import { explainRule, ruleList } from '../../src/reporters/text.ts';
import type { RuleMeta } from '../../src/rules/rule.ts';
import type { Style } from '../../src/util/io.ts';
import { PLAIN } from '../../src/util/io.ts';

const painted: Style = {
  ...PLAIN,
  bold: (text) => `B${text}`,
  red: (text) => `R${text}`,
  yellow: (text) => `Y${text}`,
  dim: (text) => `D${text}`,
};
const rule: RuleMeta = {
  id: 'some-rule',
  level: 'error',
  fixable: true,
  summary: 'something is wrong',
  why: 'because',
  arises: 'somehow',
  advice: 'fix it',
  example: '{"a":1}\n{"b":2}',
} as RuleMeta;

describe('a rule that is explained', () => {
  it('says its level, whether it is repaired, why, how, what to do, and shows an example', () => {
    expect(explainRule(rule, PLAIN)).toBe(
      [
        'some-rule (error, fixed by repair): something is wrong',
        '',
        'Why it matters\n  because',
        '',
        'How it arises\n  somehow',
        '',
        'What to do\n  fix it',
        '',
        'Example\n  {"a":1}\n  {"b":2}',
        '',
      ].join('\n'),
    );
    expect(explainRule({ ...rule, fixable: false }, PLAIN)).toMatch(/^some-rule \(error\): /);
  });

  it('fills lines up to 80 columns and no further, and leaves a longer word whole', () => {
    const shown = (why: string): string[] =>
      explainRule({ ...rule, why }, PLAIN)
        .split('Why it matters\n')[1]
        ?.split('\n\n')[0]
        ?.split('\n') ?? [];
    const word = (length: number): string => 'x'.repeat(length);
    expect(shown(`${word(38)} ${word(39)}`)).toEqual([`  ${word(38)} ${word(39)}`]);
    expect(shown(`${word(38)} ${word(40)}`)).toEqual([`  ${word(38)}`, `  ${word(40)}`]);
    expect(shown(`a ${word(100)} b`)).toEqual(['  a', `  ${word(100)}`, '  b']);
    expect(shown(`${word(100)} b`)).toEqual([`  ${word(100)}`, '  b']);
    const words = 'some words of a sentence that goes on '.repeat(20).trim();
    expect(shown(words).every((line) => line.length <= 80 && line.startsWith('  '))).toBe(true);
    expect(
      shown(words)
        .map((line) => line.trim())
        .join(' '),
    ).toBe(words);
  });

  it('is listed in columns, each level in its color', () => {
    const rules = [
      rule,
      { ...rule, id: 'x', level: 'warning' as const },
      { ...rule, id: 'longer-name', level: 'off' as const },
    ];
    expect(ruleList(rules, PLAIN)).toBe(
      'some-rule    error    something is wrong\nx            warning  something is wrong\nlonger-name  off      something is wrong\n',
    );
    expect(ruleList(rules, painted)).toMatch(
      /^Bsome-rule {4}Rerror {4}something.*\nBx {12}Ywarning {2}.*\nBlonger-name {2}Doff {6}/,
    );
  });
});
