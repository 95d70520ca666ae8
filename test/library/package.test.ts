import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { projectRoot, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const pages = ['README.md', 'docs/library.md'].map((page) => readFileSync(join(projectRoot, page), 'utf8'));
const examples = [...pages.join('\n').matchAll(/```[jt]s\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
const folder = scratchFolder();
mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
symlinkSync(projectRoot, join(folder, 'node_modules/sessionctl'));
symlinkSync(join(projectRoot, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));

/** The very lines of the pages, as somebody who installed the package would run them. */
async function runExample(at: number, path: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const file = join(folder, `example-${at}.mjs`);
  writeFileSync(file, `const path = process.argv[2];\n${examples[at]}console.log('done');\n`);
  return await spawnCommand(process.execPath, [file, join(projectRoot, path)], { cwd: folder });
}

async function compile(...names: string[]): Promise<{ code: number; stdout: string }> {
  const compiler = join(projectRoot, 'node_modules/.bin/tsc');
  const flags = '--strict --noEmit --module nodenext --target es2023 --lib es2023,dom,dom.asynciterable --types node';
  return await spawnCommand(compiler, [...flags.split(' '), ...names], { cwd: folder });
}

describe('what the pages say of the library', () => {
  it('validates before a resume in five lines', async () => {
    expect(examples[0]?.trim().split('\n')).toHaveLength(5);
    expect(await runExample(0, 'fixtures/sessions/pi-branches.jsonl')).toMatchObject({
      code: 0,
      stdout: 'done\n',
      stderr: '',
    });
    const damaged = await runExample(0, 'fixtures/readme/crashed.jsonl');
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toContain('Error: not safe to resume: 3 errors, ');
    const pending = await runExample(0, 'fixtures/sessions/pi-pending-call.jsonl');
    expect(pending.stderr).toContain('Error: not safe to resume: 0 errors, ');
  });

  it('has a second example that works', async () => {
    const ran = await runExample(1, 'fixtures/sessions/pi-branches.jsonl');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^\d+ .+\n(?:\d+ .+\n)*done\n$/);
  });

  it('has a third example that continues a session on another branch', async () => {
    expect(await runExample(2, 'fixtures/sessions/pi-branches.jsonl')).toMatchObject({ code: 0, stderr: '' });
    const [header, ...entries] = readFileSync(join(folder, 'new.jsonl'), 'utf8').trimEnd().split('\n');
    expect(header).toContain('"parentSession":"57a3af4e-d1fb-48c0-aa34-05151c48b786"');
    expect(entries.at(-1)).toMatch(/"parentId":"bfe0604a".*"content":"Go on\."/);
  });

  it('compiles as it stands, with every check of the compiler', async () => {
    const names = examples.map((example, at) => {
      const given = 'declare const path: string;\ndeclare const file: File;\n';
      // The first ones declare the file themselves.
      const text = `${example.includes('const file') ? 'declare const path: string;\n' : given}${example}export {};\n`;
      writeFileSync(join(folder, `example-${at}.mts`), text);
      return `example-${at}.mts`;
    });
    expect(names).toHaveLength(4);
    expect(await compile(...names)).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('the types of guards', () => {
  it('narrow what was read to one type, or to all known ones, without a cast', async () => {
    writeFileSync(
      join(folder, 'guards.mts'),
      `import { type Block, type Entry, isBlock, isEntry, isMessage, type Message, openSession, pathTo } from 'sessionctl';
export async function* reported(log: Uint8Array, given: unknown): AsyncGenerator<string> {
  for await (const { value } of pathTo(await openSession(log))) {
    if (!isEntry(value)) continue;
    const entry: Entry = value;
    switch (value.type) {
      case 'compaction':
        yield value.summary + entry.id;
        break;
      case 'message':
        if (isMessage(value.message, 'toolResult')) yield value.message.toolCallId;
    }
  }
  if (isMessage(given)) {
    const message: Message = given;
    if (message.role === 'bashExecution') yield message.command;
  }
  if (isBlock(given)) {
    const block: Block = given;
    if (block.type === 'toolCall') yield block.name;
  }
  if (isEntry(given, 'label')) yield given.targetId;
}
`,
    );
    expect(await compile('guards.mts')).toMatchObject({ code: 0, stdout: '' });
  });

  it('refuse a name that is misspelled', async () => {
    const text = "import { isEntry } from 'sessionctl';\nexport const is = isEntry({}, 'mesage');\n";
    writeFileSync(join(folder, 'misspelled.mts'), text);
    const { code, stdout } = await compile('misspelled.mts');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^misspelled\.mts\(2,\d+\): error TS2345: [^\n]*'"mesage"'[^\n]*\n$/);
  });
});

describe('a bundle', () => {
  /** What comes by a dynamic import is loaded when it is needed, and is no part of it. */
  const loadedLater: Plugin = {
    name: 'loaded later',
    setup: ({ onResolve }) =>
      onResolve({ filter: /./ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined)),
  };

  async function bundled(names: string): Promise<string> {
    const contents = `import { ${names} } from 'sessionctl';\nglobalThis.used = [${names}];`;
    const result = await build({
      ...{ stdin: { contents, resolveDir: folder }, bundle: true, minify: true, write: false, logLevel: 'error' },
      ...{ format: 'esm', platform: 'node', target: 'node20', plugins: [loadedLater] },
    });
    return result.outputFiles[0]?.text ?? '';
  }

  it.each([
    ['AppError', 2_000],
    ['readEntries', 20_000],
    ['buildContext', 40_000],
    ['migrate', 60_000],
    ['status', 160_000],
  ])('of %s alone stays below %i bytes and has neither zod nor yargs in it', async (name, most) => {
    const text = await bundled(name);
    expect(text.length).toBeLessThan(most);
    expect(text).not.toMatch(/ZodError|\$ZodType|yargs/);
  });

  it('of readEntries alone is as large as the page says', async () => {
    const said = /`readEntries` alone is a bundle of at most (\d+) kB/.exec(pages.join('\n'))?.[1];
    expect(said).toBe(String(Math.ceil((await bundled('readEntries')).length / 1000)));
  });

  it('of validate has the schemas, and still no yargs', async () => {
    const text = await bundled('validate');
    expect(text).toContain('ZodError');
    expect(text).not.toContain('yargs');
  });
});

describe('the package', () => {
  const dist = join(projectRoot, 'dist');
  const code = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[cm]?js$/.test(name));

  it('loads nothing but modules of Node and what it declares as dependencies', () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    const loaded = new Set<string>();
    for (const name of code) {
      const text = readFileSync(join(dist, name), 'utf8');
      const words = text.matchAll(/(?:\brequire\(|\bimport\(|\bfrom ?|\bimport ?)"((?:node:)?@?[a-z][\w./-]*)"/g);
      for (const [, word = ''] of words) loaded.add(word.replace(/^node:/, ''));
    }
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded].filter((word) => !builtinModules.includes(word))).toEqual(Object.keys(dependencies));
  });

  it('has the licenses of what is bundled in it', async () => {
    const ran = await spawnCommand('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: projectRoot });
    const [packed] = JSON.parse(ran.stdout) as { readonly files: readonly { readonly path: string }[] }[];
    const files = packed?.files.map(({ path }) => path) ?? [];
    for (const name of ['LICENSE', 'dist/LICENSES.txt', 'README.md', 'docs/sessionctl.1'])
      expect(files).toContain(name);
    expect(files.filter((name) => /^(?:src|test|fixtures|scripts)\//.test(name))).toEqual([]);
    const licenses = readFileSync(join(dist, 'LICENSES.txt'), 'utf8');
    for (const name of [
      'zod',
      'lodash.uniq',
      'escape-string-regexp',
      '@textlint/regexp-string-matcher',
      'yargs-parser',
      'chalk',
      'split2',
      'markdown-it',
      're2js',
      'node-sqlite3-wasm',
      'buffer',
      'assemblyscript',
    ])
      expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    // Its license asks for its notice, which names musl, too.
    expect(licenses).toContain(readFileSync(join(projectRoot, 'node_modules/assemblyscript/NOTICE'), 'utf8').trim());
  });

  it('is installed with its command and its man page, from a tarball and without a registry', async () => {
    const prefix = scratchFolder();
    const npm = async (...words: string[]) =>
      await spawnCommand('npm', [...words, '--silent', '--ignore-scripts', '--offline'], { cwd: projectRoot });
    await npm('pack', '--pack-destination', prefix);
    const [tarball = ''] = readdirSync(prefix);
    expect(await npm('install', '--global', '--prefix', prefix, join(prefix, tarball))).toMatchObject({ code: 0 });
    const ran = await spawnCommand(join(prefix, 'bin/sessionctl'), ['validate', 'fixtures/sessions'], {
      cwd: projectRoot,
    });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('no problems found in 10 sessions') });
    expect(readdirSync(join(prefix, 'share/man/man1'))).toEqual(['sessionctl.1']);
    expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['sessionctl']);
  }, 60_000);
});
