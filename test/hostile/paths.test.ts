import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const TIME = '"timestamp":"2026-01-01T00:00:01.000Z"';
const root = scratchFolder();
const SECRET = 'the secret of the outside';
writeFileSync(join(root, 'secret'), SECRET);
const inside = join(root, 'inside');
mkdirSync(inside);
const blobs = join(inside, 'blobs');
mkdirSync(blobs);
symlinkSync('../../secret', join(blobs, 'a'.repeat(64)));

const message = (id: string, parentId: string | null, content: unknown): string =>
  `{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},${TIME},"message":{"role":"user","content":${JSON.stringify(content)}}}\n`;
const image = (data: string, mimeType = 'image/png'): object => ({ type: 'image', data, mimeType });

describe('a log', () => {
  const refs = [
    'blob:sha256:../../secret',
    `blob:sha256:../${'a'.repeat(61)}`,
    `blob:sha256:${'a'.repeat(64)}`,
    `blob:sha256:${'A'.repeat(64)}`,
    'blob:sha256:/etc/passwd',
    `blob:sha256:${'a'.repeat(64)}\u0000/../secret`,
    'blob:sha256:..%2f..%2fsecret',
  ];
  const path = join(inside, 'refs.jsonl');
  writeFileSync(
    path,
    HEADER + refs.map((ref, at) => message(`m${at}`, at === 0 ? null : `m${at - 1}`, [image(ref)])).join(''),
  );

  it.each([
    ['inline', '--blobs', blobs],
    ['context', '--as', 'anthropic', '--blobs', blobs],
    ['export', '--format', 'html', '--blobs', blobs],
    ['validate', '--blobs', blobs],
    ['blobs', 'verify', '--blobs', blobs],
  ])('cannot make %s read a file outside of the store by a ref', async (...words) => {
    const ran = await run([...words, path]);
    const all = ran.stdout + ran.stderr;
    expect(all).not.toContain(SECRET);
    expect(all).not.toContain(Buffer.from(SECRET).toString('base64'));
    expect(ran.stderr).not.toContain('a bug in sessionctl');
  });

  it('cannot make export write outside of --assets', async () => {
    const picture = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`;
    const types = [
      'image/../../evil',
      'image/png/../../../evil',
      '../../evil',
      'image/\u0000x',
      'image/svg+xml',
      '/etc/x',
      '',
      'image/png',
    ];
    const log = join(inside, 'assets.jsonl');
    writeFileSync(
      log,
      HEADER +
        types
          .map((type, at) => message(`../../m${at}`, at === 0 ? null : `../../m${at - 1}`, [image(picture, type)]))
          .join(''),
    );
    const folder = join(inside, 'work', 'deep', 'assets');
    mkdirSync(join(inside, 'work', 'deep'), { recursive: true });
    const ran = await run(['export', '--assets', folder, log]);
    expect(ran.stderr).not.toContain('a bug in sessionctl');
    expect(readdirSync(root).sort()).toEqual(['inside', 'secret']);
    expect(readdirSync(join(inside, 'work'))).toEqual(['deep']);
    expect(readdirSync(join(inside, 'work/deep')).filter((name) => name !== 'assets')).toEqual([]);
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    for (const name of readdirSync(folder)) expect(name).toMatch(/^[\w.-]+$/);
  });

  it('cannot make status read outside of --workspace, by path, by cwd or by link', async () => {
    const workspace = join(inside, 'workspace');
    mkdirSync(workspace);
    symlinkSync('../../secret', join(workspace, 'link'));
    for (const file of ['../../secret', join(root, 'secret'), 'link', 'x/../../../secret']) {
      const call = { type: 'toolCall', id: 't', name: 'write', arguments: { path: file, content: SECRET } };
      const log = join(inside, 'status.jsonl');
      const entry = `{"type":"message","id":"b","parentId":"a",${TIME},"message":{"role":"assistant","content":[${JSON.stringify(call)}],"stopReason":"toolUse"}}\n`;
      writeFileSync(log, HEADER.replace('"/r"', JSON.stringify(root)) + user('a', null) + entry);
      const ran = await run(['status', '--json', '--workspace', workspace, log]);
      const { pending } = JSON.parse(ran.stdout) as { pending: { probe?: { result: string } }[] };
      // The file outside holds exactly what the call would write.
      expect(pending[0]?.probe?.result, file).toMatch(/^(?:unknown|appears not applied)$/);
    }
  });

  it('cannot make a command open its parentSession', async () => {
    const log = join(inside, 'parent.jsonl');
    writeFileSync(
      log,
      HEADER.replace('"cwd":"/r"', `"cwd":"/r","parentSession":${JSON.stringify(join(root, 'secret'))}`) +
        user('a', null),
    );
    for (const argv of [
      ['validate', log],
      ['context', log],
      ['status', '--json', log],
      ['fork', log, '@'],
      ['export', log],
    ]) {
      const ran = await run(argv);
      expect(ran.stdout + ran.stderr, argv[0]).not.toContain(SECRET);
    }
  });

  it('gets temporary files, quarantine and backup that nobody else can read', async () => {
    const log = join(inside, 'private.jsonl');
    writeFileSync(log, `${HEADER}${user('a', null)}{"torn`, { mode: 0o600 });
    expect((await run(['repair', '-i', '--backup', log])).code).toBe(0);
    for (const name of ['private.jsonl', 'private.jsonl.bak', 'private.jsonl.quarantine']) {
      expect(statSync(join(inside, name)).mode & 0o077, name).toBe(0);
    }
    expect(readFileSync(log, 'utf8')).toBe(HEADER + user('a', null));
  });
});
