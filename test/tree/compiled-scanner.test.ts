import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EnvelopeScanner, envelopeOf, type LineScanner, rangeText } from '../../src/entries/envelope.ts';
import { isObject } from '../../src/entries/json-value.ts';
import { type CompiledScanner, compiledScanner } from '../../src/tree/compiled-scanner.ts';
import { jsonText, space } from '../support/json-text.ts';
import { settings } from '../support/properties.ts';

const compiled = compiledScanner(64 * 1024) as CompiledScanner;
const plain = new EnvelopeScanner();

/** Puts a line into the scanner's memory, something before and behind it, and looks for its envelope. */
function scan(line: Buffer, from = 7): boolean {
  const buffer = compiled.buffers[from % 2] as Buffer;
  buffer.fill('"', from - 1, from);
  line.copy(buffer, from);
  buffer.write('\n"}]', from + line.length, 'latin1');
  return compiled.scan(buffer, from, from + line.length);
}

function found({ bytes, typeStart, typeEnd, idStart, idEnd, parentStart, parentEnd, roleStart, roleEnd }: LineScanner) {
  return {
    type: rangeText(bytes, typeStart, typeEnd),
    id: rangeText(bytes, idStart, idEnd),
    parentId: rangeText(bytes, parentStart, parentEnd),
    role: rangeText(bytes, roleStart, roleEnd),
  };
}

function parsed(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const envelope = envelopeOf(value);
    return { ...envelope, parentId: envelope.parentId ?? undefined };
  } catch {
    return undefined;
  }
}

