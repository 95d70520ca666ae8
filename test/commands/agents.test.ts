import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installed } from '../support/installed.ts';
import { programPath, projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { hasTerminal, inTerminal } from '../support/terminal.ts';

/** Sessions that Claude Code and Codex wrote, through the program as a person runs it. */
const scratch = scratchFolder();
const formats = join(projectRoot, 'fixtures', 'formats');
const logs = readdirSync(formats, { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(claude-code|codex)\/\d[^/]*\/[^/.]+\.jsonl$/.test(name))
  .sort();
const claude = join(formats, 'claude-code/2.1.325/tools.jsonl');
const codex = join(formats, 'codex/0.166.0/tools.jsonl');

let folders = 0;
function newFolder(): string {
  const folder = join(scratch, String(folders++));
  mkdirSync(folder);
  return folder;
}

async function bash(script: string, cwd = scratch) {
  const program = `sessionctl() { '${process.execPath}' '${programPath}' "$@"; }`;
  return await spawnCommand('bash', ['-c', `${program}; set -o pipefail; ${script}`], { cwd });
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

describe('a log behind a byte order mark', () => {
  it.each(['claude-code', 'codex', 'event-log', 'gemini', 'goose', 'record-log', 'sts'])(
    'is read whole, as the same log without one: %s',
    async (format) => {
      const folder = join(projectRoot, 'fixtures/rules/byte-order-mark', format);
      const path = join(newFolder(), 'log.jsonl');
      const shown = async (text: string): Promise<unknown[]> => {
        writeFileSync(path, text);
        const commands = ['log', 'context', 'stats', 'export'];
        return await Promise.all(commands.map((command) => run([command, path], { env: { TZ: 'UTC' } })));
      };
      const marked = readFileSync(join(folder, 'bad.jsonl'), 'utf8');
      expect(marked.startsWith('\ufeff')).toBe(true);
      expect(await shown(marked)).toEqual(await shown(marked.slice(1)));
    },
  );
});

describe('convert', () => {
  it.each(logs)(
    'makes a session of %s that validates, in both dialects, accounted for and the same each time',
    async (name) => {
      const folder = newFolder();
      for (const to of ['pi', 'omp']) {
        const report = join(folder, to);
        const ran = await run(['convert', '--to', to, '--report', report, join(formats, name)]);
        const { counts, losses } = JSON.parse(readFileSync(report, 'utf8'));
        expect(ran.code).toBe(losses.some(({ severity }: { severity: string }) => severity !== 'info') ? 1 : 0);
        expect(counts.records).toBe(counts.mapped + counts.merged + counts.custom + counts.dropped);
        expect(counts.records).toBe(linesOf(readFileSync(join(formats, name), 'utf8')).length);
        const checked = await run(['validate', '--format', 'json'], { stdin: ran.stdout });
        expect(checked.code, checked.stdout).toBe(0);
        expect((await run(['convert', '--to', to, join(formats, name)])).stdout).toBe(ran.stdout);
      }
    },
  );

  it.skipIf(!installed('jq', '--version'))('works in the middle of a pipe', async () => {
    const ran = await bash(`sessionctl convert '${claude}' | sessionctl validate --pass | jq -r .type | sort -u`);
    expect(ran.code).toBe(0);
    expect(linesOf(ran.stdout)).toEqual(expect.arrayContaining(['custom', 'message', 'model_change', 'session']));
    const piped = await bash(`cat '${codex}' | sessionctl convert - 2>/dev/null | sessionctl log --role user`);
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(piped.stdout).not.toBe('');
  });

  it('ends quietly when its reader goes away', async () => {
    const big = join(newFolder(), 'big.jsonl');
    const [first = ''] = linesOf(readFileSync(claude, 'utf8')).filter((line) => line.includes('"type":"user"'));
    const many = Array.from({ length: 4000 }, (_, n) => first.replace(/"uuid":"[^"]*"/, `"uuid":"u${n}"`));
    writeFileSync(big, `${many.join('\n')}\n`);
    const ran = await bash(
      `sessionctl convert '${big}' 2>err | head -c 100 >/dev/null; echo "\${PIPESTATUS[0]}"; cat err`,
    );
    expect(ran.stdout).toMatch(/^[01]\n$/);
  });

  it.skipIf(!existsSync('/dev/full'))('says that the disk is full', async () => {
    const ran = await bash(`sessionctl convert '${claude}' > /dev/full; echo $?`);
    expect(ran.stdout).toBe('2\n');
    expect(ran.stderr).toContain('no space left on the disk');
    expect((await spawnProgram(['convert', '-o', '/dev/full', claude])).code).toBe(2);
  });

  it('takes a line of 50 MB', async () => {
    const file = join(newFolder(), 'long.jsonl');
    const lines = linesOf(readFileSync(join(formats, 'claude-code/2.1.325/plain.jsonl'), 'utf8'));
    const at = lines.findIndex((line) => line.includes('"type":"user"'));
    const record = JSON.parse(lines[at] ?? '');
    record.message.content = 'x'.repeat(50 * 1024 * 1024);
    lines[at] = JSON.stringify(record);
    writeFileSync(file, `${lines.join('\n')}\n`);
    const ran = await spawnProgram(['convert', file]);
    expect(ran.code).toBe(0);
    expect(ran.stdoutBytes.includes(record.message.content)).toBe(true);
  });

  it('leaves a torn line out and names it', async () => {
    for (const from of [claude, codex]) {
      const torn = readFileSync(from, 'utf8').trimEnd().slice(0, -20);
      const ran = await run(['convert'], { stdin: torn });
      expect(ran.code).toBe(1);
      const left = `-: line ${linesOf(torn).length} is damaged (torn-line) and was left out`;
      expect(ran.stderr).toContain(`${left}; 'sessionctl repair' fixes what can be fixed\n`);
      expect((await run(['log'], { stdin: torn })).stderr).toContain(`${left}; 'sessionctl repair' fixes`);
      expect(ran.stderr).toContain('DAMAGED_LINE 1');
      expect((await run(['validate'], { stdin: ran.stdout })).code).toBe(0);
    }
  });

  it('counts each whole record on a damaged line, and names the damage as validate does', async () => {
    for (const [from, type] of [
      [claude, '"type":"tools-used"'],
      [codex, '"type":"custom_tool_call_output"'],
    ] as const) {
      const lines = readFileSync(from, 'utf8').split('\n');
      const at = lines.findIndex((line) => line.includes(type));
      const stdin = lines.toSpliced(at, 2, `${lines[at]}${lines[at + 1]}`).join('\n');
      expect((await run(['validate'], { stdin })).stdout).toContain(`-:${at + 1}: error: glued-entries: 2 complete`);
      const ran = await run(['convert'], { stdin });
      expect(ran.stderr).toContain(`line ${at + 1} is damaged (glued-entries)`);
      expect(ran.stderr).toMatch(new RegExp(`sessionctl: ${lines.length - 1} records: .*, 2 dropped`));
    }
  });

  it('refuses --from that does not fit, and says what the file is', async () => {
    expect(await run(['convert', '--from', 'codex', claude])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `sessionctl: ${claude}: does not fit '--from codex'; it looks like a Claude Code transcript\n`,
    });
    expect((await run(['log', '--from', 'claude-code', codex])).stderr).toContain('it looks like a Codex rollout\n');
  });

  it('refuses what is only probable without --from, where readers read it with a note', async () => {
    const rest = readFileSync(codex, 'utf8').replace(/^.*\n/, '');
    expect(await run(['convert'], { stdin: rest })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        "probably a Codex rollout, but not surely; nothing was written; pass '--from codex'",
      ),
    });
    expect((await run(['convert', '--from', 'codex'], { stdin: rest })).stdout).not.toBe('');
    const read = await run(['log'], { stdin: rest });
    expect(read.stderr).toContain("warning: probably a Codex rollout, and read as one; '--from codex' confirms it\n");
    expect(read.stdout).not.toBe('');
  });

  it.each(['claude-code/2.1.100', 'claude-code/2.1.325', 'codex/0.166.0'])(
    'writes the subagents of %s beside the parent, and goes on without one that is gone',
    async (version) => {
      const folder = newFolder();
      const out = join(folder, 'out');
      const parent = join(formats, version, 'subagent.jsonl');
      const ran = await run(['convert', '-o', `${out}/`, parent]);
      expect(ran.code).toBeLessThan(2);
      const sessions = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
      const headers = sessions.map((text) => JSON.parse(linesOf(text)[0] ?? ''));
      expect(headers).toHaveLength(2);
      const child = headers.find(({ parentSession }) => parentSession !== undefined);
      expect(headers.map(({ id }) => id)).toContain(child.parentSession);
      expect(sessions.some((text) => text.includes(`"childSession":"${child.id}"`))).toBe(true);
      const alone = join(folder, 'alone.jsonl');
      cpSync(parent, alone);
      const lone = await run(['convert', '-o', `${out}-alone/`, alone]);
      expect(lone.code).toBeLessThan(2);
      expect(readdirSync(`${out}-alone`)).toHaveLength(1);
    },
  );

  it.each([
    ['claude-code/2.1.325', 'subagent.files/subagents/agent-aa5497f2973e94ccf.jsonl'],
    ['codex/0.166.0', 'subagent-2.jsonl'],
  ])('writes a subagent once that is named beside its parent: %s', async (version, path) => {
    const parent = join(formats, version, 'subagent.jsonl');
    const child = `${join(formats, version)}/./${path}`;
    for (const files of [
      [parent, child],
      [child, parent],
    ]) {
      const out = newFolder();
      const report = join(scratch, 'once.json');
      const ran = await run(['convert', '--report', report, '-o', `${out}/`, ...files]);
      expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining('same time and id') });
      expect(readdirSync(out)).toHaveLength(2);
      expect(linesOf(readFileSync(report, 'utf8'))).toHaveLength(2);
    }
  });

  it('writes the file of a subagent that is named, though its parent does not find its session there', async () => {
    const from = newFolder();
    const version = join(formats, 'claude-code/2.1.325');
    cpSync(join(version, 'subagent.jsonl'), join(from, 'subagent.jsonl'));
    const agent = 'subagents/agent-aa5497f2973e94ccf.jsonl';
    const other = readFileSync(join(version, 'subagent.files', agent), 'utf8').replaceAll('aa5497f2973e94ccf', 'other');
    mkdirSync(join(from, 'subagent.files/subagents'), { recursive: true });
    const child = join(from, 'subagent.files', agent);
    writeFileSync(child, other);
    for (const files of [
      [join(from, 'subagent.jsonl'), child],
      [child, join(from, 'subagent.jsonl')],
    ]) {
      const out = newFolder();
      const ran = await run(['convert', '--redact', '-o', `${out}/`, ...files, ...files]);
      expect(ran.stderr).toContain('was not found');
      expect(ran.stderr.match(/no secrets found/g)).toHaveLength(2);
      expect(readdirSync(out)).toHaveLength(2);
    }
  });

  it.each([
    ['claude-code/2.1.325', 'subagent.files/subagents/agent-aa5497f2973e94ccf.jsonl', 'aa54'],
    ['codex/0.166.0', 'subagent-2.jsonl', '01a1e5e8-d499'],
  ])('names the file of a subagent that is damaged, not that of its parent: %s', async (version, path, id) => {
    const folder = newFolder();
    const parent = join(folder, 'subagent.jsonl');
    const child = join(folder, path);
    for (const one of ['subagent.jsonl', path]) cpSync(join(formats, version, one), join(folder, one));
    writeFileSync(child, readFileSync(child, 'utf8').trimEnd().slice(0, -10));
    const damaged = `${child}: line ${linesOf(readFileSync(child, 'utf8')).length} is damaged (torn-line)`;
    for (const argv of [
      ['log', '--session', id, parent],
      ['context', `${parent}#${id}`],
      ['convert', '--session', id, parent],
      ['convert', '-o', join(folder, 'out/'), parent],
    ])
      expect(await run(argv)).toMatchObject({ code: 1, stderr: expect.stringContaining(damaged) });
    const { stdout } = await run(['status', '--session', id, parent]);
    expect(stdout).toMatch(/ {2}next: sessionctl repair .*\n$/);
    expect(stdout.endsWith(` ${child}\n`)).toBe(true);
    const report = join(folder, 'report.json');
    await run(['convert', '--report', report, '-o', join(folder, 'out/'), parent]);
    expect(linesOf(readFileSync(report, 'utf8')).map((line) => JSON.parse(line).file)).toEqual([parent, child]);
  });
});

