import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandPage } from '../scripts/command-page.ts';
import { generatedFiles } from '../scripts/generated.ts';
import { rulePage } from '../scripts/rule-docs.ts';
import { blankLine } from '../src/rules/blank-line.ts';
import { flag, INDEX, INDEX_BYTES } from '../src/shared/command.ts';
import { installed } from './support/installed.ts';
import { projectRoot, spawnCommand } from './support/run.ts';
import { parseXml } from './support/xml.ts';

describe('what is made from the sources', () => {
  it.each(generatedFiles)('$path is up to date; if not, run npm run docs', async ({ path, make }) => {
    expect(readFileSync(join(projectRoot, path), 'utf8')).toBe(await make(projectRoot));
  });
});

describe.skipIf(!installed('man', '--version'))('the man page', () => {
  it('renders without a warning and shows every word as it is typed', async () => {
    const page = join(projectRoot, 'docs/sessionctl.1');
    const env = { MANWIDTH: '80', MANROFFOPT: '-ww', LC_ALL: 'C.UTF-8' };
    const ran = await spawnCommand('man', ['--warnings=w', '-l', page], { env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const text = ran.stdout.replace(/.\u0008/g, '');
    expect(text).toContain('sessionctl validate [OPTION]... [FILE|DIR]...');
    expect(text).toContain('sessionctl validate --format json f.jsonl | jq -c \'select(.severity=="error")\'');
    expect(text).toContain('--color WHEN');
  });
});

describe('the screenshot', () => {
  it('is XML without a script, a link or anything from elsewhere', () => {
    const source = readFileSync(join(projectRoot, 'docs/screenshot.svg'), 'utf8');
    expect(source).not.toMatch(/<script|href|url\(|on\w+=/);
    expect(parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n${source}`).name).toBe('svg');
  });
});

describe('the page of the rules', () => {
  it('says what repair fixes only with --only, and in whose logs it fixes nothing', async () => {
    const agents = ['A', 'B'].map((agent) => ({ agent, levels: { 'blank-line': 'warning' } as const }));
    const page = await rulePage([blankLine], agents, async () => '');
    expect(page).toContain('Level: warning, fixed by `repair --only` (pi and omp); warning (A, B).\n');
  });
});

describe('the page of the commands', () => {
  const commands = ['one', 'two'].map((name) => ({
    ...{ name, summary: `Do ${name}`, operands: 'FILE', run: async () => 0 },
    ...{ description: ['Before `two`.', '- a `b`', '- `docs/ci.md`'], memory: `${INDEX}, and more.` },
    options: [flag('json', 'As `sessionctl two`; it has `one` and `two`')],
    examples: { [`sessionctl ${name} f`]: 'it' },
  }));
  const block = '```console\n$ echo "## two"\n## two\n```';

  it('keeps the console blocks of each section, wherever they stand in it, and nothing else', () => {
    const page = commandPage(
      commands,
      `by hand\n\n## one\n\nby hand\n\n${block}\n\nby hand\n\n${block}\n\n## gone\n\n${block}\n`,
    );
    expect(page).not.toContain('by hand');
    expect(page.split(block)).toHaveLength(3);
    expect(page.indexOf(block)).toBeGreaterThan(page.indexOf('\n## one\n'));
    expect(page.lastIndexOf(block)).toBeLessThan(page.lastIndexOf('\n## two\n'));
    expect(commandPage(commands, page)).toBe(page);
  });

  it('links no field or value in the text of an option, though a command has the same name', () => {
    const page = commandPage(commands, '');
    expect(page).toContain('As [`sessionctl two`](#two); it has `one` and `two`\n');
  });

  it('links what a text names, and says what an index takes in one place', () => {
    const page = commandPage(commands, '');
    expect(page).toContain('Before [`two`](#two).\n\n- a `b`\n- [`docs/ci.md`](ci.md)\n');
    expect(page).toContain('## two\n\n`sessionctl two [OPTION]... FILE`\n\nDo two.\n\nBefore `two`.\n');
    expect(page.match(new RegExp(`${INDEX_BYTES} bytes per entry`, 'g'))).toHaveLength(1);
  });
});
