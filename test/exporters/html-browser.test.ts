import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { projectRoot } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testPages } from './pages.ts';

const scratch = scratchFolder();

const HOSTILE = [
  '<script>window.ran = 1; document.title = "ran"</script>',
  '<img src=x onerror="window.ran = 2">',
  '<img src="https://evil.example/pixel.gif">',
  '![x](https://evil.example/pixel.png)',
  '<svg onload="window.ran = 3"></svg>',
  '<iframe src="https://evil.example/"></iframe>',
  '<link rel="stylesheet" href="https://evil.example/a.css">',
  '<style>body { display: none }</style>',
  '</p></div></article></section></main></body></html>',
  '</script><script>window.ran = 4</script>',
  '"><img src=x onerror=window.ran=5>',
  '<a href="javascript:window.ran=6">x</a> [y](javascript:window.ran=7)',
  '<meta http-equiv="refresh" content="0; url=https://evil.example/">',
  '<base href="https://evil.example/"><form action="https://evil.example/"><button>z</button></form>',
  '--><!-- ]]><![CDATA[',
].join('\n\n');

function hostileLog(): string {
  const path = join(scratch, 'hostile.jsonl');
  const entry = (id: string, parentId: string | null, type: string, fields: object): object => ({
    type,
    id,
    parentId,
    timestamp: HOSTILE,
    ...fields,
  });
  const entries = [
    { type: 'session', version: 3, id: HOSTILE, timestamp: '2026-01-01T00:00:00.000Z', cwd: HOSTILE, title: HOSTILE },
    entry('m', null, 'model_change', { model: HOSTILE }),
    entry('u', 'm', 'message', { message: { role: 'user', content: HOSTILE } }),
    entry('a', 'u', 'message', {
      message: {
        role: 'assistant',
        model: HOSTILE,
        content: [
          { type: 'thinking', thinking: HOSTILE },
          { type: 'text', text: HOSTILE },
          { type: 'toolCall', id: 'c', name: HOSTILE, arguments: { command: HOSTILE, [HOSTILE]: HOSTILE } },
          { type: 'image', data: HOSTILE, mimeType: HOSTILE },
          { type: 'image', data: 'AAAA"><script>window.ran=8</script>', mimeType: 'image/png' },
        ],
        stopReason: 'error',
        errorMessage: HOSTILE,
      },
    }),
    entry('r', 'a', 'message', {
      message: { role: 'toolResult', toolCallId: 'c', toolName: HOSTILE, isError: true, content: HOSTILE },
    }),
    entry('l', 'r', 'label', { targetId: 'u', label: HOSTILE }),
    entry(HOSTILE, 'l', HOSTILE, { [HOSTILE]: HOSTILE }),
    entry('b', 'u', 'message', { message: { role: 'assistant', content: HOSTILE } }),
  ];
  writeFileSync(path, entries.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return path;
}

describe.skipIf(!hasChromium)('the HTML page in Chromium', () => {
  const { exported, open, requests, complaints } = testPages(scratch);

  it('runs nothing and asks for nothing, whatever the log says', async () => {
    for (const options of [['--all'], ['--all', '--tools', 'full', '--thinking', 'full']]) {
      const page = await open(await exported(hostileLog(), ...options));
      // Everything is opened, so that whatever could load or run has its chance.
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
      await page.waitForTimeout(200);
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(requests).toEqual([]);
      expect(complaints).toEqual([]);
      await expect.poll(() => page.locator('script, style').count()).toBe(2);
      await expect.poll(() => page.locator('iframe, link, form, base, object, embed, svg').count()).toBe(0);
      await expect.poll(() => page.locator('main').count()).toBe(1);
      await expect
        .poll(() =>
          page.locator('main a:not([href^="#"], [href^="https://"], [href^="http://"], [href^="mailto:"])').count(),
        )
        .toBe(0);
      await page.close();
    }
  });

  it('lets no script in that comes from elsewhere, even if a tag had come through', async () => {
    const page = await open(await exported(hostileLog()));
    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'window.ran = 9';
      const image = new Image();
      image.src = 'https://evil.example/pixel.gif';
      document.body.append(script, image);
    `);
    await page.waitForTimeout(100);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(complaints.filter((one) => one.includes('Content Security Policy')).length).toBeGreaterThan(0);
    await page.close();
  });

  it('reads without scripts', async () => {
    const page = await open(await exported(join(projectRoot, 'fixtures/sessions/pi-branches.jsonl'), '--all'), {
      javaScriptEnabled: false,
    });
    await expect.poll(() => page.locator('#bar').count()).toBe(0);
    await expect.poll(() => page.getByText('Use the UTC getters.').isVisible()).toBe(true);
    await expect.poll(() => page.getByText('No, count days without Date at all.').isVisible()).toBe(true);
    await expect.poll(() => page.getByText('The test may depend on the time zone.').isVisible()).toBe(false);
    await page.locator('details.thinking summary').first().click();
    await expect.poll(() => page.getByText('The test may depend on the time zone.').isVisible()).toBe(true);
    await page.locator('nav.branches a').nth(1).click();
    await expect.poll(() => page.url()).toContain('#branch-2');
    await page.close();
  });

  it('folds tools and thinking by button and by key', async () => {
    const page = await open(await exported(join(projectRoot, 'fixtures/sessions/pi-branches.jsonl')));
    const opened = (kind: string) => page.locator(`details.${kind}[open]`).count();
    await expect.poll(() => opened('call')).toBeGreaterThan(2);
    await page.keyboard.press('t');
    await expect.poll(() => opened('call')).toBe(0);
    await page.getByRole('button', { name: 'Tools' }).click();
    await expect.poll(() => opened('call')).toBeGreaterThan(2);
    await expect.poll(() => opened('thinking')).toBe(0);
    await page.keyboard.press('h');
    expect(await opened('thinking')).toBe(2);
    await page.close();
  });

  it('says in a folded tool call what was run, how long it took and whether it failed', async () => {
    const log = join(scratch, 'calls.jsonl');
    const call = (id: string, name: string, args: object): object => ({ type: 'toolCall', id, name, arguments: args });
    const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
    const result = (id: string, seconds: number, isError: boolean): object => ({
      ...{ type: 'message', id: `r-${id}`, parentId: 'a', timestamp: at(seconds) },
      message: { role: 'toolResult', toolCallId: id, content: 'done', isError },
    });
    const chain = [
      { ...result('x', 12.4, true), parentId: 'a' },
      { ...result('y', 200, false), parentId: 'r-x' },
    ];
    const calls = [
      call('x', 'bash', { command: 'npm test\necho <b>', timeout: 5 }),
      call('y', 'edit', { path: 'src/a.ts', oldText: 'a', newText: 'b' }),
      call('z', 'other', { text: 'word '.repeat(50) }),
    ];
    const entries = [
      { type: 'session', version: 3, id: 's', timestamp: at(0), cwd: '/' },
      { type: 'message', id: 'a', parentId: null, timestamp: at(0), message: { role: 'assistant', content: calls } },
      ...chain,
    ];
    writeFileSync(log, entries.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const page = await open(await exported(log), { javaScriptEnabled: false });
    const titles = () => page.locator('details.call > summary').allInnerTexts();
    expect(await titles()).toEqual(['bash {"timeout":5} 12 s failed', 'edit src/a.ts 3 min 20 s', 'other no result']);
    for (let at = 0; at < 3; at++)
      await page
        .locator('details.call > summary')
        .nth(at)
        .click({ position: { x: 2, y: 4 } });
    expect(await titles()).toEqual([
      'bash $ npm test … {"timeout":5} 12 s failed',
      'edit src/a.ts 3 min 20 s',
      `other ${`{ "text": "${'word '.repeat(50)}`.slice(0, 99)}… no result`,
    ]);
    await page.close();
  });

  it('opens the middle of a long output, also without scripts', async () => {
    const log = join(scratch, 'long.jsonl');
    const output = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n');
    const message = { role: 'bashExecution', command: 'seq', output, exitCode: 0 };
    const entries = [
      { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' },
      { type: 'message', id: 'a', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message },
    ];
    writeFileSync(log, entries.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const page = await open(await exported(log), { javaScriptEnabled: false });
    const isShown = () => page.getByText('line 150').isVisible();
    expect(await isShown()).toBe(false);
    await page.locator('details.omitted summary').click();
    await expect.poll(isShown).toBe(true);
    const pieces = await page.locator('article pre').allTextContents();
    expect(pieces.slice(1).join('\n')).toBe(output);
    await page.close();
  });

  it('finds text, also in what is folded or on another branch, and walks what it found', async () => {
    const page = await open(await exported(join(projectRoot, 'fixtures/sessions/pi-branches.jsonl'), '--all'));
    await page.keyboard.press('/');
    await page.keyboard.type('zeller');
    await expect.poll(() => page.locator('output').textContent()).toBe('1 of 1');
    await expect.poll(() => page.getByText('Zeller or a day number').isVisible()).toBe(true);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('use the utc getters.');
    await expect.poll(() => page.locator('.hit').textContent()).toContain('Use the UTC getters.');
    await expect.poll(() => page.locator('.hit').isVisible()).toBe(true);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('utc');
    await expect.poll(() => page.locator('output').textContent()).toMatch(/ of [2-9]/);
    const first = await page.locator('.hit').getAttribute('id');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.hit').getAttribute('id')).not.toBe(first);
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => page.locator('.hit').getAttribute('id')).toBe(first);
    expect(await page.evaluate('CSS.highlights.size')).toBe(2);
    await page.keyboard.type('nowhere to be found');
    await expect.poll(() => page.locator('output').textContent()).toBe('no matches');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.hit').count()).toBe(0);
    await page.close();
  });

  it('is light or dark as the reader likes, and fits a narrow window', async () => {
    const address = await exported(join(projectRoot, 'fixtures/sessions/pi-compaction.jsonl'));
    const color = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await open(address, { colorScheme: 'dark' });
    const light = await open(address, { colorScheme: 'light', viewport: { width: 380, height: 700 } });
    expect(await color(dark)).not.toBe(await color(light));
    expect(await light.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    const before = await color(light);
    await light.keyboard.press('d');
    await expect.poll(() => color(light)).toBe(await color(dark));
    await light.keyboard.press('d');
    expect(await color(light)).toBe(before);
    await light.getByRole('button', { name: 'Contents' }).click();
    await expect.poll(() => light.locator('#side').isVisible()).toBe(true);
    await dark.close();
    await light.close();
  });

  it('shows pictures from files beside it', async () => {
    const page = await open(
      await exported(join(projectRoot, 'fixtures/sessions/pi-images.jsonl'), '--assets', join(scratch, 'pictures')),
    );
    await expect
      .poll(() =>
        page.evaluate('Array.from(document.images).some((image) => image.complete && image.naturalWidth > 1)'),
      )
      .toBe(true);
    expect(complaints).toEqual([]);
    expect(requests.every((address) => address.startsWith('file:'))).toBe(true);
    await page.close();
  });
});
