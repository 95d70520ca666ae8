import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
  return await spawnCommand(process.execPath, [file, join(projectRoot, path)]);
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

  it('compiles as it stands, with every check of the compiler', async () => {
    const names = examples.map((example, at) => {
      const given = 'declare const path: string;\ndeclare const file: File;\n';
      // The first ones declare the file themselves.
      const text = `${example.includes('const file') ? 'declare const path: string;\n' : given}${example}export {};\n`;
      writeFileSync(join(folder, `example-${at}.mts`), text);
      return `example-${at}.mts`;
    });
    expect(names).toHaveLength(3);
    const compiler = join(projectRoot, 'node_modules/.bin/tsc');
    const flags = '--strict --noEmit --module nodenext --target es2023 --lib es2023,dom,dom.asynciterable --types node';
    const ran = await spawnCommand(compiler, [...flags.split(' '), ...names], { cwd: folder });
    expect(ran).toMatchObject({ code: 0, stdout: '' });
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

  it('of validate has the schemas, and still no yargs', async () => {
    const text = await bundled('validate');
    expect(text).toContain('ZodError');
    expect(text).not.toContain('yargs');
  });
});
