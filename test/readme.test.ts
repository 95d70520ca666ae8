import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installed } from './support/installed.ts';
import { projectRoot } from './support/run.ts';
import { consoleBlocks, runBlock } from './tools/console-examples.ts';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const blocks = consoleBlocks(readme);
const ready = installed('bash') && installed('jq');

describe('the README', () => {
  it('has the two commands, each on a line of its own', () => {
    const lines = readme.split('\n');
    expect(lines).toContain('npm ci && npx sessionctl validate fixtures/sessions');
    expect(lines).toContain('npm ci && npm test');
  });

  it('has examples', () => {
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(block.commands.length, `line ${block.line}`).toBeGreaterThan(0);
  });

  it.skipIf(!ready).each(blocks)('shows at line $line what $commands.0 prints; if not, run npm run docs', (block) => {
    expect(block.text).toBe(runBlock(block, projectRoot));
  });

  it('links only to what is there', () => {
    for (const [, target = ''] of readme.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (!/^https?:/.test(target)) expect(() => readFileSync(join(projectRoot, target)), target).not.toThrow();
    }
  });
});
