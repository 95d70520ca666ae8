import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/run.ts';

const types = join(projectRoot, 'dist/types');

/** Every name that the built package exports, with its kind, and for a function how it is called. */
function publicApi(): string[] {
  const index = readFileSync(join(types, 'index.d.ts'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const lines: string[] = [];
  for (const [, onlyTypes, names = '', from = ''] of index.matchAll(/export (type )?\{([^}]*)\} from '([^']+)';/g)) {
    for (const name of names.split(',').map((one) => one.trim())) {
      if (name === '') continue;
      const isType = onlyTypes !== undefined || name.startsWith('type ');
      const plain = name.replace(/^type /, '').replace(/^.* as /, '');
      lines.push(isType ? `type ${plain}` : declaration(plain, from));
    }
  }
  for (const [, from = ''] of index.matchAll(/export type \* from '([^']+)';/g)) {
    const source = readFileSync(join(types, from.replace(/\.ts$/, '.d.ts')), 'utf8');
    for (const [, name] of source.matchAll(/^export (?:interface|type) (\w+)/gm)) lines.push(`type ${name}`);
  }
  return lines.sort();
}

function declaration(name: string, from: string): string {
  const file = join(types, dirname(from), from.slice(from.lastIndexOf('/') + 1).replace(/\.(?:ts|js)$/, '.d.ts'));
  expect(existsSync(file), file).toBe(true);
  const source = readFileSync(file, 'utf8');
  const [, after] = source.split(new RegExp(`^export declare function (?=${name}\\b)`, 'm'));
  const signature = after?.split(/\n(?:export|\/)/)[0]?.trim();
  if (signature) return `function ${signature.replace(/\s+/g, ' ')}`;
  const kind = new RegExp(`^export declare (?:abstract )?(class|const) ${name}\\b`, 'm').exec(source)?.[1];
  return `${kind ?? 'unknown'} ${name}`;
}

describe('the public API', () => {
  it('is what test/library/public-api.txt says; change the file with the API, and the CHANGELOG with both', () => {
    const listed = readFileSync(join(projectRoot, 'test/library/public-api.txt'), 'utf8');
    expect(`${publicApi().join('\n')}\n`).toBe(listed);
  });

  it('is there at run time, and nothing else is', async () => {
    const library = (await import(join(projectRoot, 'dist/index.js'))) as Record<string, unknown>;
    const wanted = publicApi().flatMap((line) => /^(function|class|const) (\w+)/.exec(line)?.[2] ?? []);
    expect(Object.keys(library).sort()).toEqual(wanted.sort());
    for (const name of wanted) expect(typeof library[name], name).toBe('function');
  });

  it('is reported in docs/library.md, function by function', () => {
    const page = readFileSync(join(projectRoot, 'docs/library.md'), 'utf8');
    const functions = publicApi().flatMap((line) => /^function (\w+)/.exec(line)?.[1] ?? []);
    expect(functions.length).toBeGreaterThan(10);
    for (const name of functions) expect(page, name).toContain(`\`${name}(`);
  });
});
