import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HashSearch } from '../../src/blobs/gc.ts';
import { sha256 } from '../../src/blobs/store.ts';
import { settings } from '../support/properties.ts';
import { run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';

function withRef(ref: string, id = 'a'): string {
  return `{"type":"message","id":"${id}","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","data":"${ref}","mimeType":"image/png"}]}}\n`;
}

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

/** A store with blobs of these contents, all of them old, and a folder for logs. */
function place(contents: readonly string[]): { folder: string; blobs: string; logs: string; hashes: string[] } {
  const folder = mkdtempSync(join(scratch, 'case-'));
  const blobs = join(folder, 'blobs');
  const logs = join(folder, 'logs');
  mkdirSync(blobs);
  mkdirSync(logs);
  const hashes = contents.map((content) => {
    const hash = sha256(Buffer.from(content));
    writeFileSync(join(blobs, hash), content);
    utimesSync(join(blobs, hash), LONG_AGO, LONG_AGO);
    return hash;
  });
  return { folder, blobs, logs, hashes };
}

test('ls lists refs with line and size, and says what is missing or bad', async () => {
  const { blobs, logs, hashes } = place(['one', 'three']);
  const missing = sha256(Buffer.from('missing'));
  const file = join(logs, 'f.jsonl');
  writeFileSync(
    file,
    HEADER +
      withRef(`blob:sha256:${hashes[0]}`) +
      withRef(`blob:sha256:${missing}`, 'b') +
      withRef('blob:sha256:../x', 'c'),
  );
  expect(await run(['blobs', 'ls', '--blobs', blobs, file])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: `${file}:2: blob:sha256:${hashes[0]} 3 bytes\n${file}:3: blob:sha256:${missing} missing\n${file}:4: blob:sha256:../x bad ref\n`,
  });
  const json = await run(['blobs', 'ls', '--json', '--blobs', blobs, logs]);
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { file, line: 2, path: 'message.content[1].data', ref: `blob:sha256:${hashes[0]}`, bytes: 3 },
    { file, line: 3, path: 'message.content[1].data', ref: `blob:sha256:${missing}`, bytes: null },
    { file, line: 4, path: 'message.content[1].data', ref: 'blob:sha256:../x', bytes: null },
  ]);
  expect((await run(['blobs', 'ls', file])).stdout).toContain('no store');
});

test('verify finds missing, damaged and orphaned blobs and bad refs', async () => {
  const { blobs, logs, hashes } = place(['whole', 'damaged', 'orphan', 'unseen']);
  const [whole, damaged, orphan, unseen] = hashes;
  const missing = sha256(Buffer.from('missing'));
  writeFileSync(join(blobs, damaged ?? ''), 'DAMAGED');
  writeFileSync(join(blobs, unseen ?? ''), 'damaged too');
  const file = join(logs, 'f.jsonl');
  writeFileSync(
    file,
    HEADER +
      [whole, damaged, missing].map((hash) => withRef(`blob:sha256:${hash}`, String(hash))).join('') +
      withRef('blob:sha256:X', 'x'),
  );
  const out = await run(['blobs', 'verify', '--blobs', blobs, logs]);
  expect(out.code).toBe(1);
  const bySize = [
    `${file}:3: error: damaged-blob: 'blob:sha256:${damaged}' has bytes that do not match its hash`,
    `${file}:4: error: missing-blob: 'blob:sha256:${missing}' is not in the store`,
    `${file}:5: error: bad-blob-ref: 'blob:sha256:X' is not blob:sha256: and 64 lowercase hexadecimal digits`,
    `${blobs}/${unseen}: error: damaged-blob: its bytes do not match its name`,
    `${blobs}/${unseen}: warning: orphaned-blob: no given log refers to it, 11 bytes`,
    `${blobs}/${orphan}: warning: orphaned-blob: no given log refers to it, 6 bytes`,
  ];
  expect(out.stdout.trim().split('\n').sort()).toEqual(bySize.sort());
  expect(out.stderr).toBe('sessionctl: 4 refs: 1 bad ref, 1 missing, 2 damaged, 2 orphaned\n');
});

test('verify is content with a whole store, and orphans alone are no error', async () => {
  const { blobs, logs, hashes } = place(['one', 'two']);
  writeFileSync(join(logs, 'f.jsonl'), HEADER + withRef(`blob:sha256:${hashes[0]}`));
  const out = await run(['blobs', 'verify', '--blobs', blobs, '--json', join(logs, 'f.jsonl')]);
  expect(out.code).toBe(0);
  expect(JSON.parse(out.stdout)).toMatchObject({ rule: 'orphaned-blob', severity: 'warning' });
});

