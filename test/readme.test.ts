import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consoleBlocks, runBlock } from '../scripts/console-examples.ts';
import { pages } from '../scripts/generated.ts';
import { commands } from '../src/commands/index.ts';
import { installed } from './support/installed.ts';
import { programPath, projectRoot, spawnCommand } from './support/run.ts';
import { scratchFolder } from './support/scratch.ts';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const blocks = pages.flatMap((page) => consoleBlocks(textOf(page)).map((block) => ({ page, ...block })));
const ready = installed('bash') && installed('jq');

describe('the README', () => {
  it('has the two commands, each on a line of its own', () => {
    const lines = readme.split('\n');
    expect(lines).toContain('npm ci && npx sessionctl validate fixtures/sessions');
    expect(lines).toContain('npm ci && npm test');
  });

  it('is short', () => {
    expect(Buffer.byteLength(readme)).toBeLessThan(11_000);
  });

  it('says before the first command where to get the project', () => {
    const { repository } = JSON.parse(textOf('package.json')) as { readonly repository: { readonly url: string } };
    const address = repository.url.replace(/^git\+(.*)\.git$/, '$1');
    const [, before = ''] = /\n## Install\n([\s\S]*?)\nnpm ci /.exec(readme) ?? [];
    expect(before).toContain(`git clone ${address}`);
  });

  it.skipIf(!installed('git'))('has a hook that stops a broken log and lets a sound one pass', async () => {
    const hook = /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(textOf('docs/ci.md'))?.[1] ?? '';
    const folder = scratchFolder();
    const script = `
      git init -q . && git config user.email a@example.com && git config user.name a && mkdir bin
      ln -s '${programPath}' bin/sessionctl
      cat > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
      export PATH="$PWD/bin:$PATH"
      cp '${join(projectRoot, 'fixtures/sessions/pi-branches.jsonl')}' sound.jsonl
      cp '${join(projectRoot, 'fixtures/readme/crashed.jsonl')}' broken.jsonl
      git add sound.jsonl && git commit -qm sound && echo committed
      git add broken.jsonl && git commit -qm broken || echo stopped
      git rm -q --cached broken.jsonl; echo text > notes.txt; git add notes.txt && git commit -qm notes && echo committed`;
    const ran = await spawnCommand('bash', ['-c', script], {
      cwd: folder,
      stdin: hook,
      env: { HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    });
    expect(ran.stdout + ran.stderr).toContain('broken.jsonl:5: error: torn-line: ');
    expect(ran.stdout.match(/^(?:committed|stopped)$/gm)).toEqual(['committed', 'stopped', 'committed']);
  });
});

describe('the pages', () => {
  it('have examples', () => {
    expect(blocks.length).toBeGreaterThan(20);
    for (const { page, line, commands } of blocks) expect(commands.length, `${page}:${line}`).toBeGreaterThan(0);
  });

  it('have no example of a kind that no test runs', () => {
    // test/ci.test.ts runs yaml, test/library js and ts, test/rules what is in docs/rules.md, test/examples.test.ts what
    // docs/commands.md has from the help.
    const fences = pages.flatMap((page) =>
      [...textOf(page).matchAll(/^```(\w*)\n[\s\S]*?^```$/gm)].map(([, kind]) => ({ page, kind })),
    );
    const fromHelp = fences.filter(({ page, kind }) => page === 'docs/commands.md' && kind === 'sh');
    expect(fromHelp).toHaveLength(commands.length);
    const others = fences.filter((fence) => !fromHelp.includes(fence));
    const unknown = others.filter(({ kind = '' }) => !['console', 'yaml', 'js', 'ts'].includes(kind));
    const shell = ['README.md', 'README.md', 'docs/ci.md'].map((page) => ({ page, kind: 'sh' }));
    expect(unknown).toEqual(shell);
  });

  it.skipIf(!ready).each(blocks)(
    '$page shows at line $line what $commands.0 prints; if not, run npm run docs',
    (block) => {
      expect(block.text).toBe(runBlock(block, projectRoot));
    },
  );

  it.each([...pages, 'docs/rules.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])(
    '%s links only to what is there',
    (page) => {
      for (const [, target = '', anchor] of textOf(page).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)) {
        if (/^https?:/.test(target)) continue;
        const path = target === '' ? page : join(dirname(page), target);
        expect(existsSync(join(projectRoot, path)), path).toBe(true);
        if (anchor !== undefined) expect(anchorsOf(textOf(path)), `${path}#${anchor}`).toContain(anchor);
      }
    },
  );
});

function textOf(page: string): string {
  return readFileSync(join(projectRoot, page), 'utf8');
}

/** What GitHub makes of the headings of a page, and the anchors that it has itself. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase());
  const own = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return [...headings.map((title) => title.replace(/[^\w\s-]/g, '').replaceAll(' ', '-')), ...own];
}
