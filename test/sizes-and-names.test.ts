import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './support/run.ts';

const src = join(projectRoot, 'src');
const names = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /(?<!\.generated)\.ts$/.test(name));
const sourceOf = (name: string): string => readFileSync(join(src, name), 'utf8');

/** The types that a file declares, also inside of a function. */
function typesIn(source: string): string[] {
  const declarations =
    /^\s*(?:export )?(?:declare )?(?:abstract |const )?(?:interface|type|class|enum) (\w+)(?=[ <])/gm;
  return [...source.matchAll(declarations)].map(([, type]) => type as string);
}

describe('the files of src', () => {
  it('have no name of a type twice: who looks for one finds it', () => {
    const types = names
      .filter((name) => !name.startsWith('scanner/assembly/'))
      .flatMap((name) => typesIn(sourceOf(name)));
    expect(types.length).toBeGreaterThan(500);
    expect(types.filter((type, at) => types.indexOf(type) !== at)).toEqual([]);
    expect(typesIn('export abstract class A {}\n  type B<C> = C;\n  type D,\nexport const enum E {}')).toEqual([
      'A',
      'B',
      'E',
    ]);
  });

  it('are not too long to read at once', () => {
    const most = (name: string): number => (dirname(name) === 'commands' ? 250 : 400);
    expect(names.length).toBeGreaterThan(400);
    expect(names.filter((name) => sourceOf(name).split('\n').length - 1 > most(name))).toEqual([]);
  });
});
