import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './support/run.ts';

/** The folders of src, and the files beside them: each imports only from layers above its own. */
const LAYERS = `json scanner util / lines transcript / entries / formats / log / files tree /
  blobs context exporters overview rules / redact repair reporters / shared status /
  completion convert diff sessions validate / stats /
  commands library / cli core.ts index.ts / main.ts`.split('/');

/** Who alone imports a package, a module of Node or the folder files. Nobody imports what is not named, such as node:http. */
const IMPORTED_BY: Readonly<Record<string, string>> = {
  'files/': 'blobs cli commands convert sessions shared stats validate',
  'yargs/helpers': 'cli',
  chalk: 'cli',
  split2: 'lines',
  'zod/mini': 'entries formats validate',
  'zod/v4/core': 'entries validate',
  'markdown-it': 'exporters',
  fzstd: 'files',
  'node-sqlite3-wasm': 'files',
  re2js: 'sessions',
  '@pydantic/genai-prices': 'stats',
  '@secretlint/secretlint-rule-preset-recommend': 'redact',
  picomatch: 'validate',
  diff: 'diff exporters',
  'get-east-asian-width': 'util',
  'node:events': 'files',
  'node:fs': 'files',
  'node:fs/promises': 'files',
  'node:os': 'files',
  'node:path': 'files commands convert sessions shared validate',
  'node:worker_threads': 'files',
  ...Object.fromEntries(['buffer', 'crypto', 'stream', 'string_decoder', 'util'].map((name) => [`node:${name}`, '*'])),
};

/** Who alone uses a global; the others are handed what they need. */
const USED_BY: readonly (readonly [use: RegExp, by: string])[] = [
  [/(?<![\w.'`])process(?:[.[]|;$)/m, 'cli'],
  [/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/, 'cli files'],
  [/(?<![\w.'`])console\.|\bMath\.random\b|(?<![\w.])fetch\(/, ''],
];

function offences(file: string, source: string): string[] {
  const from = file.split('/')[0] as string;
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const layerOf = (name: string): number => LAYERS.findIndex((layer) => layer.trim().split(/\s+/).includes(name));
  const isAllowed = (name: string, by = IMPORTED_BY[name]): boolean =>
    by === '*' || by?.split(' ').includes(from) === true;
  const isForbidden = (name: string): boolean => {
    if (!name.startsWith('.')) return !isAllowed(name);
    const to = join(dirname(file), name).split('/')[0] as string;
    if (to === from || join(dirname(file), name) === '../package.json') return false;
    return layerOf(to) < 0 || layerOf(to) >= layerOf(from) || (to === 'files' && !isAllowed('files/'));
  };
  const imports = code.matchAll(/^(?:import|export)\b(?:[\w\s{},*]*\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm);
  const globals = USED_BY.filter(([use, by]) => use.test(code) && !by.split(' ').includes(from)).map(
    ([use]) => use.source,
  );
  return [...[...imports].map((match) => match[1] ?? match[2] ?? '').filter(isForbidden), ...globals];
}

describe('the boundaries between the folders of src', () => {
  it('hold', () => {
    const src = join(projectRoot, 'src');
    // Another language, and scripts for browsers.
    const isOther = (name: string): boolean =>
      /^scanner\/assembly\/|^exporters\/html\/script[\w-]*\.ts$|(?<!\.ts)$/.test(name);
    const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
    const found = names
      .filter((name) => !isOther(name))
      .map((name) => [name, offences(name, readFileSync(join(src, name), 'utf8'))]);
    expect(found.filter(([, what]) => what?.length)).toEqual([]);
  });

  it.each([
    ['tree/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['tree/a.ts', "import {\n  a,\n  type B,\n} from '../rules/index.ts';"],
    ['exporters/a.ts', "import { openStore } from '../files/store.ts';"],
    ['context/deep/a.ts', "export * from '../../commands/index.ts';"],
    ['commands/a.ts', "import yargs from 'yargs';"],
    ['commands/a.ts', "const { request } = await import('node:https');"],
    ['cli/a.ts', "import 'zod';"],
    ['rules/a.ts', "console.log('x');"],
    ['tree/a.ts', 'const { env } = process;'],
    ['entries/a.ts', 'const now = Date.now();'],
  ])('stop in %s: %s', (file, source) => {
    expect(offences(file, source)).toHaveLength(1);
  });
});
