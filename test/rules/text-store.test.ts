import { describe, expect, it } from 'vitest';
import { TextStore } from '../../src/rules/text-store.ts';

describe('the store of texts', () => {
  it('gives every text back, plain or not, from bytes too, and over the ends of its pages', () => {
    const store = new TextStore();
    const page = 1 << 20;
    const texts = ['', 'a', 'é', '猫', '🙂', 'x'.repeat(page - 4), 'y'.repeat(page), '猫'.repeat(page), 'b', 'z'.repeat(page / 2), 'c'];
    for (let at = 0; at < 20; at++) texts.push(`call-${at}`, 'ü'.repeat(90_000 + at));
    const numbers = texts.map((text) => store.add(text));
    const plain = texts.filter((text) => /^[a-z0-9-]*$/.test(text));
    const fromBytes = plain.map((text) => store.addBytes(Buffer.from(`<${text}>`), 1, text.length));
    expect(numbers.map((number) => store.get(number)).every((text, at) => text === texts[at])).toBe(true);
    expect(fromBytes.map((number) => store.get(number)).every((text, at) => text === plain[at])).toBe(true);
  });

  it('keeps a text that comes again soon only once', () => {
    const store = new TextStore();
    const bytes = Buffer.from('abcabd');
    const [first, other] = [store.addBytes(bytes, 0, 3), store.addAgain(bytes, 3, 3)];
    expect(other).not.toBe(first);
    expect([store.addAgain(bytes, 0, 3), store.addAgain(bytes, 3, 3)]).toEqual([first, other]);
    expect(store.add('abc')).toBe(store.add('abc'));
  });
});
