import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/blobs/store.ts';
import { run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';
const bytes = Buffer.from('the bytes of an image');
const hash = sha256(bytes);

function fresh(): string {
  return mkdtempSync(join(scratch, 'case-'));
}

function withRef(ref: string, id = 'a'): string {
  return `{"type":"message","id":"${id}","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"image","data":"${ref}","mimeType":"image/png"}]}}\n`;
}

test('finds the store beside the file, or two folders up as omp has it', async () => {
  for (const [store, file] of [
    ['blobs', 'f.jsonl'],
    ['agent/blobs', 'agent/sessions/project/f.jsonl'],
  ] as const) {
    const folder = fresh();
    mkdirSync(join(folder, store), { recursive: true });
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, store, hash), bytes);
    writeFileSync(join(folder, file), HEADER + withRef(`blob:sha256:${hash}`));
    expect(await run(['inline', join(folder, file)])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: HEADER + withRef(bytes.toString('base64')),
    });
  }
});

test('tells how to name the store where none is found, and needs none without refs', async () => {
  const file = join(fresh(), 'f.jsonl');
  writeFileSync(file, HEADER + withRef(`blob:sha256:${hash}`));
  const out = await run(['inline', file]);
  expect(out.code).toBe(2);
  expect(out.stderr).toBe(
    `sessionctl: ${file}: no blob store found; pass it with --blobs DIR or the variable SESSIONCTL_BLOBS\n`,
  );
  expect((await run(['inline'], { stdin: HEADER + withRef('AAAA') })).code).toBe(0);
  expect(
    (await run(['inline', '--blobs', join(fresh(), 'none')], { stdin: HEADER + withRef(`blob:sha256:${hash}`) }))
      .stderr,
  ).toMatch(/no such file or folder/);
});

test('keeps a ref whose blob is missing, damaged, a link or no file, names the line and exits 1', async () => {
  const blobs = fresh();
  const outside = join(fresh(), 'secret');
  writeFileSync(outside, bytes);
  const damaged = sha256(Buffer.from('1'));
  const linked = hash;
  const folder = sha256(Buffer.from('2'));
  const missing = sha256(Buffer.from('3'));
  writeFileSync(join(blobs, damaged), 'not what was stored');
  symlinkSync(outside, join(blobs, linked));
  mkdirSync(join(blobs, folder));
  const stdin =
    HEADER + [damaged, linked, folder, missing].map((one, at) => withRef(`blob:sha256:${one}`, `m${at}`)).join('');
  const out = await run(['inline', '--blobs', blobs], { stdin });
  expect(out).toMatchObject({ code: 1, stdout: stdin });
  expect(out.stderr.split('\n')).toEqual([
    `sessionctl: -:2: 'blob:sha256:${damaged}' has bytes that do not match its hash; the ref is kept`,
    `sessionctl: -:3: 'blob:sha256:${linked}' has bytes that do not match its hash; the ref is kept`,
    `sessionctl: -:4: 'blob:sha256:${folder}' has bytes that do not match its hash; the ref is kept`,
    `sessionctl: -:5: 'blob:sha256:${missing}' is not in the store; the ref is kept`,
    '',
  ]);
});

test.each([
  'blob:sha256:../../x',
  `blob:sha256:${'A'.repeat(64)}`,
  `blob:sha256:${hash.toUpperCase()}`,
  `blob:sha256:${hash.slice(1)}`,
  `blob:sha256:${hash}0`,
  `blob:sha256:${hash}\\n`,
  `blob:sha256:/${hash}`,
  'blob:sha256:',
  `blob:sha512:${hash}`,
  `blob:${hash}`,
  `blob:sha256:${'../'.repeat(20)}etc/passwd`,
  `\\u0062lob:sha256:..\\/${hash}`,
])('refuses the ref %s by name and opens nothing', async (ref) => {
  const blobs = fresh();
  writeFileSync(join(blobs, hash), bytes);
  const stdin = HEADER + withRef(ref);
  // Even without a store: nothing has to be looked up.
  for (const options of [['--blobs', blobs], []]) {
    const out = await run(['inline', ...options], { stdin });
    expect(out).toMatchObject({ code: 1, stdout: stdin });
    expect(out.stderr).toMatch(
      /^sessionctl: -:2: 'blob:.*' is not blob:sha256: and 64 lowercase hexadecimal digits; nothing was opened; the ref is kept\n$/,
    );
  }
});

test('puts nothing between quotes that is not a data URL', async () => {
  const blobs = fresh();
  const hostile = Buffer.from('data:x","injected":"yes');
  for (const content of [
    hostile,
    Buffer.from('data:\n'),
    Buffer.from('data:\\'),
    Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff]),
    bytes,
  ]) {
    writeFileSync(join(blobs, sha256(content)), content);
    const stdin = `${HEADER}{"type":"custom","id":"c","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","data":{"image_url":"blob:sha256:${sha256(content)}"}}\n`;
    const out = await run(['inline', '--blobs', blobs], { stdin });
    expect(out).toMatchObject({ code: 1, stdout: stdin });
    expect(out.stderr).toMatch(/is not a data URL/);
  }
});

test('leaves text that only speaks of refs', async () => {
  const blobs = fresh();
  const stdin = `${HEADER}{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"blob:sha256:${hash}","data":"blob:sha256:${hash}"}]}}\n`;
  expect(await run(['inline', '--blobs', blobs], { stdin })).toMatchObject({ code: 0, stderr: '', stdout: stdin });
});

test('runs as the built program', async () => {
  const folder = fresh();
  mkdirSync(join(folder, 'blobs'));
  writeFileSync(join(folder, 'blobs', hash), bytes);
  writeFileSync(join(folder, 'f.jsonl'), HEADER + withRef(`blob:sha256:${hash}`));
  const ran = await spawnProgram(['inline', 'f.jsonl'], { cwd: folder });
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: HEADER + withRef(bytes.toString('base64')) });
});
