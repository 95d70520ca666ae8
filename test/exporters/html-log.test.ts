import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';
import { testPages } from './pages.ts';

const scratch = scratchFolder();
const fixture = (name: string): string => join(projectRoot, 'fixtures', name);
const BRANCHES = fixture('sessions/pi-branches.jsonl');
const IMAGES = fixture('sessions/pi-images.jsonl');

function written(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

describe.skipIf(!hasChromium)('the log that is saved from a page', () => {
  const { exported, open, complaints } = testPages(scratch);

  async function save(page: Page): Promise<{ name: string; path: string; text: string }> {
    const button = page.getByRole('button', { name: 'Save' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const path = await download.path();
    expect(complaints).toEqual([]);
    return { name: download.suggestedFilename(), path, text: readFileSync(path, 'utf8') };
  }

  async function saved(log: string, ...options: string[]): Promise<string> {
    const page = await open(await exported(log, ...options));
    const { text } = await save(page);
    await page.close();
    return text;
  }

  it('has the header and the entries of the branch byte for byte, and validates', async () => {
    const log = readFileSync(BRANCHES, 'utf8');
    const page = await open(await exported(BRANCHES, '--all'));
    for (const branch of ['1', '2']) {
      await page.locator('#side .tree button', { hasText: `Branch ${branch}` }).click();
      // On a phone too.
      await page.setViewportSize({ width: 390, height: 844 });
      const { name, path, text } = await save(page);
      await page.setViewportSize({ width: 1280, height: 720 });
      const { stdout } = await run(['log', '--leaf', `leaf:${branch}`, '--reverse', '--json', BRANCHES]);
      const ids = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id);
      const isInBranch = (line: string): boolean =>
        line.includes('"type":"session"') || ids.includes(JSON.parse(line).id);
      expect(name).toBe(`branch-${branch}.jsonl`);
      expect(text).toBe(
        log
          .split(/(?<=\n)/)
          .filter(isInBranch)
          .join(''),
      );
      expect(await run(['validate', path])).toMatchObject({ code: 0 });
    }
    await page.locator('#side button', { hasText: 'All branches' }).click();
    expect(await save(page)).toMatchObject({ name: 'session.jsonl', text: log });
    await page.close();
  });

  it('has the entries that fork copies', async () => {
    const { stdout } = await run(['fork', BRANCHES, 'leaf:2', '--id', 'x', '--timestamp', '2026-01-01T00:00Z']);
    const withoutHeader = (text: string): string => text.slice(text.indexOf('\n'));
    expect(withoutHeader(await saved(BRANCHES, '--leaf', 'leaf:2'))).toBe(withoutHeader(stdout));
  });

  it('has every character, and none of them breaks out', async () => {
    const texts = [
      '</template></script><script>window.ran = 1</script><!-- <!--<script> ]]>',
      '&lt;&amp;&#13;&nbsp;\u00a0\u2028\u2029\ufeff\ufffd\u007f\u0085 🙂 \\u003c \\t3 "\t3" \u0000',
      'x'.repeat(200_000),
    ];
    const path = texts.map((text, at) => user(`e${at}`, at === 0 ? null : `e${at - 1}`, text));
    const spaced =
      ' {"type" \t:\t "custom",\r"id":"z","parentId":"e2","timestamp":"2026-01-01T00:00:02.000Z",' +
      '"customType":"\\u003c\\/","data":[ "a","1"\t,\r 1e400, 12345678901234567890 ]} \n';
    const log = written('hostile.jsonl', HEADER + path.join('') + spaced);
    const page = await open(await exported(log));
    expect((await save(page)).text).toBe(readFileSync(log, 'utf8'));
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(await page.locator('main').count()).toBe(1);
    expect(await page.locator('template *').count()).toBe(0);
    await page.close();
  });

  it('has the images, which are in the page once', async () => {
    const log = readFileSync(IMAGES, 'utf8');
    expect(await saved(IMAGES, '--all')).toBe(log);
    const page = (await run(['export', '--all', '--format', 'html', IMAGES])).stdout;
    const images = new Set(log.match(/(?<="data":")[A-Za-z0-9+/=]{200,}/g));
    expect(images.size).toBeGreaterThan(0);
    for (const image of images) expect(page.split(image).length).toBe(log.split(image).length);
  });

  it("is what convert makes of another agent's log, and the button says so", async () => {
    const log = fixture('formats/claude-code/2.1.100/image.jsonl');
    const page = await open(await exported(log, '--all'));
    const { path, text } = await save(page);
    expect(text).toBe((await run(['convert', log])).stdout);
    expect(await run(['validate', path])).toMatchObject({ code: 0 });
    expect(await page.getByRole('button', { name: 'Save' }).getAttribute('title')).toBe(
      'Save the branch as a session log, converted to one of pi',
    );
    await page.close();
  });

  it('is of version 3, whatever version the log has', async () => {
    const log = fixture('sessions/pi-version-2.jsonl');
    expect(await saved(log)).toBe((await run(['migrate', log])).stdout);
  });
});

describe('a page', () => {
  const page = async (log: string, ...options: string[]): Promise<string> =>
    (await run(['export', '--format', 'html', ...options, log])).stdout;
  const holdsEntries = (text: string): boolean => text.includes('<template');

  it('holds no entries where something of them is left out, or in files, or nobody wants them', async () => {
    expect(holdsEntries(await page(BRANCHES))).toBe(true);
    for (const options of [['--thinking', 'none'], ['--tools', 'none'], ['--no-entries']])
      expect(holdsEntries(await page(BRANCHES, ...options))).toBe(false);
    expect(holdsEntries(await page(IMAGES, '--assets', join(scratch, 'files')))).toBe(false);
  });

  it('holds entries without their secrets', async () => {
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8rS'.repeat(2).slice(0, 36)}`;
    const log = written('secret.jsonl', HEADER + user('a', null, `token ${secret}`));
    expect(await page(log)).toContain(secret);
    const redacted = await page(log, '--redact');
    expect(holdsEntries(redacted)).toBe(true);
    expect(redacted).not.toContain(secret);
  });

  it('says how to get a log of more than 10 MB', async () => {
    const half = 'x'.repeat(5 * 2 ** 20);
    const log = written(
      'large.jsonl',
      HEADER + user('a', null, half) + user('b', 'a', half) + user('c', null, 'other'),
    );
    const large = await page(log, '--leaf', 'b');
    expect(holdsEntries(large)).toBe(false);
    expect(large).toContain('too large to save from this page; sessionctl fork FILE b writes a branch');
    expect(holdsEntries(await page(log, '--leaf', 'c'))).toBe(true);
    expect(await page(log, '--all')).toContain('sessionctl fork FILE REV writes a branch');
  });
});
