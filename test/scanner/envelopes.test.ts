import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Envelope, findEnvelope } from '../../src/json/envelope.ts';
import { FIELD, FIELDS, ROLE_NAMES, TYPE_NAMES } from '../../src/scanner/layout.ts';
import { makeScanner } from '../../src/scanner/scanner.ts';
import { makeRandom } from '../bench/texts.ts';
import { settings } from '../support/properties.ts';
import { mutated, SEEDS } from './mutated-lines.ts';

/** By line: the envelope that the scanner finds; undefined where it leaves the line to others. */
function envelopes(lines: readonly Buffer[]): (Envelope | undefined)[] {
  const scanner = makeScanner('compiled', Buffer.from('12345678'));
  const block = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  if (!scanner?.load(block)) throw new Error('no scanner');
  const found: (Envelope | undefined)[] = [];
  for (let from = 0; from < block.length; ) {
    const count = scanner.scanEnvelopes(from);
    for (let line = 0; line < count; line++) {
      const field = (name: keyof typeof FIELD): number => scanner.records[line * FIELDS + FIELD[name]] as number;
      const text = (start: number, length: number): string | undefined =>
        length < 0 ? undefined : block.toString('latin1', start, start + length);
      expect(field('start')).toBe(from);
      from += field('length') + 1;
      const role = (field('codes') >> 4) & 15;
      found.push(
        field('accepted') === 0
          ? undefined
          : {
              type: TYPE_NAMES[field('codes') & 15],
              id: text(field('idStart'), field('idLength')),
              parentId: text(field('parentStart'), field('parentLength')),
              role: role === 0 ? undefined : (ROLE_NAMES[role] ?? 'unknown'),
            },
      );
    }
  }
  expect(found.length).toBe(lines.length);
  return found;
}

/** The same as the plain path finds it. */
function plain(line: Buffer): Envelope | undefined {
  const envelope = findEnvelope(line.toString('latin1'));
  const isUnknown = envelope?.role !== undefined && !ROLE_NAMES.slice(1).includes(envelope.role);
  return envelope && { ...envelope, role: isUnknown ? 'unknown' : envelope.role };
}

function expectAgreement(lines: readonly Buffer[]): number {
  let accepted = 0;
  for (const [at, envelope] of envelopes(lines).entries()) {
    if (!envelope) continue;
    accepted++;
    const line = lines[at] as Buffer;
    expect(envelope, line.toString()).toEqual(plain(line));
  }
  return accepted;
}

/** A message around some JSON, wherever that starts. */
function lineWith(json: string, before = ''): Buffer {
  return Buffer.from(
    `{"x":"${before}","type":"message","id":"a","parentId":null,"y":${json},"message":{"role":"user","content":[${json}]}}`,
  );
}

describe('the envelopes that the scanner finds', () => {
  it('are those of the plain path on 100,000 mutated lines', () => {
    const random = makeRandom(11);
    const accepted = expectAgreement(Array.from({ length: 100_000 }, () => mutated(random)));
    expect(accepted).toBeGreaterThan(30_000);
  }, 300_000);

  it('are found in every healthy line of the types that it knows', () => {
    const known = SEEDS.filter((line) => !line.includes('"type":"label"')).map((line) => Buffer.from(line));
    expect(expectAgreement(known)).toBe(known.length);
  });

  it('do not depend on where strings, escapes and brackets are', () => {
    const piece = fc.constantFrom('\\\\', '\\"', '\\n', '{', '}', '[', ']', 'é', 'a'.repeat(15), 'b'.repeat(61), ' ');
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => `"${pieces.join('')}"`);
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.array(tie('json'), { maxLength: 4 }).map((list) => `[${list.join(',')}]`),
        fc.tuple(text, tie('json')).map(([key, value]) => `{${key}:${value}}`),
      ),
    }));
    fc.assert(
      fc.property(json, fc.nat(130), (value, before) => {
        const line = lineWith(value, 'z'.repeat(before));
        JSON.parse(line.toString());
        expect(envelopes([line])).toEqual([{ type: 'message', id: 'a', parentId: undefined, role: 'user' }]);
        // What is cut off or runs on is not taken for a whole line, nor does it reach into the next one.
        const torn = line.subarray(0, line.length - 1);
        const [first, second] = envelopes([torn, Buffer.concat([line, Buffer.from('}')])]);
        expect([first, second]).toEqual([undefined, undefined]);
      }),
      settings(500),
    );
  });

  it('need a line that ends where its object ends, at any cut', () => {
    const line = lineWith('{"k":["\\\\",{"l":"\\""}]}');
    const cuts = Array.from({ length: line.length }, (_, length) => line.subarray(0, length));
    expect(envelopes(cuts).every((one) => one === undefined)).toBe(true);
  });
});
