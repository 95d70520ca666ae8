import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { testBrowser } from '../support/chromium.ts';
import { run } from '../support/run.ts';

interface TestPages {
  exported(log: string, ...options: string[]): Promise<string>;
  open(address: string, settings?: Parameters<Browser['newPage']>[0]): Promise<Page>;
  /** Everything that the page asked for besides itself. */
  readonly requests: string[];
  readonly complaints: string[];
}

/** Exports pages and opens them in a browser. */
export function testPages(scratch: string): TestPages {
  const browser = testBrowser();
  const requests: string[] = [];
  const complaints: string[] = [];
  let pages = 0;

  async function exported(log: string, ...options: string[]): Promise<string> {
    const page = join(scratch, `page${++pages}.html`);
    const ran = await run(['export', ...options, '-o', page, log]);
    expect(ran.code).toBe(0);
    return pathToFileURL(page).href;
  }

  async function open(address: string, settings: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    requests.length = 0;
    complaints.length = 0;
    const page = await browser().newPage(settings);
    page.setDefaultTimeout(10_000);
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== address.split('#')[0] && !request.url().startsWith('data:'))
        requests.push(request.url());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    await page.goto(address);
    return page;
  }

  return { exported, open, requests, complaints };
}
