import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { antErrors, jenkinsErrors, sarifErrors } from '../support/schemas.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const log = join(scratch, 'a.jsonl');
const known = join(scratch, 'known.json');
writeFileSync(log, `${HEADER}\n${user('a', null)}`);
writeFileSync(known, '{"a.jsonl":{"torn-line":{"count":1},"blank-line":{"count":1}}}');

describe.each([
  [
    'suppressions that no longer occur',
    ['--suppressions', known],
    1,
    '1 suppressed finding no longer found; --prune-suppressions forgets what is gone',
  ],
  ['too many warnings', ['--max-warnings', '0'], 1, 'too many warnings: 1 (maximum: 0)'],
  ['nothing checked', ['--ignore', '**/a.jsonl'], 2, 'no sessions checked: 1 ignored file, not checked'],
])('a run that fails because of %s', (_why, words, code, reason) => {
  const report = async (format: string, ...more: string[]): Promise<string> => {
    const ran = await run(['validate', '--no-config', ...words, '--format', format, ...more, log]);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(`sessionctl: ${reason}\n`) as string });
    return ran.stdout;
  };

  it('says so once on standard error beside text', async () => {
    expect(await report('text')).not.toContain(reason);
    const ran = await run(['validate', '--no-config', ...words, log]);
    expect(ran.stderr.split(reason)).toHaveLength(2);
  });

  it('says so in every other format', async () => {
    expect(await report('markdown')).toContain(reason);
    expect(await report('github')).toContain(`::error::${reason}\n`);
    expect(JSON.parse((await report('json')).trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      summary: { errors: 0, objections: [reason] },
    });
    const sarif: unknown = JSON.parse(await report('sarif'));
    expect(sarifErrors(sarif)).toEqual([]);
    const notification = expect.objectContaining({ level: 'error', message: { text: reason } }) as unknown;
    expect(sarif).toMatchObject({
      runs: [
        {
          invocations: [
            {
              executionSuccessful: false,
              toolExecutionNotifications: expect.arrayContaining([notification]) as unknown,
            },
          ],
        },
      ],
    });
    const [junit, ant] = [await report('junit'), await report('junit-ant')];
    expect([await jenkinsErrors(junit), await antErrors(ant)]).toEqual([[], []]);
    for (const xml of [junit, ant]) expect(xml).toContain(`<failure type="objection" message="${reason}">`);
    expect(junit).toMatch(/<testsuites [^>]* failures="1" /);
  });
});

it('a run that is within its limits has no objection in any format', async () => {
  for (const format of ['text', 'markdown', 'github', 'json', 'sarif', 'junit']) {
    const ran = await run(['validate', '--no-config', '--max-warnings', '1', '--format', format, log]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toMatch(/at most|::error|Failed|<failure|"objections":\["/);
  }
});

it('a report is not written where the suppressions cannot be', async () => {
  const folder = join(scratch, 'no-such-folder', 'known.json');
  const words = ['--suppressions', folder, '--suppress-all', '--format', 'markdown'];
  expect(await run(['validate', '--no-config', ...words, log])).toMatchObject({ code: 2, stdout: '' });
});
