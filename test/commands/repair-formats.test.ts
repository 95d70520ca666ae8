import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChangeRecord, planRecords, type QuarantineRecord } from '../../src/repair/index.ts';
import { makeDatabase } from '../support/database.ts';
import { readRecords, rebuildInput } from '../support/rebuild.ts';
import { inChunks } from '../support/repairing.ts';
import { fixedEnv, programPath, projectRoot, run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const fixture = (rule: string, format: string, name: string): string =>
  join(projectRoot, 'fixtures', 'rules', rule, format, name);

let folders = 0;
function folder(): string {
  const path = join(scratch, String(folders++));
  mkdirSync(path);
  return path;
}

function copyOf(rule: string, format: string): string {
  const path = join(folder(), 'log.jsonl');
  copyFileSync(fixture(rule, format, 'bad.jsonl'), path);
  return path;
}

describe.each([
  ['claude-code', 'orphan-result'],
  ['codex', 'orphan-result'],
])('a log of %s', (format, rule) => {
  const bad = readFileSync(fixture(rule, format, 'bad.jsonl'));
  const repaired = readFileSync(fixture(rule, format, 'repaired.jsonl'), 'utf8');

  it('is repaired in place in its own format, with a backup, a quarantine and a report', async () => {
    const log = copyOf(rule, format);
    const report = join(log, '..', 'changes');
    const ran = await run(['repair', '-i', '--backup', '--report', report, log]);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(log, 'utf8')).toBe(repaired);
    expect(readFileSync(`${log}.bak`).equals(bad)).toBe(true);
    const changes = readRecords<ChangeRecord>(readFileSync(report, 'utf8'));
    const quarantine = readRecords<QuarantineRecord>(readFileSync(`${log}.quarantine`, 'utf8'));
    expect(quarantine[0]).toMatchObject({ file: log, rule });
    expect(rebuildInput(Buffer.from(repaired), changes, quarantine).equals(bad)).toBe(true);
    expect(await run(['validate', log])).toMatchObject({ code: 0 });
    expect(await run(['repair', '-n', log])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is only looked at with -n', async () => {
    const log = copyOf(rule, format);
    const ran = await run(['repair', '-n', log]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`${rule}: would have moved`);
    expect(readFileSync(log).equals(bad)).toBe(true);
    expect(readdirSync(join(log, '..'))).toEqual(['log.jsonl']);
  });

  it('comes through a pipe too, if the quarantine has a place', async () => {
    const stdin = bad.toString('utf8');
    const refused = await run(['repair'], { stdin });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--quarantine FILE');
    const ran = await run(['repair', '--quarantine', join(folder(), 'q')], { stdin });
    expect(ran).toMatchObject({ code: 0, stdout: repaired });
  });

  it('is fixed by the group of the rule, and left alone by another group', async () => {
    const ran = await run(['repair', '--only', 'tools', copyOf(rule, format)]);
    expect(ran.code).toBe(0);
    expect(await run(['validate', '--strict'], { stdin: ran.stdoutBytes })).toMatchObject({ code: 0, stdout: '' });
    const other = await run(['repair', '--only', 'content', copyOf(rule, format)]);
    expect(other).toMatchObject({ code: 1, stdout: bad.toString('utf8') });
    expect(other.stderr).toContain(`${rule}: not fixed`);
  });
});

describe('damage that does no harm', () => {
  const bad = readFileSync(fixture('invalid-utf8', 'claude-code', 'bad.jsonl'));
  const line = bad.subarray(0, bad.indexOf(0xff)).filter((byte) => byte === 0x0a).length;

  it('stays as it is, but goes where an error on its line is fixed', async () => {
    const log = join(folder(), 'log.jsonl');
    const lines = bad.toString('latin1').split('\n');
    writeFileSync(log, bad);
    expect(await run(['repair', '-n', log])).toMatchObject({ code: 0, stderr: '' });
    const lost = (lines[line] ?? '').replace(/"parentUuid":"[^"]*"/, '"parentUuid":"lost"');
    writeFileSync(log, lines.with(line, lost).join('\n'), 'latin1');
    const ran = await run(['repair', '-i', log]);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toContain(`${log}:${line + 1}: invalid-utf8: `);
    expect(ran.stderr).toContain(`${log}:${line + 1}: dangling-parent: reattached`);
    expect(await run(['validate', log])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(`${log}.quarantine`, 'utf8')).toContain('rawBase64');
  });
});

describe('whose log it is', () => {
  const PROBABLE =
    '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"},"timestamp":"2026-01-01T00:00:00.000Z"}';

  it('has to be certain, or said, before anything is written', async () => {
    const log = join(folder(), 'log.jsonl');
    writeFileSync(log, PROBABLE);
    const ran = await run(['repair', '-i', log]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/probably a Claude Code transcript; nothing was written.*--from claude-code/);
    expect(readFileSync(log, 'utf8')).toBe(PROBABLE);
    expect(await run(['repair', '-i', '--from', 'claude-code', log])).toMatchObject({ code: 0 });
    expect(readFileSync(log, 'utf8')).toBe(`${PROBABLE}\n`);
  });

  it('is not what --from says where it surely is something else', async () => {
    const codex = fixture('torn-line', 'codex', 'bad.jsonl');
    const ran = await run(['repair', '--from', 'claude-code', codex]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain("does not fit '--from claude-code'; it looks like a Codex rollout");
    expect(await run(['repair', '--from', 'pi', codex])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `sessionctl: ${codex}: does not fit '--from pi'; it looks like a Codex rollout\n`,
    });
    const native = join(projectRoot, 'fixtures', 'sessions', 'pi-branches.jsonl');
    expect((await run(['repair', '--from', 'codex', native])).stderr).toContain('looks like a pi or omp session log');
  });
});

it('refuses to append a leaf to a log of another agent', async () => {
  const ran = await run(['repair', '--settle-leaf', fixture('torn-line', 'codex', 'good.jsonl')]);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('--settle-leaf is only for logs of pi and omp');
});

it('gives a call of Codex without a result one if it is asked to, and only in the middle', async () => {
  const log = fixture('unanswered-call', 'codex', 'bad.jsonl');
  expect(await run(['repair', log])).toMatchObject({ code: 0, stdout: readFileSync(log, 'utf8') });
  const settled = await run(['repair', '--settle-tools', log]);
  expect(settled.code).toBe(0);
  expect(settled.stderr).toContain("unanswered-call: inserted a result for call '");
  expect(settled.stdout).toContain('never recorded');
  const again = await run(['repair', '--settle-tools', '--from', 'codex'], { stdin: settled.stdout });
  expect(again).toMatchObject({ code: 0, stdout: settled.stdout });
});

it('reports what it cannot find beside a Codex fork', async () => {
  const log = fixture('missing-base', 'codex', 'bad.jsonl');
  const ran = await run(['repair', log]);
  expect(ran).toMatchObject({ code: 1, stdout: readFileSync(log, 'utf8') });
  expect(ran.stderr).toContain('missing-base: not fixed');
});

describe('--only', () => {
  it('takes rules and groups, with commas between', async () => {
    const log = copyOf('dangling-parent', 'claude-code');
    const bad = readFileSync(log, 'utf8');
    const repaired = readFileSync(fixture('dangling-parent', 'claude-code', 'repaired.jsonl'), 'utf8');
    expect(await run(['repair', '--only', 'tools,tree', log])).toMatchObject({ code: 0, stdout: repaired });
    expect(await run(['repair', '--only', 'tools,thinking', log])).toMatchObject({ code: 1, stdout: bad });
    const unknown = await run(['repair', '--only', 'tree,zzz', log]);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain("--only: unknown rule or group 'zzz'");
  });

  it('of a group that a format has nothing of leaves its logs alone', async () => {
    const log = copyOf('orphan-result', 'codex');
    const bad = readFileSync(log, 'utf8');
    expect(await run(['repair', '--only', 'thinking', log])).toMatchObject({ code: 1, stdout: bad });
    const ran = await run(['repair', '--only', 'unsigned-thinking', log]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain("repair does not fix 'unsigned-thinking' in such a log");
  });
});

it('a damaged header of Codex is an error, for Codex refuses the file', async () => {
  const lines = readFileSync(join(projectRoot, 'fixtures/formats/codex/0.166.0/plain.jsonl'), 'utf8').split('\n');
  const glued = `${lines[0]}${lines.slice(1).join('\n')}`;
  expect(await run(['validate', '--from', 'codex'], { stdin: glued })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('error: glued-entries'),
  });
  const repaired = await run(['repair', '--from', 'codex'], { stdin: glued });
  expect(repaired).toMatchObject({ code: 0, stdout: lines.join('\n') });
});

it.each([
  ['record-log', 'a record log'],
  ['event-log', 'an event log'],
])('a damaged %s is refused in one line, and its findings are not fixable', async (format, title) => {
  const log = join(projectRoot, 'fixtures/rules/torn-line', format, 'bad.jsonl');
  expect(await run(['repair', log])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `sessionctl: ${log}: repair does not write logs of this format (looks like ${title}); nothing was written\n`,
  });
  const { stdout } = await run(['validate', '--format', 'json', log]);
  expect(JSON.parse(stdout.split('\n', 1)[0] ?? '')).toMatchObject({ rule: 'torn-line', fixable: false });
  const status = await run(['status', log]);
  expect(status.stdout).toMatch(/^blocked: /);
  expect(status.stdout).not.toContain('sessionctl repair');
});