/** A key with each of its characters spelled as an escape. */
function escaped(key: string): string {
  return `"${Array.from({ length: key.length }, (_, at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('the compiled scanner', () => {
  it('runs here', () => {
    expect(compiled).toBeDefined();
  });

  it('finds what JSON.parse finds, or says that the line is to be parsed', () => {
    let accepted = 0;
    fc.assert(
      fc.property(jsonText, space, space, fc.integer({ min: 1, max: 40 }), (text, before, after, from) => {
        const line = (before + text + after).replaceAll('\n', ' ');
        if (!scan(Buffer.from(line), from)) return;
        accepted++;
        expect(found(compiled)).toEqual(parsed(line));
      }),
      settings(5000),
    );
    expect(accepted).toBeGreaterThan(1000);
  });

  it('accepts the lines that agents write', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'caf\u00e9 "quoted" \\ {[' },
        { type: 'toolCall', id: 'x' },
      ],
      timestamp: 1.5e12,
    };
    for (const entry of [
      { type: 'message', id: 'a1b2c3d4', parentId: null, timestamp: 't', message },
      { type: 'message', id: 'a1b2c3d4', parentId: 'b', timestamp: 't', message: { content: 'x'.repeat(1000), role: 'user' } },
      { timestamp: 't', data: [1, true, null, {}], parentId: 'b', id: 'c', type: 'custom' },
    ]) {
      const line = JSON.stringify(entry);
      expect(scan(Buffer.from(line))).toBe(true);
      expect(found(compiled)).toEqual(parsed(line));
      expect(scan(Buffer.from(`${line}\r`))).toBe(true);
    }
  });

  it('agrees with its twin on 100,000 lines with bytes changed, added and taken away', () => {
    let seed = 20261116;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const lines = fc.sample(jsonText, settings(400) as fc.Parameters<string>).map((text) => Buffer.from(text.replaceAll('\n', ' ')));
    lines.push(
      Buffer.from('{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":[{"type":"text","text":"x"}]},"id":"c"}'),
    );
    const bytes = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a, 0x20, 0x09, 0x0d, 0x00, 0x1f, 0x7f, 0x80, 0xff, 0x61, 0x6e, 0x30, 0x75];
    let accepted = 0;
    for (let round = 0; round < 100_000; round++) {
      let line = Buffer.from(lines[random(lines.length)] as Buffer);
      for (let change = random(3); change >= 0; change--) {
        const at = random(line.length + 1);
        const kind = random(3);
        if (kind === 0 && at < line.length) line[at] = bytes[random(bytes.length)] as number;
        else if (kind === 1)
          line = Buffer.concat([line.subarray(0, at), Buffer.from([bytes[random(bytes.length)] as number]), line.subarray(at)]);
        else line = Buffer.concat([line.subarray(0, at), line.subarray(at + 1 + random(4))]);
      }
      if (!scan(line, 1 + random(40))) continue;
      accepted++;
      const compiledFound = found(compiled);
      const isSame = plain.scan(line, 0, line.length) && JSON.stringify(found(plain)) === JSON.stringify(compiledFound);
      // The twin gives up where a string that counts holds a DEL.
      if (!isSame && !line.includes(0x7f)) expect.fail(line.toString('latin1'));
      const value = parsed(line.toString('utf8'));
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify({ ...compiledFound })) expect.fail(line.toString('latin1'));
    }
    expect(accepted).toBeGreaterThan(5000);
  });

  it('reads messages that start with their role, wherever quotes, backslashes and brackets fall', () => {
    const piece = fc.constantFrom(
      '"',
      '\\',
      '\\\\',
      '\\"',
      '{',
      '}',
      '[',
      ']',
      'role',
      '"role":"x"',
      '\n',
      '\u001b',
      'r',
      'ro',
      'text '.repeat(13),
      '\u00e9',
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(text, fc.constantFrom('role', 'content', 'type')), tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    const members = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('role', 'reason', 'content')), value), { maxLength: 6 });
    let accepted = 0;
    fc.assert(
      fc.property(members, fc.boolean(), fc.integer({ min: 1, max: 70 }), (all, escapes, from) => {
        // A key may be there twice, and may be spelled with escapes.
        const written = all.map(([key, one]) => `${escapes ? escaped(key) : JSON.stringify(key)}:${JSON.stringify(one)}`);
        const line = `{"type":"message","id":"a","message":{${['"role":"user"', ...written].join(',')}},"parentId":"b"}`;
        if (!scan(Buffer.from(line), from)) return;
        accepted++;
        expect(found(compiled)).toEqual(parsed(line));
        expect(plain.scan(Buffer.from(line), 0, Buffer.byteLength(line))).toBe(true);
      }),
      settings(3000),
    );
    expect(accepted).toBeGreaterThan(1000);
  });

  it('agrees with its twin on 100,000 damaged messages of several hundred bytes', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const bytes = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a, 0x20, 0x09, 0x0d, 0x1f, 0x80, 0x72, 0x75];
    const texts = ['x', 'a "b" c\\', '\\\\"'.repeat(9), 'word '.repeat(30), '{"role":"x"}'.repeat(4), 'r', 'ro', '\u0007'];
    let accepted = 0;
    for (let round = 0; round < 100_000; round++) {
      const text = (): string => texts[random(texts.length)] as string;
      const message = {
        role: 'user',
        content: [{ type: 'text', text: text() }, { [text()]: [text(), {}] }],
        [text()]: text(),
        usage: { in: 1 },
      };
      const line = Buffer.from(JSON.stringify({ type: 'message', id: 'a', message, data: [text(), [{}]], parentId: 'b' }));
      for (let change = random(3); change > 0; change--) line[random(line.length)] = bytes[random(bytes.length)] as number;
      if (!scan(line, 1 + random(70))) continue;
      accepted++;
      const compiledFound = JSON.stringify(found(compiled));
      if (!plain.scan(line, 0, line.length) || JSON.stringify(found(plain)) !== compiledFound) expect.fail(line.toString('latin1'));
      const value = parsed(line.toString('utf8'));
      if (value !== undefined && JSON.stringify(value) !== compiledFound) expect.fail(line.toString('latin1'));
    }
    expect(accepted).toBeGreaterThan(30_000);
  });

  it('leaves lines that lie elsewhere or have no newline to its twin', () => {
    const line = Buffer.from('{"type":"message","id":"a","parentId":"b"}');
    expect(compiled.scan(line, 0, line.length)).toBe(true);
    expect(found(compiled)).toEqual({ type: 'message', id: 'a', parentId: 'b', role: undefined });
    const [buffer] = compiled.buffers;
    line.copy(buffer, 0);
    buffer[line.length] = 0x20;
    expect(compiled.scan(buffer, 0, line.length)).toBe(true);
    expect(found(compiled).id).toBe('a');
  });

  it('does not run past the end of a line that does not end as it should', () => {
    const [buffer] = compiled.buffers;
    for (const text of [
      '{"a',
      '{"a\\',
      '{"a":"\\',
      '{"a":[',
      '{"a":[1',
      '{"message":{"role"',
      '{"message":{',
      '{"id":tr',
      '{',
      '{"a":1',
      '{"a":1,',
      ' ',
      '',
    ]) {
      buffer.write(`${text}\n"}]}"}]}`, 0, 'latin1');
      expect(compiled.scan(buffer, 0, text.length), text).toBe(false);
    }
  });
});
