import { describe, expect, it } from 'vitest';
import { Line } from '../../src/lines/line.ts';

const MARK = '\u00ef\u00bb\u00bf';

describe('the JSON of a line', () => {
  it('is parsed once, however often it is asked for', () => {
    const line = new Line(2, 10, '{"a":1}', true, 'ascii');
    expect(line.json).toEqual({ a: 1 });
    expect(line.json).toBe(line.json);
  });

  it('is not kept where the line is long, for many may be held', () => {
    const line = new Line(2, 10, JSON.stringify({ a: 'x'.repeat(70_000) }), true, 'ascii');
    expect(line.json).toEqual(line.json);
    expect(line.json).not.toBe(line.json);
  });

  it('stands behind a byte order mark at the start of the input, and nowhere else', () => {
    expect(new Line(1, 0, `${MARK}{"a":1}`, true, 'utf8').json).toEqual({ a: 1 });
    expect(new Line(1, 3, `${MARK}{"a":1}`, true, 'utf8').json).toBeUndefined();
    expect(new Line(2, 10, `${MARK}{"a":1}`, true, 'utf8').json).toBeUndefined();
  });

  it('is undefined where the line is no JSON', () => {
    expect(new Line(2, 10, '{"a":', true, 'ascii').json).toBeUndefined();
  });
});