it.each([
  ['goose/tools.json', 'documents (looks like a Goose session)'],
  ['goose/legacy.jsonl', 'logs of this format (looks like a Goose session)'],
  ['atif/tools-1.4.json', 'documents (looks like an ATIF trajectory)'],
  ['aider/runs.md', 'documents (looks like an Aider chat history)'],
])('%s is refused by the name of its format', async (file, what) => {
  const log = join(projectRoot, 'fixtures/formats', file);
  expect(await run(['repair', log])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `sessionctl: ${log}: repair does not write ${what}; nothing was written\n`,
  });
});

describe('a file that has the lines of a log in it and is none', () => {
  const header = '{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';

  it.each([[], ['--from', 'pi']])('is not touched where it is a database (%s %s)', async (...from) => {
    const file = makeDatabase(join(folder(), 'openclaw-agent.sqlite'), {
      transcript_events: { columns: 'session_id TEXT, seq INTEGER, event_json TEXT', rows: [['a', 0, header]] },
    });
    const before = readFileSync(file);
    const ran = await run(['repair', '-i', ...from, file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^sessionctl: .*looks like an SQLite database.*\n$/);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await run(['repair'], { stdin: before })).toMatchObject({ code: 2, stdout: '' });
  });

  it('is not touched where it is an archive', async () => {
    const file = join(folder(), 'log.zip');
    writeFileSync(file, `PK\u0003\u0004\0\0${header}\n`);
    const ran = await run(['repair', '-i', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/looks like a zip archive/);
    expect(readFileSync(file, 'utf8')).toContain(header);
  });
});

describe('a signal', () => {
  const record = (at: number): string =>
    `${JSON.stringify({
      ...{
        parentUuid: at === 0 ? null : `u${at % 3 === 0 ? `lost${at}` : at - 1}`,
        isSidechain: false,
        uuid: `u${at}`,
      },
      ...{ timestamp: new Date(1.77e12 + at * 61_000).toISOString(), sessionId: 's', type: 'user', cwd: '/w' },
      ...{ version: '2.1.325', message: { role: 'user', content: `prompt ${at}` } },
    })}\n`;
  const old = Array.from({ length: 4_000 }, (_, at) => record(at)).join('');

  async function repairWith(log: string, signal: NodeJS.Signals, delay: number): Promise<number> {
    const child = spawn(process.execPath, [programPath, 'repair', '-i', log], { stdio: 'ignore', env: fixedEnv });
    // A signal may come before the program has started to listen: the shell gives the same code then.
    const ended = new Promise<number>((done) =>
      child.on('close', (code, by) => done(code ?? 128 + constants.signals[by ?? signal])),
    );
    setTimeout(() => child.kill(signal), delay);
    return await ended;
  }

  it('ends a repair at any moment: the old log alone, or the whole new one', async () => {
    const log = join(folder(), 'log.jsonl');
    writeFileSync(log, old);
    const begun = Date.now();
    await spawnProgram(['repair', '-i', log]);
    const duration = Date.now() - begun;
    const repaired = readFileSync(log, 'utf8');
    for (let at = 1; at <= 6; at++) {
      writeFileSync(log, old);
      const [signal, code] = at % 2 === 0 ? (['SIGINT', 130] as const) : (['SIGTERM', 143] as const);
      const got = await repairWith(log, signal, 150 + ((duration - 150) * at) / 7);
      const now = readFileSync(log, 'utf8');
      expect(got).toBe(now === repaired && got === 0 ? 0 : code);
      expect(now === old || now === repaired).toBe(true);
      expect(readdirSync(join(log, '..'))).toEqual(['log.jsonl']);
    }
  });

  it('is heard while a repair decides what to do, and nothing is decided then', async () => {
    const { checks } = await import('../../src/formats/claude-code/checks.ts');
    let pauses = 0;
    const plan = (most: number) =>
      planRecords(
        {
          ...{ name: 'log', read: () => inChunks(Buffer.from(old), 65_536), rereadable: true, only: undefined },
          ...{ from: undefined, settleTools: false, settleLeaf: false, scanner: 'off' as const },
          random: (bytes) => new Uint8Array(bytes),
          pause: async () => {
            if (++pauses > most) throw new Error('stopped');
          },
        },
        checks,
      );
    await plan(Number.POSITIVE_INFINITY);
    const all = pauses;
    expect(all).toBeGreaterThan(20);
    for (const most of [0, 3, all - 1]) {
      pauses = 0;
      await expect(plan(most)).rejects.toThrow('stopped');
      expect(pauses).toBe(most + 1);
    }
  });
});

describe('--blobs', () => {
  const bad = readFileSync(fixture('oversize-image', 'claude-code', 'bad.jsonl'), 'utf8');
  const REF = /blob:sha256:([0-9a-f]{64})/g;

  it('takes the images that leave, and the quarantine gets refs from which the old lines can be made', async () => {
    const log = copyOf('oversize-image', 'claude-code');
    const blobs = join(log, '..', 'blobs');
    expect(await run(['repair', '-i', '--blobs', blobs, log])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(log, 'utf8')).toBe(
      readFileSync(fixture('oversize-image', 'claude-code', 'repaired.jsonl'), 'utf8'),
    );
    const records = readRecords<QuarantineRecord>(readFileSync(`${log}.quarantine`, 'utf8'));
    const stored = readdirSync(blobs);
    expect(stored.length).toBeGreaterThan(0);
    for (const { raw = '', offset, length } of records) {
      const hashes = [...raw.matchAll(REF)].map(([, hash = '']) => hash);
      expect(hashes.length).toBeGreaterThan(0);
      for (const hash of hashes) {
        expect(stored).toContain(hash);
        expect(
          createHash('sha256')
            .update(readFileSync(join(blobs, hash)))
            .digest('hex'),
        ).toBe(hash);
        expect(readFileSync(log, 'utf8')).toContain(`sha256 ${hash}]`);
      }
      const whole = raw.replace(REF, (_, hash: string) => readFileSync(join(blobs, hash)).toString('base64'));
      expect(
        Buffer.from(bad)
          .subarray(offset, offset + length)
          .toString(),
      ).toBe(whole);
    }
  });

  it('gets nothing in a dry run, and nothing that is not an image', async () => {
    const log = copyOf('oversize-image', 'claude-code');
    const other = copyOf('orphan-result', 'claude-code');
    await run(['repair', '-n', '--blobs', join(log, '..', 'blobs'), log]);
    await run(['repair', '-i', '--blobs', join(other, '..', 'blobs'), other]);
    expect(readdirSync(join(log, '..'))).toEqual(['log.jsonl']);
    expect(readdirSync(join(other, '..')).sort()).toEqual(['log.jsonl', 'log.jsonl.quarantine']);
  });
});
