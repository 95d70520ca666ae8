import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../bench/data.ts';
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
        expect({ path, command, ...((await outcome(argv, log, 'compiled')) as object) }).toEqual({ path, command, ...(plain as object) });
      }
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
      const out = await run(['externalize', '--blobs', store, '-o', file], { stdin: chunks, env: { SESSIONCTL_SCANNER: scanner } });
      const slim = readFileSync(file);
      const piped = await run(['externalize', '--blobs', store], { stdin: chunks, env: { SESSIONCTL_SCANNER: scanner } });
      expect(piped.stdoutBytes.equals(slim)).toBe(true);
      await run(['externalize', '--blobs', store, '-o', file, input], { env: { SESSIONCTL_SCANNER: scanner } });
      expect(readFileSync(file).equals(slim)).toBe(true);
      copyFileSync(input, file);
      await run(['externalize', '--blobs', store, '-i', file], { env: { SESSIONCTL_SCANNER: scanner } });
      expect(readFileSync(file).equals(slim)).toBe(true);
      const back = await run(['inline', '--blobs', store, '-o', file, '-'], { stdin: [slim], env: { SESSIONCTL_SCANNER: scanner } });
      expect(readFileSync(file).equals(log)).toBe(true);
      const said = [out, back].map(({ code, stderr }) => `${code} ${stderr}`);
      results.add(JSON.stringify([said, createHash('sha256').update(slim).digest('hex'), readdirSync(store).sort()]));
    }
    expect(results.size).toBe(1);
  }, 60_000);
});
