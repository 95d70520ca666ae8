import { describe, expect, it } from 'vitest';
import { type RangeReader, readRanges } from '../../src/lines/ranges.ts';
import { type CompiledScanner, compiledScanner } from '../../src/tree/compiled-scanner.ts';
import { IndexBuilder } from '../../src/tree/index-builder.ts';

const KEY = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

function randomNumbers(start: number): (below: number) => number {
  let seed = start;
  return (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

/** A log of all sorts of lines: entries with parents before, behind, missing; ids of several kinds, some twice; headers; damage. */
function oddLog(random: (below: number) => number, isDamaged: boolean): Buffer {
  const pick = <Of>(from: readonly Of[]): Of => from[random(from.length)] as Of;
  const ids = Array.from({ length: 40 }, (_, at) =>
    pick([
      at.toString(16).padStart(8, '0'),
      `id-${at}`,
      `${at}`.repeat(9),
      'ABCDEF12',
      `0000000${'abcdefg'[at % 7]}`,
      'h\u00e9',
      'head',
      '',
    ]),
  );
  const lines: Buffer[] = [Buffer.from('{"type":"session","version":3,"id":"head","timestamp":"t","cwd":"/"}')];
  let last = '';
  for (let count = random(120); count >= 0; count--) {
    const id = pick(ids);
    const entry: Record<string, unknown> = {
      type: pick([
        'message',
        'message',
        'message',
        'custom',
        'label',
        'title',
        'titles',
        'session',
        'sessions',
        'massage',
        'h\u00e9',
        '',
        7,
      ]),
      id: pick([id, id, id, id, id, null, 3]),
      parentId: pick([last, last, last, last, pick(ids), null, 'nobody', 'head', 5]),
      message: pick([
        { role: pick(['user', 'assistant', 'toolResult', 'uses', 'assistand', 'toolResulu', '', 'h\u00e9']), content: 'x' },
        'no',
        {},
      ]),
    };
    for (const key of ['type', 'id', 'parentId', 'message']) if (random(12) === 0) delete entry[key];
    last = typeof entry['id'] === 'string' ? entry['id'] : last;
    let line = Buffer.from(`${pick(['', '', '', ' '])}${JSON.stringify(entry)}${pick(['', '', '', '\r', ' '])}`);
    if (isDamaged && random(10) === 0) line[random(line.length)] = pick([0x22, 0x5c, 0x7b, 0x7d, 0x20, 0x61, 0x00]);
    if (isDamaged && random(25) === 0) line = line.subarray(0, random(line.length));
    if (random(25) === 0) line = Buffer.from(JSON.stringify({ ...entry, data: 'long '.repeat(random(400)) }));
    lines.push(line);
  }
  return Buffer.concat(lines.flatMap((line, at) => (at === lines.length - 1 && random(2) === 0 ? [line] : [line, Buffer.from('\n')])));
}

async function indexed(
  log: Buffer,
  pieces: (left: number) => number,
  compiled: CompiledScanner | undefined,
  together = compiled !== undefined,
): Promise<IndexBuilder> {
  const builder = new IndexBuilder({ key: KEY, careful: false, look: () => 'enough', compiled });
  let at = 0;
  const source = {
    read: async (buffer: Buffer) => {
      const bytes = log.copy(buffer, 0, at, Math.min(log.length, at + Math.max(1, Math.min(buffer.length, pieces(log.length - at)))));
      at += bytes;
      return bytes;
    },
  };
  const lineByLine: RangeReader = {
    line: (...line) => builder.line(...line),
    oversize: (...line) => builder.oversize(...line),
  };
  await readRanges(source, together ? builder : lineByLine, compiled ? { buffers: compiled.buffers } : {});
  builder.index.finish();
  return builder;
}

function all({ index, damage, headerLines, header, titleSlot, endsWithNewline }: IndexBuilder) {
  const entries = Array.from({ length: index.size }, (_, at) => ({
    line: index.lineOf(at),
    offset: index.offsetOf(at),
    length: index.lengthOf(at),
    type: index.typeOf(at),
    role: index.roleOf(at),
    parent: index.parentOf(at),
    last: index.lastDefinition(at),
    hasId: index.hasId(at),
    packed: index.packedId(at),
    repeats: index.repeatsId(at),
  }));
  const { repeatedIds, forwardParents, missingParents } = index;
  return { entries, repeatedIds, forwardParents, missingParents, damage, headerLines, header, titleSlot, endsWithNewline };
}

describe('the index of a log', () => {
  it('is the same with the compiled scanner, which takes many lines at once, and without', async () => {
    const compiled = compiledScanner(4096) as CompiledScanner;
    const random = randomNumbers(20261116);
    let entries = 0;
    let together = 0;
    const scanLines = compiled.scanLines.bind(compiled);
    compiled.scanLines = (start, end) => {
      const lines = scanLines(start, end);
      together += lines;
      return lines;
    };
    for (let round = 0; round < 400; round++) {
      const isDamaged = round % 2 === 0;
      const log = oddLog(random, isDamaged);
      const size = 1 + random(6000);
      // Which damaged lines get in, each scanner decides for itself.
      const plain = await indexed(log, () => size, isDamaged ? compiled : undefined, false);
      expect(all(await indexed(log, () => size, compiled))).toEqual(all(plain));
      entries += plain.index.size;
      for (const id of ['00000001', 'id-2', 'ABCDEF12', 'h\u00e9', 'head', '']) {
        expect((await indexed(log, () => size, compiled)).index.definitions(id)).toEqual(plain.index.definitions(id));
      }
    }
    expect(entries).toBeGreaterThan(10_000);
    expect(together).toBeGreaterThan(10_000);
  });

  it('is the same where more lines stand in a buffer than the scanner lists at once', async () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, at) => `{"type":"custom","id":"${at}","parentId":${at === 0 ? null : `"${at - 1}"`}}\n`,
    );
    const log = Buffer.from(`{"type":"session","version":3,"id":"head"}\n${lines.join('')}`);
    const whole = compiledScanner(1024 * 1024) as CompiledScanner;
    let first = true;
    // The first piece is looked at line by line.
    const pieces = (left: number): number => {
      const size = first ? 50 : left;
      first = false;
      return size;
    };
    const builder = await indexed(log, pieces, whole);
    expect(builder.index.size).toBe(10_000);
    expect(all(builder)).toEqual(all(await indexed(log, (left) => left, undefined)));
    expect(builder.index.parentOf(9999)).toBe(9998);
    expect(builder.index.parentOf(4096)).toBe(4095);
  });

  it('keeps the names of as many roles and types as it has room for, none taken by one that is not met', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `{"type":"t${at}","id":"${at}","parentId":null,"message":{"role":"r${at}"}}\n`);
    const log = Buffer.from(`{"type":"session","version":3,"id":"head"}\n${lines.join('')}`);
    for (const compiled of [compiledScanner(1024 * 1024), undefined]) {
      const { index } = await indexed(log, (left) => Math.min(left, 1000), compiled);
      const named = Array.from({ length: index.size }, (_, at) => [index.typeOf(at), index.roleOf(at)]);
      expect(named).toEqual(lines.map((_, at) => (at < 254 ? [`t${at}`, `r${at}`] : ['', ''])));
    }
  });
});
