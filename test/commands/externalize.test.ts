import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/blobs/store.ts';
import { projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const fixture = join(projectRoot, 'fixtures/sessions/omp-screenshot.jsonl');
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';
const bytes = Buffer.from(Array.from({ length: 1200 }, (_, at) => (at * 7) % 256));
const data = bytes.toString('base64');

function fresh(): string {
  return mkdtempSync(join(scratch, 'case-'));
}

function message(content: string, id = 'a'): string {
  return `{"type":"message","id":"${id}","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":${content}}}\n`;
}

function image(text: string): string {
  return `{"type":"image","data":"${text}","mimeType":"image/png"}`;
}

test('moves an image into the store once, and inline puts it back byte for byte', async () => {
  const blobs = join(fresh(), 'deep', 'blobs');
  const out = await run(['externalize', '--blobs', blobs, fixture]);
  expect(out).toMatchObject({ code: 0, stderr: '' });
  const hash = readdirSync(blobs);
  expect(hash.length).toBe(1);
  expect(sha256(readFileSync(join(blobs, hash[0] ?? '')))).toBe(hash[0]);
  expect(out.stdout.split(`"blob:sha256:${hash[0]}"`).length).toBe(3);
  const back = await run(['inline', '--blobs', blobs], { stdin: out.stdoutBytes });
  expect(back).toMatchObject({ code: 0, stderr: '' });
  expect(back.stdoutBytes.equals(readFileSync(fixture))).toBe(true);
});

test('leaves what is shorter than --min-chars, exactly', async () => {
  const short = Buffer.alloc(767, 1).toString('base64').slice(0, 1020);
  const exact = Buffer.alloc(768, 1).toString('base64');
  expect([short.length, exact.length]).toEqual([1020, 1024]);
  const stdin = HEADER + message(`[${image(short)},${image(exact)},${image('A'.repeat(1023))}]`);
  const folder = fresh();
  const refs = async (...options: string[]): Promise<number> => {
    const out = await run(['externalize', '--blobs', join(folder, 'b'), ...options], { stdin });
    return out.stdout.split('blob:sha256:').length - 1;
  };
  expect([
    await refs(),
    await refs('--min-chars', '1025'),
    await refs('--min-chars', '1020'),
    await refs('--min-chars', '0'),
  ]).toEqual([1, 0, 2, 2]);
});

test('moves data URLs of any size as their text', async () => {
  const blobs = join(fresh(), 'b');
  const stdin =
    HEADER +
    message(
      '[{"type":"input_image","image_url":"data:image/png;base64,AA=="},{"image_url":"https://example.com/x.png"}]',
    );
  const out = await run(['externalize', '--blobs', blobs], { stdin });
  const [hash] = readdirSync(blobs);
  expect(readFileSync(join(blobs, hash ?? ''), 'utf8')).toBe('data:image/png;base64,AA==');
  expect(out.stdout).toContain('https://example.com/x.png');
  expect((await run(['inline', '--blobs', blobs], { stdin: out.stdout })).stdout).toBe(stdin);
});

test('says why an image stays', async () => {
  const stdin =
    HEADER + message(`[${image(data.slice(0, -1))}]`) + message('[{"image_url":"data:image\\/png,x"}]', 'b');
  const out = await run(['externalize', '--blobs', join(fresh(), 'b')], { stdin });
  expect(out.code).toBe(0);
  expect(out.stdout).toBe(stdin);
  expect(out.stderr).toBe(
    'sessionctl: -:2: image data is not canonical base64 and was left in the log\nsessionctl: -:3: image_url is written with escapes and was left in the log\n',
  );
});

test('says that pi cannot read refs, only on a log of pi and only if there are any now', async () => {
  const blobs = join(fresh(), 'b');
  const pi =
    '{"type":"model_change","id":"m","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","provider":"p","modelId":"m"}\n';
  const noted = await run(['externalize', '--blobs', blobs], { stdin: HEADER + pi + message(`[${image(data)}]`) });
  expect(noted.stderr).toBe(
    "sessionctl: -: was written by pi, which cannot read refs; 'sessionctl inline' puts the images back\n",
  );
  expect((await run(['externalize', '--blobs', blobs], { stdin: HEADER + pi })).stderr).toBe('');
  expect((await run(['externalize', '--blobs', blobs], { stdin: HEADER + message(`[${image(data)}]`) })).stderr).toBe(
    '',
  );
});

test('passes damaged lines through byte for byte, tells them once and exits 1', async () => {
  const torn = message(`[${image(data)}]`).slice(0, 1500);
  const stdin = Buffer.concat([
    Buffer.from(`${HEADER}${torn}\n${message(`[${image(data)}]`)}\r\n\n`),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from(message('"x"').trimEnd()),
  ]);
  const blobs = join(fresh(), 'b');
  const out = await run(['externalize', '--blobs', blobs], { stdin });
  expect(out.code).toBe(1);
  expect(out.stderr).toBe(
    "sessionctl: -: line 2 is damaged (torn-line) and is passed through unchanged, and 1 other line: 6 (invalid-utf8); 'sessionctl repair' fixes what can be fixed\n",
  );
  expect(
    out.stdoutBytes.equals(
      Buffer.from(
        stdin
          .toString('latin1')
          .replace(
            `"data":"${data}","mimeType":"image/png"}]}}\n`,
            `"data":"blob:sha256:${sha256(bytes)}","mimeType":"image/png"}]}}\n`,
          ),
        'latin1',
      ),
    ),
  ).toBe(true);
  const back = await run(['inline', '--blobs', blobs], { stdin: out.stdoutBytes });
  expect(back.code).toBe(1);
  expect(back.stdoutBytes.equals(stdin)).toBe(true);
});

test('refuses a file that is not a session log, and writes nothing', async () => {
  const folder = fresh();
  // Only one of them takes logs of other agents.
  for (const [name, kind] of Object.entries({ externalize: 'supported', inline: 'pi or omp' })) {
    const out = await run([name, '--blobs', folder], { stdin: '{"some":"thing"}\n'.repeat(300) });
    expect(out).toMatchObject({ code: 2, stdout: '' });
    expect(out.stderr.startsWith(`sessionctl: -: not a ${kind} session log`), name).toBe(true);
  }
  expect((await run(['externalize', '--blobs', folder], { stdin: '' })).code).toBe(0);
});

test('tells how to name the store where none is named', async () => {
  const out = await run(['externalize', fixture]);
  expect(out).toMatchObject({ code: 2, stdout: '' });
  expect(out.stderr).toBe(
    'sessionctl: no blob store found; pass it with --blobs DIR or the variable SESSIONCTL_BLOBS\n',
  );
  const blobs = join(fresh(), 'b');
  expect((await run(['externalize', fixture], { env: { SESSIONCTL_BLOBS: blobs } })).code).toBe(0);
  expect(readdirSync(blobs).length).toBe(1);
});

test('says that a store that is a file is no folder', async () => {
  const taken = join(fresh(), 'taken');
  writeFileSync(taken, '');
  const out = await run(['externalize', '--blobs', taken, fixture]);
  expect(out).toMatchObject({ code: 2, stderr: `sessionctl: ${taken}: is not a folder; choose another one\n` });
});

test('a blob is never wider than the log, and not written twice', async () => {
  const folder = fresh();
  const file = join(folder, 'f.jsonl');
  const blobs = join(folder, 'b');
  writeFileSync(file, HEADER + message(`[${image(data)}]`));
  chmodSync(file, 0o600);
  await run(['externalize', '--blobs', blobs, file]);
  const blob = join(blobs, sha256(bytes));
  expect(statSync(blob).mode & 0o777).toBe(0o600);
  const before = statSync(blob);
  chmodSync(file, 0o644);
  await run(['externalize', '--blobs', blobs, file]);
  expect([statSync(blob).ino, statSync(blob).mode]).toEqual([before.ino, before.mode]);
  expect(statSync(blobs).mode & 0o777).toBe(0o700);
});

test('an image stays in the log where its blob is damaged or a link', async () => {
  const stdin = HEADER + message(`[${image(data)}]`);
  for (const spoil of [
    (path: string) => writeFileSync(path, 'other bytes'),
    (path: string) => symlinkSync('/etc/hostname', path),
    (path: string) => mkdirSync(path),
  ]) {
    const blobs = fresh();
    spoil(join(blobs, sha256(bytes)));
    const out = await run(['externalize', '--blobs', blobs], { stdin });
    expect(out).toMatchObject({ code: 1, stdout: stdin });
    expect(out.stderr).toMatch(/^sessionctl: -:2: image left in the log/);
    expect(lstatSync(join(blobs, sha256(bytes))).isFile()).toBe(spoil.toString().includes('writeFile'));
  }
});

test('changes a file in place, keeps a backup, and a dry run writes no blob', async () => {
  const folder = fresh();
  const file = join(folder, 'f.jsonl');
  const blobs = join(folder, 'b');
  const text = HEADER + message(`[${image(data)}]`);
  writeFileSync(file, text);
  expect(await run(['externalize', '-n', '--blobs', blobs, file])).toMatchObject({ code: 1, stdout: '' });
  expect(existsSync(blobs)).toBe(false);
  expect((await run(['externalize', '-i', '--backup', '--blobs', blobs, file])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(text.replace(data, `blob:sha256:${sha256(bytes)}`));
  expect(readFileSync(`${file}.bak`, 'utf8')).toBe(text);
  expect((await run(['inline', '-i', '--blobs', blobs, file])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the two options that lose something need a backup in place', async () => {
  const folder = fresh();
  const file = join(folder, 'f.jsonl');
  const long = 'x'.repeat(600_000);
  writeFileSync(file, HEADER + message(`"${long}"`).replace('"role"', '"partialJson":"p","role"'));
  for (const option of ['--truncate', '--strip-transient']) {
    const refused = await run(['externalize', '-i', option, '--blobs', folder, file]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/needs --backup/);
  }
  expect(
    await run(['externalize', '-i', '--backup', '--truncate', '--strip-transient', '--blobs', folder, file]),
  ).toMatchObject({
    code: 0,
    stderr: `sessionctl: ${file}: 1 string truncated to 500,000 characters\nsessionctl: ${file}: 1 transient field removed\n`,
  });
  const now = readFileSync(file, 'utf8');
  expect(now).not.toContain('partialJson');
  expect(now).toContain('[Session persistence truncated large content]');
  expect((JSON.parse(now.split('\n')[1] ?? '') as { message: { content: string } }).message.content.length).toBe(
    500_000,
  );
});

test('several programs may fill one store at the same time', async () => {
  const folder = fresh();
  const images = Array.from({ length: 30 }, (_, at) => Buffer.alloc(2000, at));
  writeFileSync(
    join(folder, 'f.jsonl'),
    HEADER + images.map((one, at) => message(`[${image(one.toString('base64'))}]`, `m${at}`)).join(''),
  );
  const ran = await Promise.all(
    Array.from({ length: 4 }, () => spawnProgram(['externalize', '--blobs', 'b', 'f.jsonl'], { cwd: folder })),
  );
  expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ran.map(() => ({ code: 0, stderr: '' })));
  expect(new Set(ran.map((one) => one.stdout)).size).toBe(1);
  expect(readdirSync(join(folder, 'b')).sort()).toEqual(images.map(sha256).sort());
  for (const name of readdirSync(join(folder, 'b'))) expect(sha256(readFileSync(join(folder, 'b', name)))).toBe(name);
});

test('works in a pipe of real processes', async () => {
  const folder = fresh();
  const program = `"${process.execPath}" "${join(projectRoot, 'bin/sessionctl.js')}"`;
  const ran = await spawnCommand(
    'bash',
    ['-c', `${program} externalize --blobs b < "${fixture}" | ${program} inline --blobs b | cmp - "${fixture}"`],
    { cwd: folder },
  );
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test('reads the document of another agent whose one line is longer than what is held to detect it', async () => {
  const path = join(fresh(), 'long.json');
  const trajectory = readFileSync(join(projectRoot, 'fixtures/formats/atif/simple-1.0.json'), 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(trajectory), notes: 'x'.repeat(64 * 1024 * 1024) }));
  const out = await run(['externalize', '--blobs', fresh(), path]);
  expect(out).toMatchObject({ code: 0, stderr: '' });
  expect(out.stdout).toContain('"The total is wrong."');
});
