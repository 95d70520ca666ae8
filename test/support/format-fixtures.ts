import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogFormat } from '../../src/formats/format.ts';
import { version } from '../../src/util/version.ts';
import { memorySource, type NativeText, nativeTextOf, nativeTextOfFile } from './native-form.ts';
import { settings } from './properties.ts';
import { projectRoot, run } from './run.ts';
import { scratchFolder } from './scratch.ts';

interface FormatFixtures {
  readonly format: LogFormat;
  /** Which files of fixtures/formats/<format> are logs. */
  readonly isLog: RegExp;
  readonly recordsIn: (text: string) => number;
  /** Changes a log in a way that may damage it, by two numbers from 0 to 1. */
  readonly damage: (text: string, at: number, where: number) => string;
}

const sum = ({ mapped, merged, custom, dropped }: NativeText['report']['counts']): number =>
  mapped + merged + custom + dropped;

/** What holds for the native form of every log of a format, and for damaged ones. */
export function describeNativeForm({ format, isLog, recordsIn, damage }: FormatFixtures): void {
  const folder = join(projectRoot, 'fixtures/formats', format.id);
  const scratch = scratchFolder();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => isLog.test(name) && !name.endsWith('.native.jsonl'))
    .sort();
  const contents = files.map((name) => readFileSync(join(folder, name)));

  describe(`${format.title} in its native form`, () => {
    it.each(files)('is the one beside it, twice the same, and every record is accounted for: %s', async (name) => {
      const path = join(folder, name);
      const native = await nativeTextOfFile(format, path);
      const text = `${native.lines.join('\n')}\n`.replace(`"toolVersion":"${version}"`, '"toolVersion":"0"');
      await expect(text).toMatchFileSnapshot(path.replace(/\.\w+$/, '.native.jsonl'));
      expect(await nativeTextOfFile(format, path)).toEqual(native);
      const { counts } = native.report;
      expect(counts.records, 'each record once, by count or keep').toBe(recordsIn(readFileSync(path, 'utf8')));
      expect(sum(counts)).toBe(counts.records);
      expect(native.leftOut).toEqual([]);
    });

    it.each(files)('validates without an error in both dialects: %s', async (name) => {
      const path = join(scratch, 'native.jsonl');
      for (const dialect of ['pi', 'omp'] as const) {
        const { lines } = await nativeTextOfFile(format, join(folder, name), { dialect });
        writeFileSync(path, `${lines.join('\n')}\n`);
        const { stdout } = await run(['validate', '--format', 'json', path]);
        expect(stdout).not.toContain('"severity":"error"');
      }
    });

    it('is the same however the bytes come', async () => {
      const expected = await Promise.all(contents.map((bytes) => nativeTextOf(format, memorySource(bytes))));
      await fc.assert(
        fc.asyncProperty(fc.nat(contents.length - 1), fc.integer({ min: 1, max: 3000 }), async (at, chunkBytes) => {
          const source = memorySource(contents[at] as Buffer, { chunkBytes });
          expect(await nativeTextOf(format, source)).toEqual(expected[at]);
        }),
        settings(40),
      );
    });

    it('accounts for every record of a damaged log, and validates', async () => {
      const unit = fc.double({ min: 0, max: 1, noNaN: true });
      const changes = fc.array(fc.tuple(unit, unit), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(fc.nat(contents.length - 1), changes, async (which, places) => {
          let text = String(contents[which]);
          for (const [at, where] of places) text = damage(text, at, where);
          const native = await nativeTextOf(format, memorySource(Buffer.from(text)));
          const { counts } = native.report;
          expect(sum(counts)).toBe(counts.records);
          const { stdout } = await run(['validate', '--from', 'pi', '--format', 'json'], {
            stdin: `${native.lines.join('\n')}\n`,
          });
          expect(stdout).not.toContain('"severity":"error"');
        }),
        settings(60),
      );
    });
  });
}

/** Drops, repeats, cuts or swaps a line. */
export function damageLines(text: string, at: number, where: number): string {
  const lines = text.split('\n');
  const [one, other] = [Math.floor(at * lines.length), Math.floor(where * lines.length)];
  const line = lines[one] ?? '';
  const how = Math.floor(at * 997) % 4;
  if (how === 0) lines.splice(one, 1);
  if (how === 1) lines.splice(other, 0, line);
  if (how === 2) lines[one] = line.slice(0, Math.floor(where * line.length));
  if (how === 3) [lines[one], lines[other]] = [lines[other] ?? '', line];
  return lines.join('\n');
}
