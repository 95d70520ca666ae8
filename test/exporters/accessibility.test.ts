import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, testBrowser } from '../support/chromium.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe.skipIf(!hasChromium)('what axe finds in an export', () => {
  const browser = testBrowser();
  const logs = {
    branches: 'sessions/pi-branches.jsonl',
    errors: 'sessions/pi-compaction.jsonl',
    images: 'sessions/pi-images.jsonl',
    subagents: 'formats/claude-code/2.1.325/subagent.jsonl',
  };
  const pages = { branches: '', errors: '', images: '', subagents: '', site: '' };

  beforeAll(async () => {
    for (const name of Object.keys(logs) as (keyof typeof logs)[]) {
      const page = join(scratch, `${name}.html`);
      expect((await run(['export', '--all', '-o', page, join(projectRoot, 'fixtures', logs[name])])).code).toBe(0);
      pages[name] = pathToFileURL(page).href;
    }
    const site = join(scratch, 'site');
    const listed = Object.values(logs).map((log) => join(projectRoot, 'fixtures', log));
    expect((await run(['export', '-o', `${site}/`, ...listed])).code).toBe(0);
    pages.site = pathToFileURL(join(site, 'index.html')).href;
  });

  const widths = { desktop: 1280, phone: 380 };
  const cases = (Object.keys(pages) as (keyof typeof pages)[]).flatMap((name) =>
    (['desktop', 'phone'] as const).flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ name, width, colorScheme })),
    ),
  );
  it.each(cases)('is nothing serious: $name, $width, $colorScheme', async ({ name, width, colorScheme }) => {
    // So high that everything is drawn: what is not cannot be judged.
    const page = await browser().newPage({ colorScheme, viewport: { width: widths[width], height: 8000 } });
    await page.goto(pages[name]);
    if (name !== 'site')
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
    if (name !== 'site' && width === 'phone') await page.getByRole('button', { name: 'Contents' }).click();
    await page.evaluate(axe);
    const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
    await page.close();
    const bad = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(bad.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])])).toEqual(
      [],
    );
  });
});
