import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPORTER_NAMES } from '../../src/reporters/index.ts';
import { rules } from '../../src/rules/index.ts';
import { rawControls } from '../support/hostile.ts';
import { projectRoot, run } from '../support/run.ts';
import { antErrors, jenkinsErrors, sarifErrors } from '../support/schemas.ts';
import { scratchFolder } from '../support/scratch.ts';
import { parseXml } from '../support/xml.ts';

const folder = scratchFolder();
const broken = join(projectRoot, 'fixtures/rules');
const everything = [
  'validate',
  ...rules.filter((rule) => rule.level === 'off').map((rule) => `--rule=${rule.id}=warning`),
  broken,
];

/** A log whose every text tries to take over what shows it. */
const evil = '\\u001b[31m\\u202e\\u200b\\n::error::x%0A<&>"\']]>\\u0000';
const hostileLog = join(folder, 'hostile\u001b[31m\u202e.jsonl');
writeFileSync(
  hostileLog,
  [
    `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`,
    `{"type":"message","id":"${evil}","parentId":"gone${evil}","timestamp":"${evil}","message":{"role":"${evil}","content":[{"type":"${evil}"}]}}`,
    `{"type":"${evil}","id":"${evil}","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","\\u001b[2J${evil}":1}`,
    `{"type":"label","id":"b","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","targetId":"${evil}"}`,
    '',
  ].join('\n'),
);

describe('the formats, with every rule at work', () => {
  it('tell the same findings', async () => {
    const records = (await run([...everything, '--format=json'])).stdout.trimEnd().split('\n');
    const { summary } = JSON.parse(records.pop() ?? '') as { summary: Record<string, number> };
    const { errors = 0, warnings = 0, sessions = 0, skipped = 0 } = summary;
    // A log that shows one damage may be no log of any agent without its name.
    const lines = records.filter((line) => !line.includes('"skipped":'));
    expect(records.length - lines.length).toBe(skipped);
    expect(lines).toHaveLength(errors + warnings);
    expect(sessions).toBeGreaterThan(readdirSync(broken).length);
    expect((await run([...everything, '--format=text'])).stdout.trimEnd().split('\n')).toHaveLength(lines.length);
    const annotations = (await run([...everything, '--format=github'])).stdout.match(/^::(?:error|warning) /gm);
    expect(annotations).toHaveLength(lines.length);
    const sarif = JSON.parse((await run([...everything, '--format=sarif'])).stdout) as {
      runs: [{ results: unknown[] }];
    };
    expect(sarif.runs[0].results).toHaveLength(lines.length);
    const junit = parseXml((await run([...everything, '--format=junit'])).stdout);
    expect(junit.children).toHaveLength(sessions + skipped);
    const texts = junit.children.flatMap((suite) =>
      suite.children.flatMap((one) =>
        [one, ...one.children].filter(({ name }) => ['failure', 'system-out'].includes(name)),
      ),
    );
    expect(texts.flatMap(({ text }) => (text === '' ? [] : text.split('\n')))).toHaveLength(lines.length);
    const rows = (await run([...everything, '--format=markdown'])).stdout.match(/^\|.*\| (?:error|warning) \|/gm);
    expect(rows).toHaveLength(lines.length);
  });

  it('give SARIF and JUnit that fit their schemas, also of a hostile log and of a file that is not there', async () => {
    const output = async (format: string): Promise<string> =>
      (await run([...everything, hostileLog, join(folder, 'missing.jsonl'), `--format=${format}`])).stdout;
    expect(sarifErrors(JSON.parse(await output('sarif')))).toEqual([]);
    expect(await jenkinsErrors(await output('junit'))).toEqual([]);
    expect(await antErrors(await output('junit-ant'))).toEqual([]);
  });

  it.each(REPORTER_NAMES)('bring nothing of a hostile log to a terminal as %s', async (format) => {
    for (const stdoutIsTerminal of [true, false]) {
      const ran = await run(['validate', '--format', format, hostileLog, join(folder, 'missing\u001b.jsonl')], {
        stdoutIsTerminal,
      });
      expect(ran.code).toBe(2);
      expect(ran.stdout.length).toBeGreaterThan(100);
      expect(rawControls(ran.stderr)).toEqual([]);
      // Text into a pipe keeps a path as it is, but for what would break the line.
      const allowed = format === 'text' && !stdoutIsTerminal ? ran.stdout.replaceAll('\u202e', '') : ran.stdout;
      expect(rawControls(allowed)).toEqual([]);
    }
  });
});
