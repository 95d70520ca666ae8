import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { installed } from './installed.ts';

const PROGRAM = 'chromium';
const QUIET = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
];

/** Whether there is a browser to test in; says so where there is none. */
export const hasChromium: boolean = installed(PROGRAM);

/** A browser for the tests of one file, with a profile of its own that is gone afterwards. */
export function testBrowser(): () => Browser {
  let browser: Browser | undefined;
  let profile: string | undefined;
  beforeAll(async () => {
    if (!hasChromium) return;
    profile = mkdtempSync(join(tmpdir(), 'sessionctl-chromium-'));
    const executablePath = pathOf(PROGRAM);
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', ...QUIET],
      env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
    });
  });
  afterAll(async () => {
    await browser?.close();
    if (profile !== undefined) rmSync(profile, { recursive: true, force: true });
  });
  return () => {
    if (!browser) throw new Error('no browser was started');
    return browser;
  };
}

function pathOf(program: string): string {
  const found = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
  if (found === '') throw new Error(`${program} is not installed`);
  return found;
}