test('verify reads standard input, leaves out damaged lines and exits 1', async () => {
  const { blobs, hashes } = place(['one']);
  const stdin = `${HEADER}${withRef(`blob:sha256:${hashes[0]}`).slice(0, -20)}\n`;
  const out = await run(['blobs', 'verify', '--blobs', blobs], { stdin });
  expect(out.code).toBe(1);
  expect(out.stdout).toBe('');
  expect(out.stderr).toMatch(/^sessionctl: -: line 2 is damaged \(torn-line\) and was left out; 'sessionctl repair'/);
});

test('skips what is no session log below a folder, refuses it when it is named, and says when nothing was found', async () => {
  const { blobs, logs } = place([]);
  writeFileSync(join(logs, 'other.jsonl'), '{"some":"thing"}\n');
  expect((await run(['blobs', 'ls', '--blobs', blobs, join(logs, 'other.jsonl')])).stderr).toMatch(
    /not a supported session log/,
  );
  const none = await run(['blobs', 'ls', '--blobs', blobs, logs]);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('no log found that this command takes');
  writeFileSync(join(logs, 'own.jsonl'), HEADER);
  const found = await run(['blobs', 'ls', '--blobs', blobs, logs]);
  expect(found.code).toBe(0);
  expect(found.stderr).toContain('1 file skipped, of kinds that this command does not take');
});

test.each([[[]], [['rm']], [['ls', '--apply', 'x']], [['gc', 'x']]])('refuses the call blobs %j', async (argv) => {
  expect((await run(['blobs', ...argv])).code).toBe(2);
});

test('gc needs a named store and a folder', async () => {
  const { blobs, logs } = place(['one']);
  const file = join(logs, 'f.jsonl');
  writeFileSync(file, HEADER);
  expect((await run(['blobs', 'gc', logs], { env: { SESSIONCTL_BLOBS: blobs } })).stderr).toMatch(
    /gc needs --blobs DIR/,
  );
  expect((await run(['blobs', 'gc', '--blobs', blobs, file])).stderr).toMatch(/gc needs at least one folder/);
  expect((await run(['blobs', 'gc', '--blobs', blobs])).stderr).toMatch(/gc needs at least one folder/);
});

test('gc shows what nothing names, and takes it to the trash only with --apply', async () => {
  const { blobs, logs, hashes } = place(['kept', 'also kept', 'dead']);
  const [first, second, dead] = hashes;
  // In any file and in any spelling, not only as a ref in a log.
  writeFileSync(join(logs, 'f.jsonl'), HEADER + withRef(`blob:sha256:${first}`));
  writeFileSync(
    join(logs, 'notes.bak'),
    Buffer.from(`\u0000\u00ff..${'ab'.repeat(7)}${second?.toUpperCase()}00`, 'latin1'),
  );
  const shown = await run(['blobs', 'gc', '--blobs', blobs, logs]);
  expect(shown).toMatchObject({
    code: 0,
    stdout: `${blobs}/${dead}: 4 bytes\n`,
    stderr: `sessionctl: 1 blob of 3, 4 bytes, would be moved to ${blobs}/.trash; --apply does it\n`,
  });
  expect(readdirSync(blobs).sort()).toEqual([...hashes].sort());
  const done = await run(['blobs', 'gc', '--apply', '--blobs', blobs, logs]);
  expect(done).toMatchObject({
    code: 0,
    stdout: shown.stdout,
    stderr: `sessionctl: 1 blob of 3, 4 bytes: moved to ${blobs}/.trash\n`,
  });
  expect(readdirSync(blobs).sort()).toEqual(['.trash', first, second].sort());
  expect(readFileSync(join(blobs, '.trash', dead ?? ''), 'utf8')).toBe('dead');
});

