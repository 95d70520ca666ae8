import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIRST_STEPS } from '../src/cli/help.ts';
import { commands } from '../src/commands/index.ts';
import { type GooseSession, gooseDatabase } from './support/goose-database.ts';
import { installed } from './support/installed.ts';
import { fixedEnv, programPath, projectRoot, spawnCommand } from './support/run.ts';
import { scratchFolder } from './support/scratch.ts';

const loaded = await Promise.all(commands.map((entry) => entry.load()));
const examples = [...new Set([FIRST_STEPS, ...loaded.map((one) => one.examples)].flatMap((one) => Object.keys(one)))];

/** Examples that end with 1 here: there is something to find, a difference, or a loss. */
const FINDS: ReadonlySet<string> = new Set([
  'sessionctl validate --format github --format sarif=findings.sarif recorded/',
  'sessionctl validate --format json f.jsonl | jq -c \'select(.severity=="error")\'',
  'sessionctl migrate --check sessions',
  'sessionctl repair -n sessions/*.jsonl',
  'sessionctl diff session.jsonl',
  'sessionctl diff session.jsonl leaf:3 @',
  'sessionctl diff session.jsonl fork.jsonl',
  'sessionctl diff session.jsonl @~6 @ --context',
  'sessionctl convert --to atif -o run.json session.jsonl',
  'sessionctl convert --to sts session.jsonl > trace.jsonl',
  'sessionctl convert goose.db | sessionctl redact > session.jsonl',
  'sessionctl redact --check --format github sessions/',
]);

describe.skipIf(!['bash', 'jq', 'less'].every((program) => installed(program)))('an example of the help', () => {
  const scratch = scratchFolder();

  it.concurrent.each(examples.map((example, at) => ({ example, at })))('works: $example', async ({ example, at }) => {
    const folder = join(scratch, String(at));
    furnish(folder);
    const ran = await spawnCommand('bash', ['-c', `set -o pipefail\n${example}`], {
      cwd: folder,
      env: { HOME: join(folder, 'home'), PATH: `${join(folder, 'bin')}:${fixedEnv['PATH']}` },
    });
    const said = ran.stderr + ran.stdout.slice(0, 2_000);
    expect(ran.code, said).toBe(FINDS.has(example) ? 1 : 0);
    expect(ran.stderr).not.toMatch(/--help' shows|no such file|not found/i);
    // Each of them shows something, or leaves a file.
    if (!/ >|-o |-i |source|--apply|append/.test(example)) expect(said).not.toBe('');
  });

  it('is listed here only as long as the help has it', () => {
    expect([...FINDS].filter((example) => !examples.includes(example))).toEqual([]);
  });
});

function fixture(name: string): string {
  return readFileSync(join(projectRoot, 'fixtures', name), 'utf8');
}

/** The files that the examples name, and a home with logs of some agents. */
function furnish(folder: string): void {
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  const session = richSession();
  for (const name of ['session', 's', 'slim', 'home/.pi/agent/sessions/p/s']) put(`${name}.jsonl`, session);
  put('fork.jsonl', fixture('sessions/pi-branches.jsonl'));
  for (const name of ['old', 'sessions/old']) put(`${name}.jsonl`, fixture('sessions/pi-version-1.jsonl'));
  put('broken.jsonl', fixture('repair/torn-between-entries/damaged.jsonl'));
  for (const name of ['f', 'recorded/f']) put(`${name}.jsonl`, fixture('readme/crashed.jsonl'));
  put('sessions/twice.jsonl', fixture('rules/duplicate-id/bad.jsonl'));
  put(
    'sessions/secret.jsonl',
    fixture('sessions/pi-reworded.jsonl').replaceAll('npx vitest', 'x --password hunter2-x9'),
  );
  put('bodies.jsonl', '{"type":"session_info","name":"notes"}\n');
  const claude = fixture('formats/claude-code/2.1.325/resume.jsonl')
    .replaceAll('/home/ada/project', folder)
    .replaceAll('Change the port', 'A todo: mind the rate limit, change the port')
    .replace(/\b20\d\d-\d\d-\d\d(?=T)/g, new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10));
  for (const name of ['claude', 'home/.claude/projects/p/00000000-0000-4000-8000-000000000003'])
    put(`${name}.jsonl`, claude);
  const rollout = fixture('formats/codex/0.166.0/tools.jsonl');
  for (const name of ['rollout', 'home/.codex/sessions/2026/11/16/rollout-1']) put(`${name}.jsonl`, rollout);
  gooseDatabase(join(folder, 'goose.db'), JSON.parse(fixture('formats/goose/tools.json')) as GooseSession);
  for (const store of ['blobs', 'home/.omp/agent/blobs'])
    for (const bytes of [IMAGE, Buffer.from('orphan')]) {
      put(`${store}/${sha256(bytes)}`, bytes);
      utimesSync(join(folder, store, sha256(bytes)), 0, 0);
    }
  put('home/.omp/agent/sessions/p/s.jsonl', session);
  for (const name of ['bin', 'home/.config/fish/completions']) mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(programPath, join(folder, 'bin/sessionctl'));
}

const IMAGE = Buffer.from('an image of some bytes');

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A session with all that the examples look for: three branches, labels, an id with a dash, an image and a blob ref. */
function richSession(): string {
  const [header = '', ...entries] = fixture('sessions/pi-branches.jsonl').trimEnd().split('\n');
  const at = { timestamp: '2026-03-09T13:05:30.000Z' };
  const message = (id: string, parentId: string, role: string, content: unknown): string =>
    JSON.stringify({ type: 'message', id, parentId, ...at, message: { role, content, timestamp: 1_773_061_530_000 } });
  const label = (id: string, parentId: string, targetId: string, name: string): string =>
    JSON.stringify({ type: 'label', id, parentId, ...at, targetId, label: name });
  const image = (data: string) => [{ type: 'image', data, mimeType: 'image/png' }];
  const [first = '', ...rest] = entries;
  return `${[
    header,
    first,
    message('-abcdef0', '4897f003', 'user', 'TODO: rm -rf node_modules'),
    ...rest.map((line) => line.replaceAll('npx vitest run"', 'rm -rf out"')),
    message('a1b2c303', '62f2363f', 'user', image('A'.repeat(2_000))),
    message('a1b2c304', 'a1b2c303', 'user', image(`blob:sha256:${sha256(IMAGE)}`)),
    label('a1b2c305', 'a1b2c304', 'a3776d77', 'good'),
    label('a1b2c306', 'a1b2c305', 'cdd25856', 'done'),
    message('a1b2c307', 'a1b2c306', 'assistant', [{ type: 'text', text: 'Done.' }]).replace(
      '"role"',
      '"api":"anthropic-messages","provider":"anthropic","model":"m","stopReason":"stop","role"',
    ),
  ].join('\n')}\n`;
}
