import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rendered, tagsOf } from '../exporters/support.ts';
import { installed } from '../support/installed.ts';
import { programPath, projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const sessions = join(projectRoot, 'fixtures/sessions');
const fixture = (name: string): string => join(sessions, `${name}.jsonl`);
const names = readdirSync(sessions).filter((name) => name.endsWith('.jsonl'));

let files = 0;
function log(...entries: readonly object[]): string {
  const path = join(scratch, `log${files++}.jsonl`);
  const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
  writeFileSync(path, [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return path;
}

function said(id: string, parentId: string | null, role: string, content: unknown, more: object = {}): object {
  return { type: 'message', id, parentId, timestamp: '2026-01-01T00:00:01.000Z', message: { role, content, ...more } };
}

function image(data: string): object {
  return said('i', null, 'user', [{ type: 'image', data, mimeType: 'image/png' }]);
}

describe('export', () => {
  it.each(names)('writes %s as Markdown whose turns are the headings, and as HTML', async (name) => {
    const markdown = await run(['export', join(sessions, name)]);
    expect(markdown).toMatchObject({ code: 0, stderr: '' });
    const turns = Number(/^turns: (\d+)$/m.exec(markdown.stdout)?.[1]);
    expect(turns).toBeGreaterThan(0);
    const tags = tagsOf(rendered(markdown.stdout));
    expect(tags.filter((tag) => tag === '<h2')).toHaveLength(turns);
    const html = await run(['export', '--format', 'html', join(sessions, name)]);
    expect(html).toMatchObject({ code: 0, stderr: '' });
    expect(html.stdout.match(/<article class="turn /g)).toHaveLength(turns);
  });

  describe('of labels', () => {
    const label = (id: string, parentId: string, targetId: string, text: string): object => ({
      type: 'label',
      id,
      parentId,
      timestamp: '2026-01-01T00:00:02.000Z',
      targetId,
      label: text,
    });
    const path = log(
      said('a', null, 'user', 'one'),
      said('b', 'a', 'user', 'left'),
      label('l1', 'b', 'a', 'start'),
      said('c', 'a', 'user', 'right'),
      label('l2', 'c', 'c', 'here'),
    );

    it('shows one at its target where it was given on another branch, and else where it was given', async () => {
      const right = await run(['export', path]);
      expect(right.stdout).toContain('> Label `start` on [a](#e-a), set on another branch\n');
      expect(right.stdout.match(/Label/g)).toHaveLength(2);
      const left = await run(['export', '--leaf', 'l1', path]);
      expect(left.stdout).toContain('Label `start` on [a](#e-a)\n');
      expect(left.stdout).not.toContain('another branch');
      const page = await run(['export', '--format', 'html', path]);
      expect(page.stdout).toContain('set on another branch</p>');
    });

    it('shows it at its target too where both branches are there', async () => {
      const all = await run(['export', '--all', path]);
      expect(all.stdout.match(/Label `start` on \[a\]\(#e-a\)/g)).toHaveLength(2);
      expect(all.stdout.match(/set on another branch/g)).toHaveLength(1);
    });
  });

  it('says that what came before is not in the log where a branch starts at an entry whose parent is lost', async () => {
    const path = log(said('a', 'gone', 'user', 'one'), said('b', null, 'user', 'two'));
    const one = await run(['export', '--leaf', 'a', path]);
    expect(one.stdout).toContain('> What came before is not in the log: the parent of the next entry is `gone`\n\n## ');
    expect((await run(['export', '--leaf', 'b', path])).stdout).not.toContain('not in the log');
    const all = await run(['export', '--all', path]);
    expect(all.stdout).toContain('<sub>starts at an entry whose parent is not in the log · 1 entry');
    expect(all.stdout).toContain('<sub>starts at a root · 1 entry');
    const page = await run(['export', '--all', '--format', 'html', path]);
    expect(page.stdout).toContain('starts at an entry whose parent is not in the log, 1 entry');
    expect(page.stdout).toContain('the parent of the next entry is <code');
  });

  it.each(['md', 'html'])('links to nothing that --tools none leaves out, in %s', async (format) => {
    const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'ls' } };
    const label = (id: string, parentId: string, targetId: string): object => ({
      type: 'label',
      id,
      parentId,
      timestamp: 'x',
      targetId,
      label: `mark-${id}`,
    });
    const path = log(
      said('u', null, 'user', 'go'),
      said('silent', 'u', 'assistant', [call]),
      said('result', 'silent', 'toolResult', 'out', { toolCallId: 'c', toolName: 'bash' }),
      said('spoken', 'result', 'assistant', [{ type: 'text', text: 'done' }]),
      label('l1', 'spoken', 'result'),
      label('l2', 'l1', 'silent'),
      label('l3', 'l2', 'spoken'),
      said('left', 'silent', 'toolResult', 'other', { toolCallId: 'c', toolName: 'bash' }),
    );
    for (const tools of ['none', 'summary']) {
      for (const options of [['--leaf', 'l3'], ['--all']]) {
        const { stdout } = await run(['export', '--format', format, '--tools', tools, ...options, path]);
        const anchors = new Set([...stdout.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
        const links = [...stdout.matchAll(/(?:\]\(|href=")#([^")]+)/g)].map((match) => match[1]);
        expect(links.length).toBeGreaterThan(0);
        expect(links.filter((link) => !anchors.has(link))).toEqual([]);
        expect(links.includes('e-result')).toBe(tools !== 'none');
        expect(links.includes('e-spoken')).toBe(true);
      }
    }
  });

  it('leaves nothing behind where the blobs or the folder for pictures cannot be had', async () => {
    const folder = scratchFolder();
    const page = join(folder, 'page.md');
    writeFileSync(join(folder, 'file'), '');
    for (const options of [
      ['--blobs', join(folder, 'none')],
      ['--assets', join(folder, 'file')],
    ]) {
      const ran = await run(['export', '-o', page, ...options, fixture('pi-images')]);
      expect(ran.code).toBe(2);
      expect(readdirSync(folder)).toEqual(['file']);
    }
  });

  it("names the session of another agent by the agent's own id", async () => {
    const log = join(projectRoot, 'fixtures/formats/claude-code/2.1.325/resume.jsonl');
    const id = '"sessionId":"';
    const text = readFileSync(log, 'utf8');
    const own = text.slice(text.indexOf(id) + id.length).slice(0, 36);
    expect((await run(['export', log])).stdout).toContain(`session: "${own}"\n`);
    expect((await run(['export', '-f', 'html', log])).stdout).toContain(own);
    expect(JSON.parse((await run(['status', '--json', log])).stdout)).toMatchObject({ session: own });
  });

  it('tells session, title, folder, model, dates, tokens and cost first', async () => {
    const { stdout } = await run(['export', fixture('pi-branches')]);
    expect(stdout.slice(0, stdout.indexOf('\n---\n', 4))).toBe(
      [
        '---',
        'session: "57a3af4e-d1fb-48c0-aa34-05151c48b786"',
        'title: "Weeks start a day early"',
        'cwd: "/home/ada/calendar"',
        'model: "anthropic/claude-sonnet-4-5"',
        'started: "2026-03-09 13:02:11"',
        'last_entry: "2026-03-09 13:05:27"',
        'time_zone: "UTC"',
        'leaf: "62f2363f"',
        'entries: 15',
        'turns: 5',
        'tokens:',
        '  input: 14628',
        '  output: 824',
        '  cache_read: 38400',
        '  cache_write: 0',
        'cost_usd: 0.067764',
      ].join('\n'),
    );
  });

  it('shows the branch of the leaf, another one with --leaf, and each entry once with --all', async () => {
    const leaf = await run(['export', fixture('pi-branches')]);
    expect(leaf.stdout).toContain('No, count days without Date at all.');
    expect(leaf.stdout).not.toContain('Use the UTC getters.');
    const other = await run(['export', '--leaf', 'leaf:2', fixture('pi-branches')]);
    expect(other.stdout).toContain('Use the UTC getters.');
    expect(other.stdout).not.toContain('No, count days');
    const all = await run(['export', '--all', fixture('pi-branches')]);
    const ids = readFileSync(fixture('pi-branches'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).id as string);
    for (const id of ids) expect(all.stdout.split(`<a id="e-${id}"></a>`), id).toHaveLength(2);
    expect(all.stdout).toContain('**Fork:** [branch 2](#branch-2) continues from here');
    expect(all.stdout).toContain('# <a id="branch-2"></a>Branch 2\n\n<sub>continues from [13ab93d9](#e-13ab93d9)');
    for (const [, target = ''] of all.stdout.matchAll(/\]\(#([^)]*)\)/g))
      expect(all.stdout).toContain(`<a id="${target}"></a>`);
    // The second branch counts its turns from the fork on.
    expect(all.stdout).toMatch(/<a id="e-7afdd8b2"><\/a>3 · User/);
  });

  it('puts the branch that --leaf names first with --all', async () => {
    const { stdout } = await run(['export', '--all', '--leaf', '7afdd8b2', fixture('pi-branches')]);
    expect(stdout.indexOf('Use the UTC getters.')).toBeLessThan(stdout.indexOf('No, count days'));
    expect(stdout.indexOf('Branch 2</')).toBe(-1);
    expect(stdout.match(/^# .*Branch \d$/gm)?.map((line) => line.at(-1))).toEqual(['2', '1']);
  });

  it('shows every entry with --all where parents go round in a circle, are missing or repeated', async () => {
    const path = log(
      said('a', 'b', 'user', 'word-a'),
      said('b', 'a', 'user', 'word-b'),
      said('c', 'gone', 'user', 'word-c'),
      said('d', null, 'user', 'word-d'),
      said('d', 'd', 'user', 'word-e'),
      said('f', 'f', 'user', 'word-f'),
      said('g', 'd', 'user', 'word-g'),
    );
    for (const format of ['md', 'html']) {
      const { stdout, code } = await run(['export', '--all', '--format', format, path]);
      expect(code).toBe(0);
      const body = stdout.slice(stdout.indexOf(format === 'md' ? '\n# ' : '<main>'));
      for (const letter of 'abcdefg')
        expect(body.split(`word-${letter}\n`.trimEnd()).length, `${format} ${letter}`).toBeGreaterThanOrEqual(2);
      const anchors = [...stdout.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
      expect(new Set(anchors).size, format).toBe(anchors.length);
    }
  });

  it('reads standard input, and writes a file all at once with -o, as private as its input', async () => {
    const input = join(scratch, 'private.jsonl');
    writeFileSync(input, readFileSync(fixture('pi-branches')));
    chmodSync(input, 0o600);
    const output = join(scratch, 'out.html');
    expect(await run(['export', '-o', output, input])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(readFileSync(output, 'utf8')).toMatch(/^<!doctype html>/);
    const piped = await run(['export', '-f', 'html'], { stdin: readFileSync(input) });
    expect(piped.stdout).toBe(readFileSync(output, 'utf8'));
    const refused = await run(['export', '-o', input, input]);
    expect(refused.code).toBe(2);
    expect(readFileSync(input)).toEqual(readFileSync(fixture('pi-branches')));
  });

  it.skipIf(sep === '\\')(
    'writes a file whose name ends in a backslash, which only Windows has in folders',
    async () => {
      const output = join(scratch, 'page\\');
      expect(await run(['export', '-o', output, fixture('pi-branches')])).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(output, 'utf8')).toMatch(/^---/);
    },
  );

  it('gives the same bytes in every time zone of the machine, and other times with --tz', async () => {
    const command = ['export', '--all', fixture('pi-branches')];
    const [one, two] = [
      await spawnProgram(command, { env: { TZ: 'Asia/Tokyo' } }),
      await spawnProgram(command, { env: { TZ: 'America/Lima' } }),
    ];
    expect(one.stdout).toBe(two.stdout);
    const berlin = await run(['export', '--tz', 'Europe/Berlin', fixture('pi-branches')]);
    expect(berlin.stdout).toContain('started: "2026-03-09 14:02:11"\n');
    expect(berlin.stdout).toContain('time_zone: "Europe/Berlin"');
    const wrong = await run(['export', '--tz', 'Nowhere/Never', fixture('pi-branches')]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("'Nowhere/Never' is not a time zone");
  });

  it('leaves a damaged line out, says so and exits 1', async () => {
    const path = join(scratch, 'torn.jsonl');
    writeFileSync(path, `${readFileSync(fixture('pi-branches'), 'utf8')}{"type":"message","id":"torn"`);
    const ran = await run(['export', path]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('line 22 is damaged (torn-line)');
    expect(ran.stderr).toContain('repair');
    expect(ran.stdout).toContain('All 12 tests pass');
  });

  it('chooses the format by the ending of the output, and refuses one that it does not know', async () => {
    const exported = async (name: string, ...more: string[]): Promise<string> => {
      const output = join(scratch, name);
      expect(await run(['export', '-o', output, ...more, fixture('pi-images')])).toMatchObject({ code: 0, stderr: '' });
      return readFileSync(output, 'utf8').slice(0, 3);
    };
    for (const name of ['x.md', 'x.Markdown', 'no-ending', '.hidden']) expect(await exported(name)).toBe('---');
    for (const name of ['x.html', 'x.HTM']) expect(await exported(name)).toBe('<!d');
    expect(await exported('x.txt', '--format', 'md')).toBe('---');
    const refused = await run(['export', '-o', join(scratch, 'x.pdf'), fixture('pi-images')]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      "x.pdf' ends in '.pdf', not in .md, .markdown, .html or .htm; set the format with --format\n",
    );
    expect(existsSync(join(scratch, 'x.pdf'))).toBe(false);
  });

  it('writes a head for a session without entries, and refuses what is no session', async () => {
    const empty = await run(['export', log()]);
    expect(empty).toMatchObject({ code: 0, stderr: '' });
    expect(empty.stdout).toContain('entries: 0\nturns: 0\n');
    expect((await run(['export', '--all', '--format', 'html', log()])).code).toBe(0);
    const foreign = join(scratch, 'other.txt');
    writeFileSync(foreign, 'hello\n');
    expect((await run(['export', foreign])).code).toBe(2);
    expect((await run(['export', fixture('pi-branches'), fixture('omp-plan')])).code).toBe(2);
    expect((await run(['export', '--leaf', 'nobody', fixture('pi-branches')])).code).toBe(2);
    expect((await run(['export', '--format', 'pdf', fixture('pi-branches')])).code).toBe(2);
    expect((await run(['export', '--assets', '', fixture('pi-branches')])).code).toBe(2);
  });

  it('migrates an old log on the way', async () => {
    const { stdout, code } = await run(['export', fixture('pi-version-1')]);
    expect(code).toBe(0);
    expect(stdout).toContain('## ');
    expect(stdout).toContain('Rename the function.');
  });

  it('writes pictures to files named by their content, once each and privately', async () => {
    const assets = join(scratch, 'made', 'img 1');
    const output = join(scratch, 'page.md');
    expect((await run(['export', '--assets', assets, '-o', output, fixture('pi-images')])).code).toBe(0);
    const made = readdirSync(assets);
    expect(made.length).toBeGreaterThan(0);
    for (const name of made) {
      expect(name).toMatch(/^[0-9a-f]{64}\.png$/);
      expect(statSync(join(assets, name)).mode & 0o077).toBe(0);
    }
    expect(statSync(assets).mode & 0o077).toBe(0);
    const text = readFileSync(output, 'utf8');
    expect(text).toContain(`](made/img%201/${made[0]})`);
    expect(text).not.toContain('data:image');
    const html = join(scratch, 'made', 'page.html');
    expect((await run(['export', '--assets', assets, '-o', html, fixture('pi-images')])).code).toBe(0);
    expect(readFileSync(html, 'utf8')).toContain(`<img src="img%201/${made[0]}"`);
    expect(readdirSync(assets)).toEqual(made);
  });

  it('never writes outside of the folder, through a link neither', async () => {
    const assets = join(scratch, 'linked');
    const victim = join(scratch, 'victim');
    mkdirSync(assets);
    writeFileSync(victim, 'precious');
    const path = log(image('AAAA'));
    await run(['export', '--assets', assets, path]);
    const name = readdirSync(assets)[0] ?? '';
    writeFileSync(join(assets, 'x'), '');
    const { unlinkSync } = await import('node:fs');
    unlinkSync(join(assets, name));
    symlinkSync(victim, join(assets, name));
    expect((await run(['export', '--assets', assets, path])).code).toBe(0);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(join(assets, name))).toEqual(Buffer.from([0, 0, 0]));
    const taken = join(scratch, 'taken');
    writeFileSync(taken, '');
    const ran = await run(['export', '--assets', taken, path]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('is not a folder');
  });

  it('names a ref that is none instead of calling it bad base64', async () => {
    const { stdout } = await run(['export', log(image('blob:sha256:../../x'))]);
    expect(stdout).toContain('*Image of type `image/png` with a bad ref: `blob:sha256:../../x`*');
    const asked = await run(['export', '--blobs', scratch, log(image('blob:sha256:../../x'))]);
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain(
      ":2: 'blob:sha256:../../x' is not blob:sha256: and 64 lowercase hexadecimal digits; nothing was opened",
    );
    expect(asked.stdout).toBe(stdout);
  });

  it('resolves refs to blobs only in the store that was named, and says which stay', async () => {
    const { createHash } = await import('node:crypto');
    const blobs = join(scratch, 'blobs');
    mkdirSync(blobs);
    const bytes = Buffer.from('picture');
    const hash = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(blobs, hash), bytes);
    const path = log(image(`blob:sha256:${hash}`));
    const plain = await run(['export', path]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain(`*Image of type image/png: \`blob:sha256:${hash}\`*`);
    const resolved = await run(['export', '--blobs', blobs, path]);
    expect(resolved.stdout).toContain(`![image/png, 7 bytes](data:image/png;base64,${bytes.toString('base64')})`);
    expect((await run(['export', path], { env: { SESSIONCTL_BLOBS: blobs } })).stdout).toBe(resolved.stdout);
    const missing = await run(['export', '--blobs', blobs, log(image(`blob:sha256:${'0'.repeat(64)}`))]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('is not in the store');
    expect((await run(['export', '--blobs', join(scratch, 'nowhere'), path])).code).toBe(2);
  });

  it('names twenty refs that stay and counts the others', async () => {
    const block = { type: 'image', data: 'blob:sha256:none', mimeType: 'image/png' };
    const path = log(said('i', null, 'user', Array(21).fill(block)));
    const { stderr } = await run(['export', '--blobs', scratch, path]);
    expect(stderr.match(/the ref is kept/g)).toHaveLength(20);
    expect(stderr).toMatch(/: 1 more ref kept\n$/);
  });

  it('shows a terminal no escape sequences and no hidden characters', async () => {
    const path = log(said('a', null, 'user', 'red \u001b[31m \u202e hidden\u200b'));
    const { stdout } = await run(['export', path], { stdoutIsTerminal: true });
    expect(stdout).not.toMatch(/[\u001b\u202e\u200b]/);
    expect(stdout).toContain('\\u202e');
    const piped = await run(['export', path]);
    expect(piped.stdout).toContain('\u202e');
    expect(piped.stdout).not.toContain('\u001b');
  });

  it('spools long output to a file that nobody sees, and writes the same', async () => {
    const entries = Array.from({ length: 40 }, (_, at) =>
      said(`m${at}`, at === 0 ? null : `m${at - 1}`, 'user', `${at} ${'word '.repeat(60_000)}`),
    );
    const before = readdirSync(scratch).length;
    const { stdout, code } = await run(['export', log(...entries)]);
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(10_000_000);
    expect(stdout.match(/^## /gm)).toHaveLength(40);
    expect(readdirSync(scratch)).toHaveLength(before + 1);
  });

  it('works as a program in a pipe, and ends quietly when the reader goes away', async () => {
    const ran = await spawnProgram(['export', fixture('omp-plan')]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('# Plan the move to ESM');
    const cut = await spawnCommand('bash', [
      '-c',
      `set -o pipefail; '${process.execPath}' '${programPath}' export --format html '${fixture('pi-branches')}' | head -c 10`,
    ]);
    expect(cut).toMatchObject({ stdout: '<!doctype ', stderr: '' });
  });

  it('leaves no output behind when the log turns out to be no log', async () => {
    const output = join(scratch, 'never.md');
    writeFileSync(join(scratch, 'bad.jsonl'), '{"a":1}\n');
    expect((await run(['export', '-o', output, join(scratch, 'bad.jsonl')])).code).toBe(2);
    expect(existsSync(output)).toBe(false);
  });

  it.skipIf(!installed('ruby', '-ryaml', '-e', '0') && !installed('python3', '-c', 'import yaml'))(
    'writes front matter that a YAML parser reads',
    async () => {
      const title = 'a: b # "c" \\ - [x] {y} \u0085 🎉';
      const path = log(
        { type: 'session_info', id: 'n', parentId: null, timestamp: '2026-01-01T00:00:01.000Z', name: title },
        said('a', 'n', 'user', 'x'),
      );
      const { stdout } = await run(['export', path]);
      const matter = stdout.slice(4, stdout.indexOf('\n---\n', 4));
      const python = 'import sys, yaml, json; print(json.dumps(yaml.safe_load(sys.stdin)))';
      const ruby = 'require "yaml"; require "json"; puts JSON.generate(YAML.safe_load(STDIN.read))';
      const read = installed('python3', '-c', 'import yaml')
        ? await spawnCommand('python3', ['-c', python], { stdin: matter })
        : await spawnCommand('ruby', ['-e', ruby], { stdin: matter, env: { LC_ALL: 'C.UTF-8' } });
      expect(JSON.parse(read.stdout)).toMatchObject({ session: 's', title, cwd: '/w', tokens: { input: 0 } });
    },
  );
});

describe('export of a large log', () => {
  const result = (id: string, parentId: string, text: string, more: readonly object[] = []): object =>
    said(id, parentId, 'toolResult', [{ type: 'text', text }, ...more], {
      toolCallId: `c-${id}`,
      toolName: 'bash',
      isError: false,
    });
  const call = (id: string, parentId: string): object =>
    said(`a-${id}`, parentId, 'assistant', [
      { type: 'toolCall', id: `c-${id}`, name: 'bash', arguments: { command: 'ls' } },
    ]);
  const picture = { type: 'image', data: Buffer.alloc(90_000, 'pixels').toString('base64'), mimeType: 'image/png' };
  const texts = [
    'a line with \u6f22\u5b57, "quotes" and \\ slashes\n'.repeat(400),
    'one line without an end '.repeat(500),
    `\u001b[31m${'red\n'.repeat(2000)}\u001b[0m`,
    '\u{1f642}'.repeat(5000),
    `${'\n'.repeat(4000)}end`,
    `${'x\u0007'.repeat(2000)}`,
    'short',
  ];
  const branch: object[] = [said('u', null, 'user', [{ type: 'text', text: 'look' }, picture])];
  for (const [at, text] of texts.entries()) {
    branch.push(
      call(`r${at}`, at === 0 ? 'u' : `r${at - 1}`),
      result(`r${at}`, `a-r${at}`, text, at === 1 ? [picture] : []),
    );
  }
  // Only large files are read in the way that pays for large files.
  const filling = {
    type: 'custom',
    id: 'f',
    parentId: null,
    timestamp: '2026-01-01T00:00:00.000Z',
    customType: 'x',
    data: 'y'.repeat(1_100_000),
  };
  const small = log(...branch);
  const large = log(filling, ...branch);

  it.each([
    [[]],
    [['--tools', 'full']],
    [['--tools', 'none']],
    [['--format', 'html']],
    [['--format', 'html', '--tools', 'full']],
    [['--assets', join(scratch, 'large-assets')]],
  ])('says the same as of a small one that has the same branch, with %j', async (options) => {
    const wanted = await run(['export', ...options, small]);
    const exported = await run(['export', ...options, large]);
    expect(wanted.code).toBe(0);
    expect(exported.stdout === wanted.stdout).toBe(true);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
  });

  it('cuts no character on a terminal, where what it holds back comes from the disk in pieces', async () => {
    const path = log(said('u', null, 'user', `${'\u6f22'.repeat(999)}\n`.repeat(3000)));
    const { stdout: wanted } = await run(['export', path]);
    expect(Buffer.byteLength(wanted)).toBeGreaterThan(8 * 1024 * 1024);
    const { stdout } = await run(['export', path], { stdoutIsTerminal: true });
    expect(stdout === wanted).toBe(true);
  });

  // At once, where much is written; only in the end, where it was written behind.
  it.each([
    [60, 9000],
    [41, 8320],
  ])('says so where the disk takes no more of what it holds back: %i texts, %i KB', async (count, limit) => {
    const long = log(
      ...Array.from({ length: count }, (_, at) =>
        said(`u${at}`, at === 0 ? null : `u${at - 1}`, 'user', 'words '.repeat(35_000)),
      ),
    );
    const ran = await spawnCommand('bash', [
      '-c',
      `ulimit -f ${limit}; exec "${process.execPath}" "${programPath}" export "${long}"`,
    ]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^sessionctl: .*: the file would exceed a size limit; .*\n$/);
  });
});