test('ls tells a link in the place of a blob from a blob that is missing', async () => {
  const { blobs, logs } = place([]);
  const hash = 'a'.repeat(64);
  symlinkSync('/etc/hostname', join(blobs, hash));
  const file = join(logs, 'f.jsonl');
  writeFileSync(file, HEADER + withRef(`blob:sha256:${hash}`));
  const { code, stdout } = await run(['blobs', 'ls', '--blobs', blobs, file]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${file}:2: blob:sha256:${hash} not a plain file\n` });
});

test('gc looks everywhere below the folder, behind links too, but not into the store itself', async () => {
  const { folder, blobs, hashes } = place(['in a deep folder', 'behind a link', 'named by a blob only']);
  const [deep, linked, inStore] = hashes;
  mkdirSync(join(folder, 'logs', 'a', 'b'), { recursive: true });
  writeFileSync(join(folder, 'logs', 'a', 'b', 'f.jsonl.late'), `x${deep}x`);
  const elsewhere = mkdtempSync(join(scratch, 'elsewhere-'));
  writeFileSync(join(elsewhere, 'g'), linked ?? '');
  symlinkSync(elsewhere, join(folder, 'logs', 'link'));
  symlinkSync('..', join(folder, 'logs', 'loop'));
  writeFileSync(join(blobs, 'README'), inStore ?? '');
  const out = await run(['blobs', 'gc', '--blobs', blobs, folder]);
  expect(out.stdout).toBe(`${blobs}/${inStore}: 20 bytes\n`);
});

test('gc leaves what is young, and what is no blob', async () => {
  const { blobs, logs, hashes } = place(['old', 'young', 'x', 'y', 'z']);
  const [old, young, ...named] = hashes;
  writeFileSync(join(logs, 'f'), named.join(' '));
  const now = Date.parse('2026-03-01T12:00:00Z');
  utimesSync(join(blobs, young ?? ''), new Date(now - 23 * 3600_000), new Date(now - 23 * 3600_000));
  writeFileSync(join(blobs, 'notes.txt'), 'mine');
  symlinkSync('/etc/hostname', join(blobs, 'a'.repeat(64)));
  const leftover = `.sessionctl-${'0'.repeat(24)}.tmp`;
  writeFileSync(join(blobs, leftover), 'half a blob');
  utimesSync(join(blobs, leftover), LONG_AGO, LONG_AGO);
  const argv = ['blobs', 'gc', '--apply', '--delete', '--blobs', blobs, logs];
  const out = await run(argv, { now: () => now });
  expect(out.stdout).toBe(`${blobs}/${old}: 3 bytes\n`);
  expect(out.stderr).toBe('sessionctl: 1 blob of 5, 3 bytes: removed; 1 blob more unreferenced is too young\n');
  expect(readdirSync(blobs).sort()).toEqual([...named, young, 'notes.txt', 'a'.repeat(64)].sort());
  expect((await run([...argv, '--older-than', '22h'], { now: () => now })).stdout).toContain(String(young));
  expect((await run([...argv, '--older-than', 'soon'])).stderr).toMatch(/needs a number and s, m, h, d or w/);
});

test('gc takes the hard links that omp makes of a blob along with it, and reports the bytes that this frees', async () => {
  const { folder, blobs, logs, hashes } = place(['alive', 'dead blob', 'held elsewhere', 'also alive', 'and this']);
  const [alive = '', dead = '', held = '', ...others] = hashes;
  writeFileSync(join(logs, 'f.jsonl'), [alive, ...others].join('\n'));
  linkSync(join(blobs, alive), join(blobs, `${alive}.png`));
  linkSync(join(blobs, dead), join(blobs, `${dead}.png`));
  linkSync(join(blobs, dead), join(blobs, `${dead}.jpeg`));
  linkSync(join(blobs, held), join(folder, 'copy.png'));
  // Bytes of its own under such a name are not known to be the blob's.
  writeFileSync(join(blobs, `${held}.txt`), 'held elsewhere');
  const before = readdirSync(blobs).length;
  const shown = await run(['blobs', 'gc', '--blobs', blobs, logs]);
  expect(shown.stderr).toContain('2 blobs of 5, 9 bytes, would be moved to');
  expect(readdirSync(blobs)).toHaveLength(before);
  const done = await run(['blobs', 'gc', '--apply', '--delete', '--json', '--blobs', blobs, logs]);
  expect(done.stderr).toContain('2 blobs of 5, 9 bytes: removed');
  expect(done.stdout).toContain(`${dead}","bytes":9,`);
  expect(done.stdout).toContain(`${held}","bytes":0,`);
  expect(readdirSync(blobs).sort()).toEqual([alive, `${alive}.png`, `${held}.txt`, ...others].sort());
});

test('gc moves the hard links of a blob to the trash with it', async () => {
  const { blobs, logs, hashes } = place(['alive', 'dead']);
  const [alive = '', dead = ''] = hashes;
  writeFileSync(join(logs, 'f.jsonl'), alive);
  linkSync(join(blobs, dead), join(blobs, `${dead}.webp`));
  expect((await run(['blobs', 'gc', '--apply', '--blobs', blobs, logs])).code).toBe(0);
  expect(readdirSync(join(blobs, '.trash')).sort()).toEqual([dead, `${dead}.webp`]);
  expect(readdirSync(blobs).sort()).toEqual(['.trash', alive]);
});

test('gc refuses to take more than half of the store without --force', async () => {
  const { blobs, logs, hashes } = place(['a', 'b', 'c']);
  writeFileSync(join(logs, 'f'), hashes[0] ?? '');
  const refused = await run(['blobs', 'gc', '--apply', '--blobs', blobs, logs]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /nothing in 1 file refers to 2 of 3 blobs; that is more than half of the store, nothing was done/,
  );
  expect(readdirSync(blobs).length).toBe(3);
  expect((await run(['blobs', 'gc', '--blobs', blobs, logs])).stderr).toMatch(/--apply will need --force/);
  expect((await run(['blobs', 'gc', '--apply', '--force', '--blobs', blobs, logs])).code).toBe(0);
  expect(readdirSync(blobs).sort()).toEqual(['.trash', hashes[0]].sort());
});

test('gc refuses when a link leads nowhere', async () => {
  const { blobs, logs, hashes } = place(['a', 'b', 'c']);
  writeFileSync(join(logs, 'f'), hashes.slice(1).join());
  symlinkSync('nowhere', join(logs, 'gone'));
  const refused = await run(['blobs', 'gc', '--apply', '--blobs', blobs, logs]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/gone: no such file.*\n.*1 file could not be read.*nothing was done\n$/);
  expect(existsSync(join(blobs, '.trash'))).toBe(false);
});

test('gc tells of a pipe or socket below the folder, which it cannot read', async () => {
  const { blobs, logs, hashes } = place(['a', 'b']);
  writeFileSync(join(logs, 'f'), hashes.join());
  execFileSync('mkfifo', [join(logs, 'pipe')]);
  symlinkSync('pipe', join(logs, 'link'));
  const out = await run(['blobs', 'gc', '--blobs', blobs, logs]);
  expect(out.code).toBe(0);
  expect(out.stderr).toContain(`${join(logs, 'link')}: is not a regular file and was not read`);
  expect(out.stderr).toContain(`${join(logs, 'pipe')}: is not a regular file and was not read`);
});

test('gc refuses when a file may not be read', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root can read everything');
  const { blobs, logs, hashes } = place(['a', 'b', 'c']);
  writeFileSync(join(logs, 'f'), hashes.slice(1).join());
  chmodSync(join(logs, 'f'), 0);
  expect((await run(['blobs', 'gc', '--apply', '--blobs', blobs, logs])).code).toBe(2);
});

