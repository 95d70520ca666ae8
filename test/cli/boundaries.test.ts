import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

interface Offence {
  readonly file: string;
  readonly source: string;
  readonly rule: string;
  readonly because: string;
}

const IMPORTS = 'lint/style/noRestrictedImports';

/** One sin for each wall of the house. */
const offences: readonly Offence[] = [
  {
    file: 'src/base/a.ts',
    source: "import { commands } from '../commands/index.ts';",
    rule: IMPORTS,
    because: 'base may import only base',
  },
  {
    file: 'src/files/a.ts',
    source: "import { Line } from '../lines/line.ts';",
    rule: IMPORTS,
    because: 'files may import only base',
  },
  { file: 'src/lines/a.ts', source: "import { z } from 'zod';", rule: IMPORTS, because: 'Only entries knows zod' },
  { file: 'src/entries/a.ts', source: "import split2 from 'split2';", rule: IMPORTS, because: 'Only lines knows split2' },
  {
    file: 'src/entries/b.ts',
    source: "import { x } from '../tree/index.ts';",
    rule: IMPORTS,
    because: 'entries may import only base, lines',
  },
  { file: 'src/tree/a.ts', source: "import { readFile } from 'node:fs/promises';", rule: IMPORTS, because: 'Only files knows the file' },
  { file: 'src/tree/b.ts', source: "import { x } from '../rules/index.ts';", rule: IMPORTS, because: 'tree may import only' },
  { file: 'src/projection/a.ts', source: "import { x } from '../files/input.ts';", rule: IMPORTS, because: 'projection may import only' },
  { file: 'src/projection/deep/a.ts', source: "import { Chalk } from 'chalk';", rule: IMPORTS, because: 'Only cli knows chalk' },
  { file: 'src/blobs/a.ts', source: "import { x } from '../rules/index.ts';", rule: IMPORTS, because: 'blobs may import only' },
  { file: 'src/repair/a.ts', source: "import { x } from '../reporters/index.ts';", rule: IMPORTS, because: 'repair may import only' },
  { file: 'src/rules/a.ts', source: "import { x } from '../reporters/index.ts';", rule: IMPORTS, because: 'rules may import only' },
  { file: 'src/formats/a.ts', source: "import { x } from '../tree/index.ts';", rule: IMPORTS, because: 'formats may import only' },
  {
    file: 'src/reporters/a.ts',
    source: "import type { Style } from '../commands/command.ts';",
    rule: IMPORTS,
    because: 'reporters may import',
  },
  { file: 'src/exporters/a.ts', source: "import { x } from '../files/input.ts';", rule: IMPORTS, because: 'exporters may import only' },
  { file: 'src/commands/a.ts', source: "import yargs from 'yargs';", rule: IMPORTS, because: 'Only cli knows yargs' },
  { file: 'src/commands/b.ts', source: "import { run } from '../cli/run.ts';", rule: IMPORTS, because: 'commands may import only' },
  { file: 'src/commands/c.ts', source: "import { request } from 'node:https';", rule: IMPORTS, because: 'No command opens the network' },
  {
    file: 'src/commands/d.ts',
    source: "import { spawn } from 'node:child_process';",
    rule: IMPORTS,
    because: 'No command opens the network',
  },
  { file: 'src/cli/a.ts', source: "import { x } from '../rules/index.ts';", rule: IMPORTS, because: 'cli may import only base, commands' },
  { file: 'src/main.ts', source: "import { commands } from './commands/index.ts';", rule: IMPORTS, because: 'main may import only cli' },
  { file: 'src/index.ts', source: "export { openInput } from './files/input.ts';", rule: IMPORTS, because: 'The library is made of' },
  { file: 'src/rules/b.ts', source: "console.log('x');", rule: 'lint/suspicious/noConsole', because: '' },
  { file: 'src/tree/c.ts', source: 'export const home = process.env;', rule: 'lint/style/noRestrictedGlobals', because: 'Hand it in' },
  {
    file: 'src/tree/d.ts',
    source: "import { x } from './e.ts';\nexport const y = x;",
    rule: 'lint/suspicious/noImportCycles',
    because: '',
  },
];

const biome = join(projectRoot, 'node_modules/@biomejs/biome/bin/biome');

function lint(folder: string): { readonly code: number | null; readonly output: string } {
  const argv = [biome, 'lint', '--error-on-warnings', '--max-diagnostics=none', '--colors=off', '.'];
  const ran = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
  return { code: ran.status, output: ran.stdout + ran.stderr };
}

describe('the walls between the rooms', () => {
  const folder = scratchFolder();
  cpSync(join(projectRoot, '.biome.json'), join(folder, '.biome.json'));
  cpSync(join(projectRoot, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(projectRoot, 'package.json'), join(folder, 'package.json'));

  it('let the sources as they are pass', () => {
    expect(lint(folder)).toMatchObject({ code: 0 });
  });

  it('stop every forbidden import and every way around handing things in', () => {
    const added = [...offences, { file: 'src/tree/e.ts', source: "import { y } from './d.ts';\nexport const x = y;" }];
    for (const { file, source } of added) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${source}\n`);
    }
    const { code, output } = lint(folder);
    for (const { file } of added) rmSync(join(folder, file));
    expect(code).toBe(1);
    const told = output.split(/\n(?=\S+:\d+:\d+ lint\/)/);
    const missed = offences.filter(
      ({ file, rule, because }) =>
        !told.some((one) => one.startsWith(`${file}:`) && one.includes(rule) && one.replace(/\s+/g, ' ').includes(because)),
    );
    expect(missed).toEqual([]);
  });
});
