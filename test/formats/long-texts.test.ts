import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingSource } from '../../src/formats/counting-source.ts';
import type { LogFormat } from '../../src/formats/format.ts';
import { foreignFormats } from '../../src/formats/index.ts';
import { LongTexts } from '../../src/formats/long-texts.ts';
import { NativeWriter } from '../../src/formats/native-writer.ts';
import { readRecords } from '../../src/formats/records.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { memoryScratch, type RandomAccess, storeOf } from '../../src/log/byte-store.ts';
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
  const reported = lines.map((line) => retold(JSON.parse(line), random));
  const filler = JSON.stringify({ type: 'filler', payload: {}, content: 'x'.repeat(1_200_000) });
  const damaged = `{"type":"user","stdout":"${'y'.repeat(2000)}\u0001"}`;
  const half = `{"type":"user","stdout":"${'y'.repeat(2000)}\\ud83d","output":1.0}`;
  const spaced = `{ "type": "user", "stdout":"${'y'.repeat(2000)}" }\r`;
  return Buffer.from([...reported.slice(0, 8), filler, ...reported.slice(8), damaged, half, spaced, ''].join('\n'));
}

type ToNative = NonNullable<LogFormat['toNative']>;

function toNativeOf(format: string): ToNative {
  const known = foreignFormats.find(({ id }) => id === format);
  if (!known?.toNative) throw new Error(format);
  return known.toNative;
}

async function converted(log: Buffer, toNative: ToNative, keep: 'meta' | 'raw', scanner: ScannerKind) {
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
  const file: RandomAccess = {
    read: async (buffer, offset, length, at) => ({ bytesRead: log.copy(buffer, offset, at, at + length) }),
  };
  const source = logSource(storeOf(file), { name: '-', random, scanner });
  const options = { dialect: 'pi', keep, scratch: memoryScratch, onWarning: () => {} } as const;
  const form = await nativeForm(source, { toNative }, options);
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
      const toNative = toNativeOf(path.split('/')[0] ?? '');
      const [cut, read] = [
        await converted(log, toNative, keep, 'compiled'),
        await converted(log, toNative, keep, 'off'),
      ];
      expect(cut, path).toEqual(read);
    }
    expect(fixtures.length).toBeGreaterThan(50);
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, 85)],
    ['asked for too late', (text: string, before: string | undefined) => before ?? text],
    ['used as the title', (text: string) => text],
  ])('are read in full where one is %s', async (name, use) => {
    const lines = Array.from({ length: 1500 }, (_, at) => JSON.stringify({ type: 'x', content: `${at} `.repeat(400) }));
    const toNative: ToNative = async (source, sink, options) => {
      const { chunks, facts } = countingSource(source);
      const texts = new LongTexts(source, /"content":$/);
      const writer = new NativeWriter({ id: 'x' }, source, sink, options, '1', texts);
      const seen: string[] = [];
      for await (const batch of readRecords(chunks, () => {}, texts))
        for (const { value, line, textsBefore } of batch) {
          texts.forgetBefore(textsBefore);
          seen.push(String(value['content']));
          if (name !== 'used as the title') writer.custom('x', use(seen.at(-1) ?? '', seen.at(-2)), { line });
        }
      writer.end({ id: '1', time: 0, cwd: '/', title: seen.at(-9) }, facts());
    };
    const log = Buffer.from(`${lines.join('\n')}\n`);
    const cut = await converted(log, toNative, 'meta', 'compiled');
    expect(cut.text).not.toMatch(/text-0707/);
    expect(cut).toEqual(await converted(log, toNative, 'meta', 'off'));
  });
});