test('finds hashes in any bytes, whatever the pieces', () => {
  const hashes = Array.from({ length: 4 }, (_, at) => sha256(Buffer.from([at])));
  const piece = fc.oneof(
    fc.constantFrom(
      ...hashes,
      ...hashes.map((hash) => hash.toUpperCase()),
      ...hashes.map((hash) => hash.slice(1)),
      ...hashes.map((hash) => hash.slice(0, 40)),
    ),
    fc.constantFrom('a', '0', 'g', ' ', 'ab', '\n'),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
      (pieces, cuts) => {
        const text = pieces.join('');
        const search = new HashSearch(hashes);
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const length = cuts[turn % cuts.length] ?? 1;
          search.feed(Buffer.from(text.slice(at, at + length)));
          at += length;
        }
        expect([...search.found].sort()).toEqual(hashes.filter((hash) => text.toLowerCase().includes(hash)).sort());
        search.end();
      },
    ),
    settings(500),
  );
});

test('runs as the built program', async () => {
  const { folder, hashes } = place(['one']);
  writeFileSync(join(folder, 'f.jsonl'), HEADER + withRef(`blob:sha256:${hashes[0]}`));
  const ran = await spawnProgram(['blobs', 'ls', 'f.jsonl'], { cwd: folder });
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: `f.jsonl:2: blob:sha256:${hashes[0]} 3 bytes\n` });
});
