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

  it('knows two numbers of one text, and no others', () => {
    const store = new TextStore();
    const texts = ['', 'a', 'b', 'ab', 'é', '猫', 'ÿ猫', 'x'.repeat(300), `${'x'.repeat(299)}y`, 'z'.repeat(2 << 20)];
    const twice = [...texts, ...texts].map((text, at) => {
      // Narrow and wide texts, from both ways in; the second time a store that forgot them.
      if (at === texts.length) for (let other = 0; other < 5000; other++) store.add(`forget ${other}`);
      return /^[a-z]*$/.test(text) && at % 2 === 0 ? store.addBytes(Buffer.from(text), 0, text.length) : store.add(text);
    });
    const all = [...texts, ...texts];
    const wrong = twice.flatMap((one, at) =>
      twice.flatMap((other, to) => (store.isSame(one, other) === (all[at] === all[to]) ? [] : [[at, to]])),
    );
    expect(wrong).toEqual([]);
    expect(new Set(twice).size).toBeGreaterThan(texts.length);
  });

  it('keeps a text that comes again soon only once', () => {
    const store = new TextStore();
    const bytes = Buffer.from('abcabd');
    const [first, other] = [store.addBytes(bytes, 0, 3), store.addAgain(bytes, 3, 3)];
    expect(other).not.toBe(first);
    expect([store.addAgain(bytes, 0, 3), store.addAgain(bytes, 3, 3)]).toEqual([first, other]);
    expect(store.add('abc')).toBe(store.add('abc'));
  });

  it('forgets everything at a reset, what came lately too', () => {
    const store = new TextStore();
    for (const first of ['abc', 'y'.repeat(1 << 20)]) {
      const [word, bytes] = [Buffer.from('abc'), Buffer.from('xyz')];
      for (const text of ['abc', 'é', first, 'z'.repeat(1 << 20)]) store.add(text);
      for (let times = 0; times < 10; times++) store.addBytes(word, 0, 3);
      store.reset();
      const again = [store.addAgain(word, 0, 3), store.addBytes(bytes, 0, 3), store.add(first), store.add('é')];
      expect(again[0]).toBe(0);
      expect(again.map((number) => store.get(number))).toEqual(['abc', 'xyz', first, 'é']);
      store.reset();
      expect([store.add('k'), store.addAgain(bytes, 0, 3)].map((number) => store.get(number))).toEqual(['k', 'xyz']);
    }
  });
});
