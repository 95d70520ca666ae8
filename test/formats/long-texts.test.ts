import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foreignFormats } from '../../src/formats/index.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { inMemory, memoryScratch, storeOf } from '../../src/log/byte-store.ts';
import { nativeForm } from '../../src/log/native-form.ts';
import { logSource } from '../../src/log/open-log.ts';
import type { ScannerKind } from '../../src/scanner/layout.ts';
import { makeRandom } from '../bench/texts.ts';
import { projectRoot } from '../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats');

const PIECES = ['a', 'word ', '\n', '"', '\\', 'ü', '漢', '🙂', '\u001b[0m', '\u0000', '\t', '{"output":"', ' ', '/'];

/** Any text, often of the length that decides whether it is cut, or kept. */
function anyText(random: () => number): string {
  const pieces = PIECES.filter(() => random() < 0.4);
  const most = [10, 700, 900, 2500, 4200, 9000][Math.floor(random() * 6)] ?? 0;
  let text = random() < 0.1 ? '{"output":"x","metadata":{"exit_code":1}}' : '';
  while (text.length < most) text += pieces[Math.floor(random() * pieces.length)] ?? 'plain ';
  return text;
}

const CUT = new Set(
  'content stdout stderr data originalFile thinking signature output aggregated_output encrypted_content'.split(' '),
);

/** The same record with other texts. */
function retold(record: JsonObject, random: () => number): string {
  return JSON.stringify(record, (key, value: unknown) => {
    if (typeof value !== 'string' || !CUT.has(key) || random() < 0.3) return value;
    return anyText(random);
  });
}

/** A log that is long enough for the scanner, retold from a fixture. */
function longLog(path: string, random: () => number): Buffer {
  const lines = readFileSync(join(folder, path), 'utf8').trim().split('\n');
  const told = lines.map((line) => retold(JSON.parse(line), random));
  const filler = JSON.stringify({ type: 'filler', payload: {}, content: 'x'.repeat(1_200_000) });
  const damaged = `{"type":"user","stdout":"${'y'.repeat(2000)}\u0001"}`;
  const half = `{"type":"user","stdout":"${'y'.repeat(2000)}\\ud83d","output":1.0}`;
  const spaced = `{ "type": "user", "stdout":"${'y'.repeat(2000)}" }\r`;
  return Buffer.from([...told.slice(0, 8), filler, ...told.slice(8), damaged, half, spaced, ''].join('\n'));
}

async function converted(log: Buffer, format: string, keep: 'meta' | 'raw', scanner: ScannerKind) {
  const known = foreignFormats.find(({ id }) => id === format);
  if (!known?.toNative) throw new Error(format);
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
  const source = logSource(storeOf(inMemory(log)), { name: '-', random, scanner });
  const options = { dialect: 'pi', keep, scratch: memoryScratch, onWarning: () => {} } as const;
  const form = await nativeForm(source, { toNative: known.toNative }, options);
  const chunks: Buffer[] = [];
  for await (const chunk of form.store.chunks()) chunks.push(Buffer.from(chunk));
  return { text: Buffer.concat(chunks).toString('utf8'), damage: form.damage, report: form.report };
}

describe('long texts', () => {
  const fixtures = ['claude-code/2.1.325', 'claude-code/2.1.100', 'codex/0.166.0', 'codex/0.98.0', 'codex/hand']
    .flatMap((version) => readdirSync(join(folder, version)).map((name) => `${version}/${name}`))
    .filter((path) => path.endsWith('.jsonl') && !path.includes('.native.'));

  it.each(['meta', 'raw'] as const)('go through a conversion as if all of them were read (--keep %s)', async (keep) => {
    const random = makeRandom(keep === 'raw' ? 1 : 2);
    for (const path of fixtures) {
      const log = longLog(path, random);
      const format = path.split('/')[0] ?? '';
      const [cut, read] = [await converted(log, format, keep, 'compiled'), await converted(log, format, keep, 'off')];
      expect(cut, path).toEqual(read);
    }
    expect(fixtures.length).toBeGreaterThan(50);
  });
});