describe('other commands', () => {
  it.skipIf(!hasTerminal)('say on a terminal what they read', async () => {
    const ran = await inTerminal(`sessionctl log -n 1 '${claude}'`);
    expect(ran.shown).toMatch(/sessionctl: reading a Claude Code transcript \(2\.1\.325\)/);
    expect((await inTerminal(`sessionctl log -n 1 '${codex}' 2>/dev/null`)).shown).not.toContain('reading');
  });

  it('judge it by what it says, and name repair where it is damaged or its agent would hide a part', async () => {
    const ready = await run(['status', join(formats, 'claude-code/2.1.325/plain.jsonl')]);
    expect(ready).toMatchObject({ code: 0, stderr: '' });
    expect(ready.stdout).toMatch(/^ready/);
    const killed = join(formats, 'claude-code/2.1.325/killed-in-tool.jsonl');
    const whole = await run(['status', killed]);
    expect(whole).toMatchObject({ code: 1, stdout: expect.stringContaining('Bash toolu_00000001') });
    expect(whole.stdout).not.toMatch(/header|repair/);
    const torn = await run(['status'], { stdin: readFileSync(killed, 'utf8').trimEnd().slice(0, -10) });
    expect(torn.stdout).toMatch(/Bash toolu_00000001.*\n {2}next: sessionctl repair -i --backup FILE\n$/s);
    const lost = join(scratch, 'lost.jsonl');
    const lines = readFileSync(claude, 'utf8').split('\n');
    const at = lines.findLastIndex((line) => line.startsWith('{"parentUuid":"') && line.includes('"type":"assistant"'));
    lines[at] = lines[at]?.replace(/"parentUuid":"[^"]*"/, '"parentUuid":"gone"') ?? '';
    writeFileSync(lost, lines.join('\n'));
    const hidden = await run(['status', lost]);
    expect(hidden).toMatchObject({ code: 1, stdout: expect.stringContaining('the log has 1 error (dangling-parent)') });
    expect(hidden.stdout).toContain(`  next: sessionctl repair -i --backup ${lost}\n`);
  });

  it('name a line of the file by its number', async () => {
    const first = JSON.parse(linesOf(readFileSync(join(formats, 'claude-code/2.1.100/plain.jsonl'), 'utf8'))[0] ?? '');
    const shown = await run(['log', '--json', '--leaf', 'line:1', join(formats, 'claude-code/2.1.100/plain.jsonl')]);
    const last = JSON.parse(linesOf(shown.stdout).at(-1) ?? '');
    expect(last).toMatchObject({ line: 1 });
    expect(last.text).toContain(first.type);
  });

  it('fork a session of another agent to a native one', async () => {
    const ran = await run(['fork', claude, '@', '--id', 'f', '--timestamp', '2026-01-01T00:00Z']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect((await run(['validate'], { stdin: ran.stdout })).code).toBe(0);
    const messages = async (...argv: string[]) => (await run(['context', ...argv], { stdin: ran.stdout })).stdout;
    expect(await messages()).toBe(await messages(claude));
  });

  it('externalize its images into a session of omp, and leave the file alone', async () => {
    for (const version of ['claude-code/2.1.325', 'codex/0.166.0']) {
      const folder = newFolder();
      const [file, blobs] = [join(folder, 'log.jsonl'), join(folder, 'blobs')];
      cpSync(join(formats, version, 'image.jsonl'), file);
      const before = readFileSync(file);
      const argv = ['externalize', '--blobs', blobs, '--min-chars', '1'];
      const ran = await run([...argv, file]);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toContain('blob:sha256:');
      expect(readdirSync(blobs).length).toBeGreaterThan(0);
      expect((await run(['validate', '--blobs', blobs], { stdin: ran.stdout })).code).toBe(0);
      expect((await run(argv, { stdin: before })).stdout.replace(/"sourcePath":"[^"]*",/, '')).toBe(
        ran.stdout.replace(/"sourcePath":"[^"]*",/, ''),
      );
      const refused = await run([...argv, '-i', file]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('write a native one elsewhere with -o\n');
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  it('list the refs of a session of another agent, which has none', async () => {
    expect(await run(['blobs', 'ls', claude])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(['blobs', 'ls'], { stdin: readFileSync(codex) })).toMatchObject({ code: 0, stdout: '' });
    expect((await run(['blobs', 'ls', '--from', 'codex', claude])).stderr).toContain('looks like a Claude Code');
    const packed = join(formats, 'codex/hand/packed.jsonl.zst');
    expect(await run(['blobs', 'ls', packed])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    // Those that were only found below a folder are no logs of ours.
    expect((await run(['blobs', 'ls', dirname(claude)])).stderr).toContain('skipped, of kinds that');
  });

  it('do not take an answer that was cut off for one that is complete', async () => {
    const cut = join(formats, 'codex/0.166.0/killed-in-stream.jsonl');
    expect((await run(['status', cut])).stdout).toMatch(
      /^check: .*\n {2}why: the last turn does not say how it ended \(line 11\)\n.*\n {2}last stable entry: none\n/,
    );
    const resumed = join(formats, 'codex/0.166.0/killed-in-stream-resumed.jsonl');
    expect((await run(['status', resumed])).stdout).toMatch(/^ready: /);
    const { stderr } = await run(['convert', resumed]);
    expect(stderr).toContain('STOP_UNKNOWN 1');
  });

  it('stop at a compaction of which only the start was recorded', async () => {
    const lines = readFileSync(join(formats, 'claude-code/2.1.325/compact-manual.jsonl'), 'utf8').split('\n');
    const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
    const half = `${lines.slice(0, boundary + 1).join('\n')}\n`;
    expect((await run(['status'], { stdin: half })).stdout).toMatch(
      /^blocked: .*compaction-half.*\n {2}why: the last compaction has no summary \(line \d+\)\n/,
    );
  });

  const HIDDEN = /Extension data|foreign_session_import|>Extension |turn_context|api-request/;

  it('show the conversation and not what the log has beside it, unless that is asked for', async () => {
    const { stdout } = await run(['log', '-n', '2', claude]);
    expect(stdout).toMatch(/^[0-9a-f]{8} toolResult NoSuchTool: .*\n[0-9a-f]{8} assistant {2}The port is now 4000\./);
    const all = await run(['log', '--type', 'custom', claude]);
    expect(all.stdout).toContain(' custom     claude-code/cost-state\n');
    const json = (await run(['log', '--json', claude])).stdout.trim().split('\n');
    expect(json.map((line) => JSON.parse(line)).at(-1)).toMatchObject({ type: 'custom' });
    for (const from of [claude, codex])
      for (const format of ['md', 'html']) {
        const whole = (await run(['export', '-f', format, from])).stdout;
        // The entries that a reader can save are in a template, which no browser shows.
        const page = whole.replace(/<template[^>]*>[^<]*<\/template>/g, '');
        expect(page).toContain('The port is now 4000.');
        expect(page).toContain('Context for the model: ');
        // Neither agent records prices.
        expect(page).not.toMatch(/cost_usd|>Cost</);
        expect(page).not.toMatch(HIDDEN);
        if (format === 'html')
          expect((await run(['export', '-f', format, '--no-entries', from])).stdout).not.toMatch(HIDDEN);
      }
  });

  it('link to no entry that a page leaves out', async () => {
    const rewind = join(formats, 'claude-code/2.1.325/rewind.jsonl');
    const page = (await run(['export', '--all', '-f', 'html', rewind])).stdout;
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, name]) => name as string);
    expect(targets.filter((name) => !page.includes(`id="${name}"`))).toEqual([]);
    expect(targets.length).toBeGreaterThan(0);
  });

  it('shorten ids that are long to a REV that names the same entry', async () => {
    for (const command of [['log'], ['tree'], ['tree', '--leaves']]) {
      const { stdout } = await run([...command, claude]);
      expect(stdout).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    }
    const [short = ''] = (await run(['log', '--role', 'user', claude])).stdout.split(' ');
    const named = await run(['log', '--json', '--leaf', short, claude]);
    expect(JSON.parse(named.stdout.trim().split('\n').at(-1) as string).id).toMatch(new RegExp(`^${short}-.{27}$`));
    const twins = ['aaaaaaaa-0000-1', 'aaaaaaaa-0000-2'].map((id, at) =>
      JSON.stringify({
        ...{
          type: 'message',
          id,
          parentId: at === 0 ? null : 'aaaaaaaa-0000-1',
          timestamp: '2026-01-01T00:00:00.000Z',
        },
        message: { role: 'user', content: 'go', timestamp: 1 },
      }),
    );
    const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}';
    const shown = await run(['log'], { stdin: `${[header, ...twins].join('\n')}\n` });
    expect(shown.stdout).toBe('aaaaaaaa-0000-1 user       go\naaaaaaaa-0000-2 (@) user       go\n');
  });

  it('give every entry of a Codex rollout a short REV that names it, all of one width', async () => {
    for (const name of ['tools', 'fork-2', 'subagent', 'compact-auto']) {
      const file = join(formats, 'codex/0.166.0', `${name}.jsonl`);
      const rows = linesOf((await run(['log', file])).stdout);
      expect(rows.map((row) => row.indexOf(' '))).toEqual(rows.map(() => 8));
      const all = linesOf((await run(['log', '--json', file])).stdout).map((line) => JSON.parse(line));
      for (const row of rows) {
        const named = linesOf((await run(['log', '--json', '--leaf', row.slice(0, 8), file])).stdout).at(-1) ?? '';
        const { id, text } = all.find((entry) => entry.id === JSON.parse(named).id);
        expect(id.startsWith(row.slice(0, 8)) || id.endsWith(row.slice(0, 8))).toBe(true);
        expect(text.replace(/\s+/g, '')).toContain(row.slice(30, 60).trim().split(' ')[0]);
      }
      expect((await run(['tree', file])).stdout).not.toMatch(/\w{9,} (?:\(.*\) )?(?:assistant|user|custom)/);
    }
  });

  it('name an entry of another agent by the end of its id, where no id starts like this', async () => {
    const tail = ['log', '--leaf', '28f15535~1', '--role', 'user'];
    const line = (id: string, text: string) => ({
      timestamp: '2026-01-01T00:00:00.000Z',
      ...{
        type: 'response_item',
        payload: { type: 'message', role: 'user', id, content: [{ type: 'input_text', text }] },
      },
    });
    const meta = { timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload: { id: 'one', cwd: '/' } };
    const rollout = (...records: object[]) => ({
      stdin: `${[meta, ...records].map((one) => JSON.stringify(one)).join('\n')}\n`,
    });
    const [first, second] = [line('msg_01a1e5df-a6a228f10001', 'one'), line('msg_01a1e5df-a6a228f15535', 'two')];
    expect((await run(tail, rollout(first, second))).stdout).toBe('28f10001 user       one\n');
    const twin = line('msg_01a1e5df-b6a228f15535', 'three');
    expect((await run(tail, rollout(first, second, twin))).stderr).toContain("'28f15535' is ambiguous");
    expect((await run(['log'], rollout(first, second, twin))).stdout).toContain('msg_01a1e5df-b6a228f15535 (@) user');
  });

  it('say nothing of newer work where Codex has rolled a turn back', async () => {
    const file = join(formats, 'codex/hand/rolled-back.jsonl');
    for (const command of ['log', 'tree', 'context', 'status', 'export'])
      expect(await run([command, file])).toMatchObject({ code: 0, stderr: '' });
    expect((await run(['status', file])).stdout).not.toContain('newer work');
  });

  it('draw the last message of a branch that ends in bookkeeping', async () => {
    const { stdout } = await run(['tree', join(formats, 'claude-code/2.1.325/rewind.jsonl')]);
    expect(stdout).toMatch(/assistant {2}Green\.(?:.|\n)*assistant {2}Red it is\./);
  });

  it.skipIf(!installed('zstd'))('read what can be unpacked of an archive that is cut off, and say so', async () => {
    const path = join(newFolder(), 'cut.jsonl.zst');
    const lines = readFileSync(codex, 'utf8').split('\n');
    const noise = Array.from({ length: 4000 }, (_, at) =>
      JSON.stringify({
        timestamp: '2026-01-01T00:00:00.000Z',
        type: 'noise',
        payload: { id: createHash('sha256').update(`${at}`).digest('hex') },
      }),
    );
    const packed = spawnSync('zstd', ['-c'], { input: [...lines.filter(Boolean), ...noise, ''].join('\n') }).stdout;
    writeFileSync(path, packed.subarray(0, packed.length - 100));
    for (const command of ['log', 'tree', 'context', 'status', 'export', 'convert']) {
      const ran = await run([command, path]);
      expect([command, ran.code]).toEqual([command, 1]);
      expect(ran.stdout).not.toBe('');
      expect(ran.stderr).toMatch(
        /cut\.jsonl\.zst: only its first [\d,]+ bytes can be unpacked: unexpected EOF; 'zstd -t' tests it\n/,
      );
      // The status has it as a reason.
      if (command === 'status') expect(ran.stdout).toMatch(/is damaged \(torn-line\).*\(line \d+\)\n/);
      else expect(ran.stderr).toMatch(/: line \d+ is damaged \(torn-line\) and was left out; 'sessionctl repair'/);
    }
    writeFileSync(path, packed.subarray(0, 20));
    expect((await run(['log', path])).stderr).toContain('cannot be unpacked: unexpected EOF');
  });

  it('compare a session of Claude Code with one of Codex', async () => {
    const ran = await run(['diff', claude, codex]);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain('+ result NoSuchTool (error)');
    // Claude Code writes a prompt as a text, and Codex as a list of one.
    expect(ran.stdout).not.toMatch(/^[-+~] user /m);
    for (const argv of [[], ['--json']]) {
      const { stdout } = await run(['diff', ...argv, claude, codex]);
      expect(stdout).not.toMatch(/line 0|"line":0|foreign_session_import|api-request|turn_context|^[-+~] custom {2}/m);
    }
  });

  it('compare branches and forks by what was said, not by the bookkeeping of the agent', async () => {
    const branches = await run(['diff', join(formats, 'claude-code/2.1.325/rewind.jsonl')]);
    expect(branches.stdout).toMatch(/^@@ common ancestor \S+ \(line 21\): assistant Blue\. @@$/m);
    const shown = branches.stdout.match(/^[-+~] .*/gm)?.map((line) => line.replace(/ {2}[0-9a-f-]{36}$/, ''));
    const [removed, added] = [
      '-   Another one.,- assistant,-   Green.',
      '+   No, take red.,+ assistant,+   Red it is.',
    ];
    expect(`${shown}`).toBe(`- user,${removed},+ user,${added}`);
    expect(branches.stdout).toContain('only A: 2 entries, 2 messages');
    for (const version of ['claude-code/2.1.325', 'codex/0.166.0']) {
      const [origin, fork] = ['fork', 'fork-2'].map((name) => join(formats, version, `${name}.jsonl`)) as [
        string,
        string,
      ];
      const forked = await run(['diff', origin, fork]);
      expect(forked.stdout).toMatch(/^@@ the same up to .*: assistant Green\. @@\n@@ first difference: only in B /m);
      expect(forked.stdout).toContain('only A: nothing\nonly B: 2 entries, 2 messages, 173 tokens\n');
    }
  });

  it('find nothing to compare in two logs that differ in bookkeeping alone', async () => {
    const plain = join(formats, 'claude-code/2.1.325/plain.jsonl');
    const settled = `${readFileSync(plain, 'utf8')}{"type":"mode","mode":"plan","sessionId":"s"}\n`;
    expect(await run(['diff', plain, '-'], { stdin: settled })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nthe same\n$/),
    });
  });

  it('that only take native logs say what it is in one line', async () => {
    for (const argv of [['migrate'], ['inline'], ['append']]) {
      const ran = await run([...argv, claude]);
      expect(ran, argv[0]).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(
          `${claude}: not a pi or omp session log (looks like a Claude Code transcript); 'sessionctl convert' makes one of it\n`,
        ),
      });
    }
  });
});
