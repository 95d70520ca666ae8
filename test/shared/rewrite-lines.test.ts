import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../bench/texts.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { entry, HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const logs = readdirSync(join(projectRoot, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl') && !name.startsWith('repair'))
  .map((name) => join(projectRoot, 'fixtures', name));

/** All that a run says, with the scanner or without it. */
async function outcome(argv: readonly string[], stdin: readonly Buffer[], scanner: string): Promise<unknown> {
  const ran = await run(argv, { stdin, env: { SESSIONCTL_SCANNER: scanner } });
  return { code: ran.code, out: ran.stdoutBytes.toString('latin1'), err: ran.stderr };
}

describe('externalize and inline', () => {
  it('do the same with the scanner and without, on every fixture', async () => {
    const store = join(scratch, 'blobs');
    mkdirSync(store);
    for (const path of logs) {
      // A first block shows that the log is ours; what follows goes the fast way.
      const log = [Buffer.from(HEADER + user('first', null)), readFileSync(path)];
      for (const command of ['externalize', 'inline']) {
        const argv = [command, '--blobs', store];
        const plain = await outcome(argv, log, 'off');
        expect({ path, command, ...((await outcome(argv, log, 'compiled')) as object) }).toEqual({
          path,
          command,
          ...(plain as object),
        });
      }
    }
  });

  it('find images and refs whose words are spelled with escapes', async () => {
    const store = join(scratch, 'escapes');
    const data = Buffer.alloc(900, 'x');
    const ref = `blob:sha256:${createHash('sha256').update(data).digest('hex')}`;
    mkdirSync(store);
    writeFileSync(join(store, ref.slice('blob:sha256:'.length)), data);
    const escaped = (word: string, upper: boolean): string[] =>
      [...word].map((letter, at) => {
        const code = letter.charCodeAt(0).toString(16).padStart(4, '0');
        return `${word.slice(0, at)}\\u${upper ? code.toUpperCase() : code}${word.slice(at + 1)}`;
      });
    const message = (block: string, at: number): string =>
      user(`e${at}`, null, 'TEXT').replace(/(?:\[\{[^\]]*\]|"TEXT")/, `[${block}]`);
    const first = HEADER + user('first', null);
    for (const upper of [false, true]) {
      const images = escaped('image', upper).map((type) => `{"type":"${type}","data":"${data.toString('base64')}"}`);
      const urls = escaped('image_url', upper).map((key) => `{"type":"x","${key}":"data:,${'x'.repeat(2000)}"}`);
      const moved = await run(['externalize', '--blobs', store], {
        stdin: [Buffer.from(first), Buffer.from([...images, ...urls].map(message).join(''))],
      });
      expect(moved.stdout.match(/blob:sha256:/g)).toHaveLength(images.length + urls.length);
      const refs = escaped('blob:', upper).map((start) => `{"type":"image","data":"${start}${ref.slice(5)}"}`);
      const back = await run(['inline', '--blobs', store], {
        stdin: [Buffer.from(first), Buffer.from(refs.map(message).join(''))],
      });
      expect(back.stdout.split(data.toString('base64'))).toHaveLength(refs.length + 1);
    }
  });

  it('do the same with them on large logs with images of all sizes, wherever the chunks are cut', async () => {
    const random = makeRandom(5);
    const draw = (most: number): number => Math.floor(random() * most);
    const base64 = Buffer.from(Array.from({ length: 3 << 20 }, () => draw(256))).toString('base64');
    const data = (): string => {
      const length = draw(10) === 0 ? draw(base64.length) : draw(3000);
      const from = draw(base64.length - length);
      const text = base64.slice(from, from + length - (length % 4));
      return draw(6) === 0 ? `${text.slice(0, draw(text.length))}${draw(2) === 0 ? '=' : '\n'}` : text;
    };
    const image = (): object =>
      [
        { type: 'image', data: data(), mimeType: 'image/png' },
        { type: 'image', data: `blob:sha256:${data()}`, mimeType: 'image/png' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${data()}` } },
        { type: 'image_url', image_url: data() },
        { type: 'text', text: 'x', data: data(), url: data() },
      ][draw(5)] as object;
    const lines = [HEADER];
    for (let at = 0; at < 800; at++) {
      const content = [{ type: 'text', text: 'word '.repeat(draw(400)) }, ...(draw(8) === 0 ? [image(), image()] : [])];
      const line = entry('message', `e${at}`, null, { message: { role: 'user', content, timestamp: 1 } });
      lines.push(draw(50) === 0 ? `${line.slice(0, draw(line.length))}\n` : line);
    }
    const log = Buffer.from(lines.join(''));
    expect(log.length).toBeGreaterThan(20e6);
    const chunks: Buffer[] = [];
    for (let at = 0; at < log.length; ) {
      const end = at + 1 + draw(draw(4) === 0 ? 4e6 : 4e5);
      chunks.push(log.subarray(at, end));
      at = end;
    }
    const file = join(scratch, 'out.jsonl');
    const input = join(scratch, 'in.jsonl');
    writeFileSync(input, log);
    const results = new Set<string>();
    for (const scanner of ['off', 'compiled']) {
      const store = join(scratch, `blobs-${scanner}`);
      const out = await run(['externalize', '--blobs', store, '-o', file], {
        stdin: chunks,
        env: { SESSIONCTL_SCANNER: scanner },
      });
      const slim = readFileSync(file);
      const piped = await run(['externalize', '--blobs', store], {
        stdin: chunks,
        env: { SESSIONCTL_SCANNER: scanner },
      });
      expect(piped.stdoutBytes.equals(slim)).toBe(true);
      await run(['externalize', '--blobs', store, '-o', file, input], { env: { SESSIONCTL_SCANNER: scanner } });
      expect(readFileSync(file).equals(slim)).toBe(true);
      copyFileSync(input, file);
      await run(['externalize', '--blobs', store, '-i', file], { env: { SESSIONCTL_SCANNER: scanner } });
      expect(readFileSync(file).equals(slim)).toBe(true);
      const back = await run(['inline', '--blobs', store, '-o', file, '-'], {
        stdin: [slim],
        env: { SESSIONCTL_SCANNER: scanner },
      });
      expect(readFileSync(file).equals(log)).toBe(true);
      const said = [out, back].map(({ code, stderr }) => `${code} ${stderr}`);
      results.add(JSON.stringify([said, createHash('sha256').update(slim).digest('hex'), readdirSync(store).sort()]));
    }
    expect(results.size).toBe(1);
  }, 60_000);
});
