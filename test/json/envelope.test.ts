import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeOf, findEnvelope } from '../../src/json/envelope.ts';
import { isObject } from '../../src/json/value.ts';
import { jsonText, space } from '../support/json-text.ts';
import { settings } from '../support/properties.ts';

/** What JSON.parse says, for a text; a parent that is null is none. */
function parsed(text: string) {
  const value: unknown = JSON.parse(text);
  const envelope = isObject(value) ? envelopeOf(value) : undefined;
  return envelope && { ...envelope, parentId: envelope.parentId ?? undefined };
}

function found(text: string) {
  return findEnvelope(Buffer.from(text, 'utf8').toString('latin1')) ?? parsed(text);
}

function scans(text: string): boolean {
  return findEnvelope(Buffer.from(text, 'utf8').toString('latin1')) !== undefined;
}

describe('envelope', () => {
  it('finds in every line what JSON.parse finds, whatever the keys, their order, repeats, escapes and nesting', () => {
    let scanned = 0;
    fc.assert(
      fc.property(jsonText, space, space, (text, before, after) => {
        const line = before + text + after;
        if (scans(line)) scanned++;
        expect(found(line)).toEqual(parsed(line));
      }),
      settings(4000),
    );
    expect(scanned).toBeGreaterThan(1000);
  });

  it('finds the envelope of usual lines without parsing them', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'a "quoted" text with \\ and { and id' },
        { type: 'toolCall', id: 'x' },
      ],
    };
    const usual = { type: 'message', id: 'a1b2c3d4', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message };
    const line = JSON.stringify(usual);
    expect(scans(line)).toBe(true);
    expect(scans(`${line}\r`)).toBe(true);
    expect(scans(JSON.stringify(usual, null, 1).replaceAll('\n', ' '))).toBe(true);
    expect(found(line)).toEqual({ type: 'message', id: 'a1b2c3d4', parentId: undefined, role: 'assistant' });
    const images = {
      ...usual,
      message: { role: 'user', content: [{ type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' }] },
    };
    expect(scans(JSON.stringify(images))).toBe(true);
    expect(scans('{"message":{"role":"user"},"parentId":"p","id":"i","type":"message"}')).toBe(true);
  });

  it('takes the last of repeated keys, also behind a large value', () => {
    const big = JSON.stringify({
      role: 'user',
      content: 'x'.repeat(5000),
      id: 'nested',
      type: 'nested',
      parentId: 'nested',
    });
    const line = `{"type":"a","id":"first","parentId":"p","message":${big},"id":"second","parentId":null,"type":"b","message":{"role":"tool","role":"user"}}`;
    expect(found(line)).toEqual({ type: 'b', id: 'second', parentId: undefined, role: 'user' });
    expect(scans(line)).toBe(true);
    expect(found(`{"id":"a","\\u0069d":"b"}`)?.id).toBe('b');
    expect(found(`{"id":"a","id":5}`)?.id).toBeUndefined();
    expect(found(`{"message":{"role":"user"},"message":7}`)?.role).toBeUndefined();
    expect(found(`{"message":{"r\\u006fle":"x"}}`)?.role).toBe('x');
    expect(found(`{"__proto__":{"id":"x","type":"y"}}`)).toEqual({
      type: undefined,
      id: undefined,
      parentId: undefined,
      role: undefined,
    });
  });

  it('finds the place of an entry with NULs inside a key, which the damage does not touch', () => {
    const at = '{"type":"message","id":"b","parentId":"a",';
    for (const rest of ['"messag\0\0e":{"role":"user"}}', '"message":{"ro\0le":"user"}}']) {
      expect(scans(at + rest)).toBe(true);
      expect(found(at + rest)).toEqual({ type: 'message', id: 'b', parentId: 'a', role: undefined });
    }
  });

  it('passes over 100,000 levels of nesting', () => {
    const line = `{"id":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)},"type":"t"}`;
    expect(scans(line)).toBe(true);
  });

  it('does not take a torn line, two objects on a line, or what is no object', () => {
    const whole = '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}';
    for (let length = 0; length < whole.length; length++)
      expect(scans(whole.slice(0, length)), whole.slice(0, length)).toBe(false);
    for (const line of [
      whole + whole,
      `x${whole}`,
      `${whole}x`,
      '[1]',
      '"id"',
      'null',
      '',
      ' ',
      '{',
      '{}x',
      '{"id"}',
      '{"id":}',
      '{"a":1,}',
    ]) {
      expect(scans(line), line).toBe(false);
    }
  });
});
