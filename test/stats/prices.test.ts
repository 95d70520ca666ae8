import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pricesBy } from '../../src/stats/prices.ts';
import { settings } from '../support/properties.ts';

const time = Date.UTC(2026, 10, 1, 12);
const count = fc.oneof(fc.nat(2000), fc.integer({ min: 150_000, max: 400_000 }), fc.constant(0));
const usage = fc.record({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: fc.constant(0),
});

describe('a computed price', () => {
  it('is that of the library, whatever the size of the request and whatever was asked before', () => {
    const priceOf = pricesBy(calcPrice);
    const models = [
      ...['claude-sonnet-4-5', 'claude-opus-4-5-20251101'].map((model) => ['anthropic', model] as const),
      ...[
        ['openai', 'gpt-5-codex'] as const,
        ['google', 'gemini-2.5-pro'] as const,
        ['', 'claude-sonnet-4-5'] as const,
      ],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...models), usage, ([provider, model], tokens) => {
        const { input, output, cacheRead, cacheWrite } = tokens;
        const all = { input_tokens: input + cacheRead + cacheWrite, output_tokens: output };
        const price = calcPrice({ ...all, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite }, model, {
          ...(provider === '' ? {} : { providerId: provider }),
          timestamp: new Date(time),
        });
        const difference = (priceOf({ provider, model, time, tokens }) ?? 0) - (price?.total_price ?? -1) * 1e6;
        // Sums of fractions may be rounded the other way.
        expect(Math.abs(difference)).toBeLessThan(0.5001);
      }),
      settings(300),
    );
  });

  it('is unknown for a model that is not in the list', () => {
    const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const priceOf = pricesBy(calcPrice);
    expect(priceOf({ provider: 'openai', model: 'gpt-99-nothing', time, tokens })).toBeUndefined();
    expect(priceOf({ provider: 'unknown', model: 'unknown', time: undefined, tokens })).toBeUndefined();
  });
});
