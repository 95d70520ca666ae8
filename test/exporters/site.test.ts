import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasChromium, testBrowser } from '../support/chromium.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const browser = testBrowser();
const fixture = (path: string): string => join(projectRoot, 'fixtures', path);
const PI = fixture('sessions/pi-branches.jsonl');
const CODEX = fixture('formats/codex/0.166.0/plain.jsonl');
const CLAUDE = fixture('formats/claude-code/2.1.325/resume.jsonl');

async function site(...operands: string[]): Promise<{ folder: string; code: number; stderr: string; index: string }> {
  const folder = join(scratchFolder(), 'site');
  const { code, stderr } = await run(['export', '-o', `${folder}/`, ...operands]);
  return { folder, code, stderr, index: readFileSync(join(folder, 'index.html'), 'utf8') };
}

describe('export -o DIR/', () => {
  it('writes a page for each session, as a single export has it, and a list of them', async () => {
    const { folder, code, stderr, index } = await site(PI, CODEX, CLAUDE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `sessionctl: 3 pages and '${folder}/index.html' written\n` });
    const pages = readdirSync(folder).filter((name) => name !== 'index.html');
    expect(pages).toHaveLength(3);
    for (const page of pages) expect(index).toContain(`href="${page}"`);
    const alone = await run(['export', '--format', 'html', PI]);
    const own = pages.find((page) => page.startsWith('pi-')) ?? '';
    expect(readFileSync(join(folder, own), 'utf8')).toBe(alone.stdout);
    expect(index).toContain('<td>codex</td>');
    expect(index).toContain('/home/ada/calendar');
    expect(index).toContain('$0.0678');
  });

  it('takes a folder, passes over what is no session, and counts a damaged one among the rest', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'deep'));
    copyFileSync(PI, join(folder, 'deep/one.jsonl'));
    writeFileSync(join(folder, 'damaged.jsonl'), `${HEADER}${user('a', null)}{"type":"mess\n${user('b', 'a')}`);
    writeFileSync(join(folder, 'other.jsonl'), '{"hello":1}\n');
    const { code, stderr, folder: written } = await site(folder);
    expect(code).toBe(1);
    expect(stderr).toContain('1 file skipped: no session log');
    expect(stderr).toContain('damaged.jsonl: line 3 is damaged (torn-line)');
    expect(readdirSync(written)).toHaveLength(3);
  });

  it('gives sessions with the same id pages of their own, and the same names in every run', async () => {
    const folder = scratchFolder();
    for (const name of ['a.jsonl', 'b.jsonl']) copyFileSync(PI, join(folder, name));
    const first = await site(folder);
    expect(readdirSync(first.folder)).toHaveLength(3);
    expect(readdirSync((await site(folder)).folder)).toEqual(readdirSync(first.folder));
  });

  it('takes a folder of any name, and refuses a format that is not that of its pages', async () => {
    const folder = `${join(scratchFolder(), 'site-1.0')}/`;
    expect(await run(['export', '-o', folder, PI])).toMatchObject({ code: 0 });
    const markdown = await run(['export', '--format', 'md', '-o', folder, PI]);
    expect(markdown).toMatchObject({ code: 2, stderr: expect.stringContaining('a site has HTML pages') });
  });

  it('takes secrets out of all pages and of the list', async () => {
    const secret = ['ghp', 'a1B2'.repeat(9)].join('_');
    const log = join(scratchFolder(), 'secret.jsonl');
    writeFileSync(log, `${HEADER}${user('a', null, `My token is ${secret}`)}`);
    const { folder, index } = await site('--redact', log, PI);
    expect(index).toContain('[redacted:');
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain(secret);
  });

  it('says how to export several sessions where there is no folder, and writes nothing where there is no session', async () => {
    const several = await run(['export', PI, CODEX]);
    expect(several).toMatchObject({ code: 2, stdout: '' });
    expect(several.stderr).toContain("pass '-o DIR/' for its folder");
    const empty = scratchFolder();
    const none = await run(['export', '-o', `${empty}/site/`, empty]);
    expect(none).toMatchObject({ code: 2, stderr: 'sessionctl: no session found; nothing was written\n' });
  });

  it.skipIf(!hasChromium)(
    'is filtered and sorted in a browser, asks for nothing, and is a plain table without scripts',
    async () => {
      const hostile = join(scratchFolder(), 'hostile.jsonl');
      const text = '</td><script>document.title="ran"</script><img src=https://evil.example/x.png>';
      writeFileSync(hostile, `${HEADER}${user('a', null, text)}`);
      const { folder } = await site(PI, CODEX, CLAUDE, hostile);
      const address = pathToFileURL(join(folder, 'index.html')).href;
      const page = await (await browser().newContext()).newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(address);
      const titles = async (): Promise<string[]> =>
        await page.locator('tbody tr:visible td:nth-child(2)').allInnerTexts();
      expect(await titles()).toHaveLength(4);
      await page.fill('input', 'calendar');
      expect(await titles()).toEqual(['Weeks start a day early']);
      expect(await page.locator('[role=status]').innerText()).toBe('1 of 4');
      await page.fill('input', '');
      expect(await page.locator('th[aria-sort=descending]').innerText()).toContain('Last entry');
      await page.getByRole('button', { name: 'Tokens' }).click();
      const numbers = await page
        .locator('tbody tr td:nth-child(6)')
        .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-value'))));
      expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
      expect(new Set(numbers).size).toBeGreaterThan(1);
      expect(asked).toEqual([address]);
      expect(await page.title()).toBe('Sessions');
      await page.getByRole('link', { name: 'Weeks start a day early' }).click();
      expect(await page.locator('h1').innerText()).toBe('Weeks start a day early');
      const plain = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
      await plain.goto(address);
      expect(await plain.locator('tbody tr').count()).toBe(4);
      expect(await plain.locator('#filter').isVisible()).toBe(false);
    },
  );
});
