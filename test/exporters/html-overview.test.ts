import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { projectRoot } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { assistant, HEADER, result, user } from '../support/sessions.ts';
import { testPages } from './pages.ts';

const scratch = scratchFolder();
const BRANCHES = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
const COMPACTION = join(projectRoot, 'fixtures/sessions/pi-compaction.jsonl');

describe.skipIf(!hasChromium)('the tree, the filters and the timeline of the page', () => {
  const { exported, open, complaints } = testPages(scratch);

  it('walks the branches by tree, key and fork, and shows one path at a time', async () => {
    const page = await open(await exported(BRANCHES, '--all'));
    const sees = (text: string) => page.getByText(text, { exact: true }).last().isVisible();
    expect([await sees('No, count days without Date at all.'), await page.locator('#branch-2').isVisible()]).toEqual([
      true,
      false,
    ]);
    await page.locator('#side .tree button', { hasText: 'Branch 2' }).click();
    await expect.poll(() => page.locator('#branch-2').isVisible()).toBe(true);
    await expect
      .poll(() => page.locator('article', { hasText: 'No, count days without Date' }).first().isVisible())
      .toBe(false);
    // What both branches share stays.
    await expect
      .poll(() => page.locator('article', { hasText: 'test/week.test.ts fails on CI' }).first().isVisible())
      .toBe(true);
    await page.keyboard.press(']');
    await expect.poll(() => page.locator('#branch-2').isVisible()).toBe(false);
    await page.locator('.fork a', { hasText: 'branch 2' }).click();
    await expect.poll(() => page.locator('#branch-2').isVisible()).toBe(true);
    await page.locator('.fork a', { hasText: 'branch 1' }).click();
    await expect.poll(() => page.locator('#branch-2').isVisible()).toBe(false);
    await page.locator('#side button', { hasText: 'All branches' }).click();
    await expect.poll(() => page.locator('#branch-2').isVisible()).toBe(true);
    await expect
      .poll(() => page.locator('article', { hasText: 'No, count days without Date' }).first().isVisible())
      .toBe(true);
    await page.close();
  });

  it('shows only what a filter lets through, and the rest again when a link leads there', async () => {
    const page = await open(await exported(BRANCHES, '--all'));
    const shown = (selector: string) => page.locator(`${selector} >> visible=true`).count();
    const choose = (name: string) => page.getByLabel('Show', { exact: true }).selectOption(name);
    const all = await shown('article');
    expect(await shown('.entry')).toBe(all);
    await choose('No tools');
    expect(await shown('.call')).toBe(0);
    expect(await shown('.note')).toBeGreaterThan(0);
    await choose('User');
    expect([await shown('article'), await shown('article.user'), await shown('.note')]).toEqual([2, 2, 0]);
    expect([await shown('.entry'), await shown('.entry.user')]).toEqual([2, 2]);
    await choose('Labeled');
    expect([await shown('article'), await shown('.entry')]).toEqual([1, 1]);
    expect(await shown('#e-13ab93d9')).toBe(1);
    await choose('Errors');
    expect([await shown('article'), await shown('.entry')]).toEqual([0, 0]);
    expect(await shown('#side button')).toBe(3);
    expect(await page.locator('output').textContent()).toBe('0 shown');
    await page.evaluate("location.hash = '#e-b5dc7546'");
    await expect.poll(() => shown('article')).toBe(all);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('finds the errors of all branches in the tree, and what is nothing but tools', async () => {
    const log = join(scratch, 'failed.jsonl');
    const failed = result('r', 'b', 'c').replace('"isError":false', '"isError":true');
    const answers = [assistant('b', 'a', ['c']), failed, assistant('d', 'r', ['e']), result('f', 'd', 'e')];
    writeFileSync(log, [HEADER, user('a', null), ...answers, user('g', 'a', 'Another way')].join(''));
    const page = await open(await exported(log, '--all'));
    const rows = async () =>
      (await page.locator('.entry >> visible=true').allTextContents()).map((text) => text.replace(/\s+/g, ' '));
    const choose = (name: string) => page.getByLabel('Show', { exact: true }).selectOption(name);
    await expect.poll(rows).toEqual(['1hi', '2Another way']);
    await choose('Errors');
    await expect.poll(rows).toEqual(['2bash failed']);
    await page.locator('.entry.failed a').click();
    await expect.poll(() => page.locator('#e-b').isVisible()).toBe(true);
    await choose('');
    await expect.poll(rows).toEqual(['1hi', '2bash failed', 'bash']);
    await choose('No tools');
    await expect.poll(rows).toEqual(['1hi']);
    expect(await page.locator('article >> visible=true').count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('keeps the heading of a turn in which more than tools follows', async () => {
    const log = join(scratch, 'heading.jsonl');
    const done = assistant('d', 'r').replace('"content":[]', '"content":"Done"');
    writeFileSync(log, [HEADER, user('a', null), assistant('b', 'a', ['c']), result('r', 'b', 'c'), done].join(''));
    const page = await open(await exported(log));
    await page.getByLabel('Show', { exact: true }).selectOption('No tools');
    await expect.poll(() => page.locator('h2 >> visible=true').allTextContents()).toEqual(['User', 'Assistant']);
    expect(await page.getByText('Done').last().isVisible()).toBe(true);
    expect(await page.locator('.call >> visible=true').count()).toBe(0);
    await page.close();
  });

  it('keeps the branch in the address, and copies links that lead to the same branch', async () => {
    const address = await exported(BRANCHES, '--all');
    const page = await open(address);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#side .tree button', { hasText: 'Branch 2' }).click();
    expect(page.url()).toBe(`${address}#branch-2`);
    await page.locator('#e-b5dc7546 .number').click();
    await expect.poll(() => page.locator('output').textContent()).toBe('link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(link).toBe(`${address}#e-b5dc7546@2`);
    // A result is an entry of its own.
    const entries = '.note[id], article, .result';
    expect(await page.locator(`main :is(${entries}):not(:has(.number))`).count()).toBe(0);
    await page.locator('.result .number').first().click();
    const toResult = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(await page.locator(`.result[id="${toResult.split('#')[1]?.split('@')[0]}"]`).count()).toBe(1);
    await page.close();
    const other = await open(link);
    await expect.poll(() => other.locator('#branch-2').isVisible()).toBe(true);
    await expect.poll(() => other.locator('#e-b5dc7546').isVisible()).toBe(true);
    await other.close();
  });

  it('draws the turns along the time as high as their tokens, errors marked, each a way there', async () => {
    const page = await open(await exported(COMPACTION));
    const marks = page.locator('#strip a');
    const places = await marks.evaluateAll((links) => links.map((link) => link.getBoundingClientRect().left));
    expect(places).toHaveLength(12);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    const errors = page.locator('#strip a.failed');
    expect(await errors.evaluateAll((links) => links.map((link) => link.getAttribute('title')))).toEqual([
      '4 Assistant, 1 error, 7,084 tokens',
      '10 Assistant, 1 error, 14,252 tokens',
    ]);
    const heights = await marks.evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    const titles = await marks.evaluateAll((links) => links.map((link) => link.getAttribute('title') ?? ''));
    const tokens = titles.map((title) => Number(/([\d,]+) tokens/.exec(title)?.[1]?.replace(',', '') ?? 0));
    const byHeight = (list: number[]): number[] =>
      list.map((_, at) => at).sort((a, b) => (list[a] ?? 0) - (list[b] ?? 0));
    expect(byHeight(heights)).toEqual(byHeight(tokens));
    expect(await page.locator('#scale').innerText()).toContain('Height: tokens, up to 16,300.');
    // It tells of the whole branch, and leads to what a filter hides too.
    await page.getByLabel('Show', { exact: true }).selectOption('User');
    expect(await marks.count()).toBe(12);
    await errors.last().click();
    await expect.poll(() => page.locator('article:target').textContent()).toContain('overloaded_error');
    expect(complaints).toEqual([]);
    await page.close();
  });

  /** A conversation of so many turns, a minute apart, those at these places failed; a pause comes before some. */
  function conversation(
    name: string,
    turns: number,
    failed: readonly number[],
    pauses: Record<number, number>,
  ): string {
    const path = join(scratch, name);
    let time = Date.parse('2026-01-01T00:00:00Z');
    const entries = Array.from({ length: turns }, (_, at) => {
      time += (pauses[at + 1] ?? 1 / 60) * 3_600_000;
      const place = [`e${at + 1}`, at === 0 ? null : `e${at}`] as const;
      const line = at % 2 === 0 ? user(...place) : assistant(...place, [], failed.includes(at + 1) ? 'error' : 'stop');
      return line.replace('2026-01-01T00:00:01.000Z', new Date(time).toISOString());
    });
    writeFileSync(path, [HEADER, ...entries].join(''));
    return path;
  }

  interface Bar {
    readonly title: string;
    readonly kind: string;
    readonly to: string;
    readonly left: number;
    readonly right: number;
  }
  const barsOf = (page: Page): Promise<Bar[]> =>
    page.locator('#strip a').evaluateAll((links) =>
      links.map((link) => {
        const { left, right } = link.getBoundingClientRect();
        const [title, to] = [link.getAttribute('title') ?? '', link.getAttribute('href') ?? ''];
        return { title, kind: link.className, to, left, right };
      }),
    );
  const overlaps = (bars: readonly Bar[]): readonly Bar[] =>
    bars.filter(({ left, right }, at) => right - left < 2 || left < (bars[at - 1]?.right ?? 0) - 0.01);

  it.each([1280, 380])('has a bar for every turn of a session with a pause of a day, %i pixels wide', async (width) => {
    const failed = [6, 12, 28, 34, 46, 58];
    const page = await open(await exported(conversation('pause.jsonl', 60, failed, { 31: 26 })), {
      viewport: { width, height: 600 },
    });
    const bars = await barsOf(page);
    expect(bars.map(({ to }) => to)).toEqual(Array.from({ length: 60 }, (_, at) => `#e-e${at + 1}`));
    expect(overlaps(bars)).toEqual([]);
    const kinds = bars.map((_, at) => (at % 2 === 0 ? 'user' : failed.includes(at + 1) ? 'failed' : ''));
    expect(bars.map(({ kind }) => kind)).toEqual(kinds);
    expect([bars[29], bars[30], bars[33]].map((bar) => bar?.title)).toEqual([
      '30 Assistant, 2 tokens',
      '31 User, pause of 26 h',
      '34 Assistant, 1 error, 2 tokens',
    ]);
    // The pause is seen, and takes little.
    const step = (at: number) => (bars[at]?.left ?? 0) - (bars[at - 1]?.left ?? 0);
    expect(step(30) / step(29)).toBeGreaterThan(1.5);
    expect(step(30) / step(29)).toBeLessThan(5);
    expect(await page.locator('#strip i').evaluateAll((lines) => lines.map((line) => line.title))).toEqual([
      'pause of 26 h',
    ]);
    expect(await page.locator('#scale').innerText()).toContain('Dashed: pauses.');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('names each turn with its own tokens and errors, also those of one second', async () => {
    const page = await open(await exported(join(projectRoot, 'fixtures/formats/claude-code/2.1.325/resume.jsonl')));
    const bars = await barsOf(page);
    expect(bars.map(({ title }) => title)).toEqual([
      '1 User',
      '2 Assistant, 4 errors, 875 tokens',
      '3 User',
      '4 Assistant, 173 tokens',
      '5 User',
      '6 Assistant, 173 tokens',
    ]);
    expect(overlaps(bars)).toEqual([]);
    expect(bars[1]?.to).toBe('#e-90a3847e-7350-439c-a37c-4fe386faef51');
    await page.close();
  });

  it('calls no long work of a turn a pause', async () => {
    const log = conversation('work.jsonl', 12, [], { 7: 5 });
    const turns = readFileSync(log, 'utf8');
    const worked = assistant('w', 'e6').replace('2026-01-01T00:00:01.000Z', '2026-01-01T05:05:00.000Z');
    writeFileSync(log, turns.replace(/(?<="id":"e7","parentId":")e6/, 'w').replace(/^(?=.*"id":"e7")/m, worked));
    const page = await open(await exported(log));
    expect((await barsOf(page)).map(({ title }) => title).slice(5, 7)).toEqual(['6 Assistant, 4 tokens', '7 User']);
    expect(await page.locator('#strip i').count()).toBe(0);
    await page.close();
  });

  it('merges neighbors where there are too many turns, and leads to the first error among them', async () => {
    const log = conversation('many.jsonl', 1000, [10, 12, 502, 1000], { 601: 72 });
    const page = await open(await exported(log), { viewport: { width: 1280, height: 600 } });
    const bars = await barsOf(page);
    expect(bars).toHaveLength(167);
    expect(overlaps(bars)).toEqual([]);
    const shown = bars.map(({ title, kind, to }) => [title, kind, to]);
    expect([shown[0], shown[1], shown[83], shown[100], shown[166]]).toEqual([
      ['turns 1 to 6, 6 tokens', '', '#e-e1'],
      ['turns 7 to 12, 2 errors, 6 tokens', 'failed', '#e-e10'],
      ['turns 499 to 504, 1 error, 6 tokens', 'failed', '#e-e502'],
      ['turns 601 to 606, 6 tokens, pause of 3 days', '', '#e-e601'],
      ['turns 997 to 1000, 1 error, 4 tokens', 'failed', '#e-e1000'],
    ]);
    expect(bars.filter(({ kind }) => kind === 'failed')).toHaveLength(3);
    await page.locator('#strip a.failed').nth(1).click();
    await expect.poll(() => page.locator('article:target').getAttribute('id')).toBe('e-e502');
    await page.close();
    const phone = await open(await exported(log), { viewport: { width: 380, height: 600 } });
    expect(await barsOf(phone)).toHaveLength(100);
    expect(overlaps(await barsOf(phone))).toEqual([]);
    await phone.close();
  });

  it('follows a deep link into a branch that is not shown', async () => {
    const address = await exported(BRANCHES, '--all');
    const page = await open(`${address}#e-7afdd8b2`);
    const target = page.locator('#e-7afdd8b2');
    expect(await target.isVisible()).toBe(true);
    const top = await target.evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(700);
    await page.close();
  });

  it('leads to the right place in a long page, and leaves no gaps where a filter hides it', async () => {
    const log = join(scratch, 'long.jsonl');
    const said = Array.from({ length: 400 }, (_, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`, `Number ${at}`));
    const failed = result('r', 'b', 'c').replace('"isError":false', '"isError":true');
    writeFileSync(log, [HEADER, ...said, assistant('b', 'u399', ['c']), failed].join(''));
    const page = await open(`${await exported(log)}#e-u333`, { viewport: { width: 1300, height: 600 } });
    const top = () => page.locator('#e-u333').evaluate((element) => element.getBoundingClientRect().top);
    await expect.poll(top).toBeGreaterThan(0);
    await expect.poll(top).toBeLessThan(200);
    await expect.poll(() => page.locator('#side a[aria-current]').textContent()).toContain('Number 333');
    await page.getByLabel('Show', { exact: true }).selectOption('User');
    await page.locator('.entry a', { hasText: 'Number 222' }).click();
    await expect.poll(() => page.locator('#side a[aria-current]').textContent()).toContain('Number 222');
    const place = await page.locator('#e-u222').evaluate((element) => element.getBoundingClientRect().top);
    expect([place > 0, place < 200]).toEqual([true, true]);
    await page.getByLabel('Show', { exact: true }).selectOption('Errors');
    await expect.poll(() => page.locator('#e-b').isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1000);
    await page.getByLabel('Show', { exact: true }).selectOption('All entries');
    await page.locator('.entry a', { hasText: 'Number 111' }).click();
    await expect.poll(() => page.locator('#side a[aria-current]').textContent()).toContain('Number 111');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('is as high as before when a filter is taken back, without laying all of it out', async () => {
    const log = join(scratch, 'filtered.jsonl');
    const entries = Array.from({ length: 600 }, (_, at) => {
      const place = [`e${at}`, at === 0 ? null : `e${at - 1}`] as const;
      return at % 10 === 0 ? user(...place, `Number ${at}`) : assistant(...place, []);
    });
    writeFileSync(log, [HEADER, ...entries].join(''));
    const page = await open(await exported(log), { viewport: { width: 1300, height: 600 } });
    const height = (): Promise<number> => page.evaluate('document.documentElement.scrollHeight');
    const before = await height();
    await page.getByLabel('Show', { exact: true }).selectOption('User');
    await expect.poll(height).toBeLessThan(before / 3);
    const isLaidOut = "document.getElementById('e-e590').checkVisibility({ contentVisibilityAuto: true })";
    expect(await page.evaluate(isLaidOut)).toBe(false);
    await page.getByLabel('Show', { exact: true }).selectOption('All entries');
    await expect.poll(height).toBeGreaterThan(before * 0.95);
    await page.close();
  });

  it('steps from turn to turn, and marks the turn in the contents', async () => {
    const page = await open(await exported(COMPACTION), {
      viewport: { width: 1300, height: 500 },
    });
    for (let step = 0; step < 3; step++) await page.keyboard.press('j');
    await expect.poll(() => page.url()).toContain('#e-cd126f0b');
    await expect.poll(() => page.locator('#side a[aria-current]').textContent()).toContain('Go on with the grammar');
    expect(await page.locator('.entry').allTextContents()).toContain('5Compaction: Goal A parser for relative dates.');
    await page.keyboard.press('k');
    await expect.poll(() => page.url()).toContain('#e-bce6ec7b');
    await page.keyboard.press('?');
    await expect.poll(() => page.locator('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').isVisible()).toBe(false);
    await page.close();
  });
});
