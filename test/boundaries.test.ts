import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './support/run.ts';

/** Which folders of src a folder, or a file beside them, may import from. */
const MAY_IMPORT = table({
  util: '',
  scanner: 'util',
  files: 'log util',
  lines: 'util',
  json: '',
  entries: 'json lines util',
  formats: 'entries json lines util',
  log: 'entries formats json lines scanner util',
  tree: 'entries formats json log util',
  transcript: 'json',
  context: 'entries json log transcript tree util',
  status: 'context entries json log transcript tree util',
  diff: 'context entries json log status transcript tree util',
  overview: 'context entries json log transcript tree util',
  rules: 'entries formats json lines log scanner transcript tree util',
  repair: 'entries formats json lines log rules scanner util',
  validate: 'blobs files formats lines reporters rules scanner util',
  reporters: 'rules util',
  exporters: 'entries json log transcript tree util',
  blobs: 'entries files json lines scanner util',
  shared: 'blobs context entries files formats lines log overview scanner tree util',
  completion: 'shared util',
  commands:
    'blobs completion context diff entries exporters files formats json lines log overview repair reporters rules scanner shared status tree util validate',
  cli: 'commands files shared util',
  'main.ts': 'cli',
  library: 'context entries formats json lines log repair rules status tree util validate',
  'index.ts': 'context entries formats json library log repair rules status tree util',
});

/** Who alone imports a package or a module of Node. What is not named, such as node:http, nobody imports. */
const IMPORTED_BY = table({
  ...{
    'yargs/helpers': 'cli',
    chalk: 'cli',
    split2: 'lines',
    'zod/mini': 'entries',
    'markdown-it': 'exporters',
    diff: 'diff exporters',
    'get-east-asian-width': 'util',
  },
  ...{
    'node:events': 'files',
    'node:fs': 'files',
    'node:fs/promises': 'files',
    'node:os': 'files',
    'node:path': 'files commands',
    'node:worker_threads': 'files validate',
  },
  ...{ 'node:buffer': '*', 'node:crypto': '*', 'node:stream': '*', 'node:string_decoder': '*', 'node:util': '*' },
});

/** Who alone uses a global; the others are handed what they need. */
const USED_BY: readonly (readonly [use: RegExp, by: string])[] = [
  [/(?<![\w.'`])process(?:[.[]|;$)/m, 'cli'],
  [/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/, 'cli files'],
  [/(?<![\w.'`])console\.|\bMath\.random\b|(?<![\w.])fetch\(/, ''],
];

function table(rows: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(rows).map(([name, words]) => [name, words.split(' ')]));
}

function offences(file: string, source: string): string[] {
  const from = file.split('/')[0] as string;
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const isForbidden = (name: string): boolean => {
    if (!name.startsWith('.')) return !IMPORTED_BY.get(name)?.some((by) => by === from || by === '*');
    const to = join(dirname(file), name);
    return to !== '../package.json' && ![from, ...(MAY_IMPORT.get(from) ?? [])].includes(to.split('/')[0] as string);
  };
  const imports = code.matchAll(/^(?:import|export)\b(?:[\w\s{},*]*\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm);
  const globals = USED_BY.filter(([use, by]) => use.test(code) && !by.split(' ').includes(from)).map(
    ([use]) => use.source,
  );
  return [...[...imports].map((match) => match[1] ?? match[2] ?? '').filter(isForbidden), ...globals].map(
    (what) => `${file}: ${what}`,
  );
}

describe('the boundaries between the folders of src', () => {
  it('hold', () => {
    const src = join(projectRoot, 'src');
    // Another language, and a script for browsers.
    const isOther = (name: string): boolean =>
      /^scanner\/assembly\/|^exporters\/html\/script\.ts$|(?<!\.ts)$/.test(name);
    const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
    expect(
      names.filter((name) => !isOther(name)).flatMap((name) => offences(name, readFileSync(join(src, name), 'utf8'))),
    ).toEqual([]);
  });

  it.each([
    ['tree/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['tree/a.ts', "import {\n  a,\n  type B,\n} from '../rules/index.ts';"],
    ['context/deep/a.ts', "export * from '../../commands/index.ts';"],
    ['commands/a.ts', "import yargs from 'yargs';"],
    ['commands/a.ts', "const { request } = await import('node:https');"],
    ['cli/a.ts', "import 'zod';"],
    ['main.ts', "import { commands } from './commands/index.ts';"],
    ['rules/a.ts', "console.log('x');"],
    ['tree/a.ts', 'const { env } = process;'],
    ['entries/a.ts', 'const now = Date.now();'],
  ])('stop in %s: %s', (file, source) => {
    expect(offences(file, source)).toHaveLength(1);
  });
});
