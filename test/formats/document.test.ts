import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/formats/document.ts';
import type { JsonObject } from '../../src/json/value.ts';

interface Reading {
  readonly header: JsonObject | undefined;
  readonly elements: readonly JsonObject[];
  readonly lines: readonly number[];
  readonly damage: readonly (readonly [line: number, damage: string, records: number])[];
}

async function read(text: string | Buffer, cuts: readonly number[] = []): Promise<Reading> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Buffer> {
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    // The memory of a chunk is used again, as that of a file is.
    const memory = Buffer.alloc(bytes.length);
    for (let at = 1; at < places.length; at++) {
      const length = bytes.copy(memory, 0, places[at - 1], places[at]);
      yield memory.subarray(0, length);
      memory.fill(0);
    }
  }
  const damage: [number, string, number][] = [];
  const records: { value: JsonObject; line: number }[] = [];
  for await (const some of readDocument({ chunks }, chunks(), 'messages', (...one) => damage.push(one)))
    records.push(...some);
  const [header, ...rest] = records;
  return {
    header: header?.value,
    elements: rest.map(({ value }) => value),
    lines: rest.map(({ line }) => line),
    damage,
  };
}

describe('a JSON document', () => {
  it('is read as its members and the elements of its list, each with its line', async () => {
    const text =
      '{\n "id": "a, ]}",\n "messages": [\n  {"n": 1},\n\n  {"n": {"messages": [2]}}\n ],\n "end": [1, "\\"]"]\n}\n';
    expect(await read(text)).toEqual({
      header: { id: 'a, ]}', end: [1, '"]'] },
      elements: [{ n: 1 }, { n: { messages: [2] } }],
      lines: [4, 6],
      damage: [],
    });
  });

  it('may be the list itself', async () => {
    expect(await read('[{"a":1},{"b":[{}]}]')).toMatchObject({
      header: {},
      elements: [{ a: 1 }, { b: [{}] }],
      damage: [],
    });
  });

  it('gives the same for any JSON in it and any chunks of it', async () => {
    const element = fc.dictionary(fc.string(), fc.jsonValue());
    const document = fc.record({ before: fc.jsonValue(), messages: fc.array(element), after: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(document, fc.array(fc.nat()), fc.constantFrom(0, 1, '\t'), async (value, cuts, space) => {
        const found = await read(JSON.stringify(value, null, space), cuts);
        const { messages, ...header } = JSON.parse(JSON.stringify(value)) as typeof value;
        expect(found).toMatchObject({ header, elements: messages, damage: [] });
      }),
    );
  });

  it('that is torn gives the elements before the tear, and says where it is', async () => {
    expect(await read('{"id":1,"messages":[{"a":1},\n{"b":"x')).toEqual({
      header: { id: 1 },
      elements: [{ a: 1 }],
      lines: [1],
      damage: [[2, 'torn-line', 1]],
    });
    expect((await read('{"id":1,"messages":[{"a":1},')).damage).toEqual([[1, 'torn-line', 0]]);
  });

  it('loses no more than the element that is damaged', async () => {
    const bad = Buffer.concat([
      Buffer.from('{"messages":[{"a":1},\n{"b":"'),
      Buffer.from([0xff]),
      Buffer.from('"},\n{c:1},3,{"d":1}]} x'),
    ]);
    expect(await read(bad)).toMatchObject({
      elements: [{ a: 1 }, { d: 1 }],
      damage: [
        [2, 'invalid-utf8', 1],
        [3, 'not-json', 1],
        [3, 'not-json', 1],
        [3, 'not-json', 1],
      ],
    });
  });

  it('keeps numbers as they are written', async () => {
    const { elements } = await read('{"messages":[{"n":12345678901234567890}]}');
    expect(JSON.stringify(elements[0])).toContain('12345678901234567890');
  });

  it('never throws or hangs, whatever the bytes are', async () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', ':', '"messages"', ' ', '\n', '1', 'x', '\ufeff'),
    );
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(fc.nat()), async (parts, cuts) => {
        const whole = await read(parts.join(''));
        expect(await read(parts.join(''), cuts)).toEqual(whole);
      }),
    );
  });
});
