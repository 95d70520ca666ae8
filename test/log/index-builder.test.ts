import { describe, expect, it } from 'vitest';
import { readBlocks } from '../../src/lines/reader.ts';
import { IndexBuilder } from '../../src/log/index-builder.ts';
import { makeScanner, type Scanner } from '../../src/scanner/scanner.ts';
import { makeRandom } from '../bench/texts.ts';
import { mutated } from '../scanner/mutated-lines.ts';
import { HEADER } from '../support/sessions.ts';

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
      timestamp: pick(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'later']),
      message: pick([
        {
          role: pick(['user', 'assistant', 'toolResult', 'uses', 'assistand', 'toolResulu', '', 'h\u00e9']),
          content: 'x',
        },
        'no',
        {},
      ]),
    };
    if (random(12) === 0) entry['role'] = pick(['user', 'assistant']);
    for (const key of ['type', 'id', 'parentId', 'message']) if (random(12) === 0) delete entry[key];
    last = typeof entry['id'] === 'string' ? entry['id'] : last;
    let line = Buffer.from(`${pick(['', '', '', ' '])}${JSON.stringify(entry)}${pick(['', '', '', '\r', ' '])}`);
    if (isDamaged && random(10) === 0) line[random(line.length)] = pick([0x22, 0x5c, 0x7b, 0x7d, 0x20, 0x61, 0x00]);
    if (isDamaged && random(25) === 0) line = line.subarray(0, random(line.length));
    if (random(25) === 0) line = Buffer.from(JSON.stringify({ ...entry, data: 'long '.repeat(random(400)) }));
    lines.push(line);
  }
  return Buffer.concat(
    lines.flatMap((line, at) => (at === lines.length - 1 && random(2) === 0 ? [line] : [line, Buffer.from('\n')])),
  );
}

async function indexed(log: Buffer, pieceBytes: number, careful = false, scanner?: Scanner): Promise<IndexBuilder> {
  const builder = new IndexBuilder({ key: KEY, careful, look: () => 'enough' });
  builder.scanner = scanner;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < log.length; at += pieceBytes) yield log.subarray(at, at + pieceBytes);
  }
  for await (const piece of readBlocks(pieces())) builder.take(piece);
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
    id: index.idOf(at),
    repeats: index.repeatsId(at),
  }));
  const { repeatedIds, forwardParents, missingParents } = index;
  return {
    entries,
    repeatedIds,
    forwardParents,
    missingParents,
    damage,
    headerLines,
    header,
    titleSlot,
    endsWithNewline,
  };
}

describe('the index of a log', () => {
  it('is the same by the envelopes of the lines, by parsing them, and by the scanner, in pieces of any size', async () => {
    const random = randomNumbers(20261116);
    const scanner = makeScanner('compiled', KEY);
    let entries = 0;
    for (let round = 0; round < 400; round++) {
      const isDamaged = round % 2 === 0;
      const log = oddLog(random, isDamaged);
      // Which damaged lines get in, the envelope decides.
      const plain = await indexed(log, log.length, !isDamaged);
      expect(all(await indexed(log, 1 + random(6000)))).toEqual(all(plain));
      expect(all(await indexed(log, 1 + random(6000), !isDamaged, scanner))).toEqual(all(plain));
      entries += plain.index.size;
    }
    expect(entries).toBeGreaterThan(10_000);
  });

  it('is the same by the scanner on logs made of mutated lines, with care and without', async () => {
    const random = makeRandom(5);
    const scanner = makeScanner('compiled', KEY);
    for (let round = 0; round < 40; round++) {
      const lines = Array.from({ length: 200 }, () => mutated(random).toString('utf8'));
      const log = Buffer.from(`${HEADER}${lines.join('\n')}\n`);
      for (const careful of [false, true])
        expect(all(await indexed(log, log.length, careful, scanner))).toEqual(
          all(await indexed(log, log.length, careful)),
        );
    }
  });

  it('has no damaged line where every line is parsed, whether the scanner looks first or not', async () => {
    const entry = (id: string, data: string): string =>
      `{"type":"custom","id":"${id}","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"x","data":${data}}\n`;
    const log = Buffer.from(
      `{"type":"session","version":3,"id":"head"}\n${entry('a', '{"n":1}')}${entry('b', '{"n":nul}')}`,
    );
    const scanner = makeScanner('compiled', KEY);
    for (const used of [undefined, scanner]) {
      const careful = await indexed(log, log.length, true, used);
      expect([careful.index.size, careful.damage]).toEqual([1, [{ line: 3, rule: expect.any(String) }]]);
      const quick = await indexed(log, log.length, false, used);
      expect([quick.index.size, quick.damage]).toEqual([2, []]);
    }
  });

  it('keeps the names of as many roles and types as it has room for', async () => {
    const lines = Array.from(
      { length: 300 },
      (_, at) => `{"type":"t${at}","id":"${at}","parentId":null,"message":{"role":"r${at}"}}\n`,
    );
    const log = Buffer.from(`{"type":"session","version":3,"id":"head"}\n${lines.join('')}`);
    const { index } = await indexed(log, 1000);
    const named = Array.from({ length: index.size }, (_, at) => [index.typeOf(at), index.roleOf(at)]);
    expect(named).toEqual(lines.map((_, at) => (at < 254 ? [`t${at}`, `r${at}`] : ['', ''])));
  });
});
