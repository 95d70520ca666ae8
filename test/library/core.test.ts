import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { hasChromium, testBrowser } from '../support/chromium.ts';
import { projectRoot } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const browser = testBrowser();
const claude = join(projectRoot, 'fixtures/formats/claude-code/2.1.325/resume.jsonl');

describe('sessionctl/core', () => {
  it('names no module of Node', () => {
    const dist = join(projectRoot, 'dist');
    const files = ['core.js', ...readdirSync(join(dist, 'core')).map((name) => `core/${name}`)];
    const named = files.filter((file) =>
      /["']node:|\bprocess\.|\brequire\(/.test(readFileSync(join(dist, file), 'utf8')),
    );
    expect(named).toEqual([]);
  });

  it.skipIf(!hasChromium)(
    'reads a log of 5 MB in a browser as Node does, and converts one of Claude Code',
    async () => {
      const page = await (await browser().newContext()).newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.addScriptTag({
        content: await bundle('iife', "import * as core from 'sessionctl/core';\nglobalThis.core = core;"),
      });
      const log = bigLog();
      const text = readFileSync(claude, 'utf8');
      const seen = await page.evaluate(work as never, { log, text });
      expect(errors).toEqual([]);
      expect(log.length).toBeGreaterThan(5_000_000);
      expect(seen).toEqual(await work({ log, text }, library));
    },
  );

  it.skipIf(!hasChromium)('shows a log in a frame by the very lines of the page, where its search runs', async () => {
    const docs = readFileSync(join(projectRoot, 'docs/library.md'), 'utf8');
    const example = /^## In a browser$[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(docs)?.[1] ?? '';
    const page = await (await browser().newContext()).newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    const file = `const file = new File([${JSON.stringify(readFileSync(claude, 'utf8'))}], 'session.jsonl');\n`;
    const content = await bundle('esm', `${file}${example}globalThis.messages = messages.length;\n`);
    await page.addScriptTag({ content, type: 'module' });
    const frame = page.frameLocator('iframe');
    await frame.getByRole('searchbox').fill('You are welcome.');
    await expect.poll(() => frame.locator('output').textContent()).toBe('1 of 1');
    const { messages } = await library.contextOf(readFileSync(claude));
    expect(await page.evaluate('globalThis.messages')).toBe(messages.length);
    expect(errors).toEqual([]);
  });
});

type Core = Pick<typeof library, 'contextOf' | 'status' | 'convert' | 'exportSession' | 'openSession' | 'leaves'>;

/** The same in the browser and here. */
async function work(
  { log, text }: { log: string; text: string },
  core: Core = (globalThis as unknown as { core: Core }).core,
): Promise<unknown> {
  const bytes = new TextEncoder().encode(log);
  const { messages, state } = await core.contextOf(bytes, { as: 'anthropic' });
  const { verdict } = await core.status(bytes);
  const session = await core.openSession(bytes);
  const ends: unknown[] = [];
  for await (const { id } of core.leaves(session)) ends.push(id);
  let converted = '';
  const source = new TextEncoder().encode(text);
  for await (const piece of core.convert(source)) converted += new TextDecoder().decode(piece);
  const page = await core.exportSession(source, { format: 'html' });
  return { messages, state: JSON.stringify(state), verdict, ends, converted, page };
}

function bigLog(): string {
  const lines = [HEADER];
  for (let at = 0, last: string | null = null; at < 6500; at++, last = `e${at - 1}`) {
    lines.push(user(`e${at}`, last, `${at} ${'Grüße 😀 '.repeat(80)}`));
  }
  return lines.join('');
}

/** As whoever installed the package would bundle it for a page. */
async function bundle(format: 'iife' | 'esm', contents: string): Promise<string> {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(projectRoot, join(folder, 'node_modules/sessionctl'));
  const result = await build({
    ...{ stdin: { contents, resolveDir: folder }, bundle: true, write: false, logLevel: 'error' },
    ...{ format, platform: 'browser', target: 'es2023' },
  });
  return result.outputFiles[0]?.text ?? '';
}
