import { describe, expect, it } from 'vitest';
import { mutationsOf } from './mutations.ts';
import { tokensOf } from './tokens.ts';

const mutated = (source: string): string[] =>
  mutationsOf(source).map((mutation) => source.slice(0, mutation.start) + mutation.with + source.slice(mutation.end));

describe('the tokens of a source', () => {
  it('leave out comments, and keep strings, regular expressions and the pieces of templates whole', () => {
    const code = (text: string): string => '$' + `{${text}}`;
    const source = "a / b; // x\nc(/[/'`]+/g, 'it\\'s', `t " + code('d({ e: `' + code('f') + '` })') + ' u`); /* 1 + 1 */';
    const words = tokensOf(source).map(({ text }) => text);
    expect(words.slice(0, 10)).toEqual(['a', '/', 'b', ';', 'c', '(', "/[/'`]+/g", ',', "'it\\'s'", ',']);
    expect(words.slice(10).join(' ')).toBe('t $' + '{ d ( { e : $' + '{ f ` } )  u` ) ;');
  });
});

describe('mutations', () => {
  it('swap operators, flip booleans, move numbers by one and take a not away', () => {
    expect(mutated('const x = a < 1 && !b;')).toEqual([
      'const x = a <= 1 && !b;',
      'const x = a < 2 && !b;',
      'const x = a < 1 || !b;',
      'const x = a < 1 && b;',
    ]);
    expect(mutated('const x = a === b + c || true;')).toEqual([
      'const x = a !== b + c || true;',
      'const x = a === b - c || true;',
      'const x = a === b + c && true;',
      'const x = a === b + c || false;',
    ]);
  });

  it('drop a statement, a guard or what is returned, and leave the head of a loop', () => {
    expect(mutated('{ f(a, b); }')).toEqual(['{ ; }']);
    expect(mutated('{ if (a) continue; }')).toEqual(['{ if (a) ; }']);
    expect(mutated('{ return a.b; }')).toEqual(['{ return undefined; }']);
    expect(mutated('for (; a; b()) c();')).toEqual(['for (; a; b()) ;']);
  });

  it('empty a string that something is compared with or looked up by, and no message', () => {
    expect(mutated("const x = a.has('b') ? 'c' : d['e'];")).toEqual(["const x = a.has('') ? 'c' : d['e'];"]);
    expect(mutated("const x = a === 'b' ? 'c' : `d`;")).toContain("const x = a === '' ? 'c' : `d`;");
  });

  it('keep away from comments, imports, types and generics', () => {
    expect(mutated("// 1 < 2\nimport { a } from './b1.ts';\nexport type { c } from './d.ts';")).toEqual([]);
    expect(mutated('export interface A { readonly b: true; c(): 1 }\ntype D = { e: 2; f: false };')).toEqual([]);
    expect(mutated('const a: Map<string, B<C>> = new Map<string, B<C>>();')).toEqual([]);
    expect(mutated('class A { constructor() {} }')).toEqual([]);
  });
});
