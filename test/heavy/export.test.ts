import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasChromium, testBrowser } from '../support/chromium.ts';
import { programPath, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const browser = testBrowser();

const WORDS =
  'the parser returns `Array<string>` when a **test** of src/index.ts fails; see [docs](https://example.org) | ünï 日本 <T> npm run build'.split(
    ' ',
  );

/** A session of about so many bytes, the same every time: prompts, answers and tool calls with results of all sizes. */
function session(name: string, bytes: number): string {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed % below;
  };
  const text = (length: number): string => {
    let words = '';
    while (words.length < length) words += `${WORDS[random(WORDS.length)]}${random(12) === 0 ? '\n' : ' '}`;
    return words;
  };
  const path = join(scratch, name);
  const file = openSync(path, 'w');
  let written = writeSync(
    file,
    `${JSON.stringify({ type: 'session', version: 3, id: 'big', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' })}\n`,
  );
  let entries = 0;
  const put = (message: object): void => {
    const parentId = entries === 0 ? null : `e${entries - 1}`;
    const entry = { type: 'message', id: `e${entries++}`, parentId, timestamp: '2026-01-01T00:00:00.000Z', message };
    written += writeSync(file, `${JSON.stringify(entry)}\n`);
  };
  while (written < bytes) {
    put({ role: 'user', content: text(300) });
    for (let step = 0; step < 6; step++) {
      const id = `call-${entries}`;
      const call = { type: 'toolCall', id, name: 'bash', arguments: { command: text(40) } };
      put({
        role: 'assistant',
        content: [{ type: 'thinking', thinking: text(200) }, { type: 'text', text: text(200) }, call],
      });
      put({
        role: 'toolResult',
        toolCallId: id,
        content: [{ type: 'text', text: text(random(40) === 0 ? 200_000 : 2_000) }],
      });
    }
  }
  put({ role: 'user', content: 'the very last words' });
  closeSync(file);
  return path;
}

describe('export of a large session', () => {
  it.skipIf(!hasChromium)(
    'gives a page of 50 MB that opens, scrolls and can be searched',
    { timeout: 300_000 },
    async () => {
      const log = session('fifty.jsonl', 50_000_000);
      const file = join(scratch, 'fifty.html');
      const ran = await spawnCommand(process.execPath, [programPath, 'export', '--tools', 'full', '-o', file, log]);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(statSync(file).size).toBeGreaterThan(50_000_000);
      const page = await browser().newPage({ viewport: { width: 1300, height: 900 } });
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(pathToFileURL(file).href, { timeout: 120_000 });
      // What comes into view gets its real height, so the end may move away a few times.
      const atTheEnd = async (): Promise<unknown> => {
        await page.keyboard.press('End');
        return await page.evaluate(`(() => {
        const last = Array.from(document.querySelectorAll('article')).at(-1);
        return last.textContent.includes('the very last words') && last.getBoundingClientRect().bottom <= innerHeight;
      })()`);
      };
      await expect.poll(atTheEnd, { timeout: 60_000, interval: 500 }).toBe(true);
      await page.keyboard.press('Home');
      await page.keyboard.press('/');
      await page.keyboard.type('very last words');
      await expect.poll(() => page.locator('output').textContent(), { timeout: 60_000 }).toBe('1 of 1');
      await page.keyboard.press('Escape');
      await page.keyboard.press('t');
      expect(await page.locator('details.call[open]').count()).toBe(0);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it('takes little memory, however long the session is', { timeout: 300_000 }, async () => {
    const log = session('long.jsonl', 300_000_000);
    for (const format of ['md', 'html']) {
      const file = join(scratch, `long.${format}`);
      const ran = await spawnCommand(process.execPath, [
        '--max-old-space-size=64',
        programPath,
        'export',
        '--tools',
        'full',
        '-o',
        file,
        log,
      ]);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(statSync(file).size).toBeGreaterThan(250_000_000);
      expect(readFileSync(file).subarray(0, 15).toString()).toMatch(/^(?:---\nsession|<!doctype html)/);
    }
  });
});
