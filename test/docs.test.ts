import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/generated.ts';
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
