import type { calcPrice as CalcPrice } from '@pydantic/genai-prices';
import type { Answer } from './session-activity.ts';

type Priced = Pick<Answer, 'provider' | 'model' | 'time' | 'tokens'>;
type Calculation = NonNullable<ReturnType<typeof CalcPrice>>;
export type PriceOf = (answer: Priced) => number | undefined;

/** Some prices depend on the time of day. */
const QUARTER = 15 * 60_000;

/** The names of the rates in the library. */
const KINDS = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
} as const;

/** Loads the bundled prices; the function computes the price of an answer in millionths of a dollar. */
export async function loadPrices(): Promise<PriceOf> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return pricesBy(calcPrice);
}

/** Caches the rates of models: the library takes longer for a price than reading the answer took. */
export function pricesBy(calcPrice: typeof CalcPrice): PriceOf {
  const rates = new Map<string, Calculation['model_price'] | undefined>();
  return (answer) => {
    const { provider, model, time = 0 } = answer;
    const key = `${provider}\0${model}\0${Math.floor(time / QUARTER)}`;
    if (!rates.has(key)) rates.set(key, calculate(calcPrice, answer)?.model_price);
    const known = rates.get(key);
    if (!known) return undefined;
    return Math.round(sumOf(answer, known) ?? 1e6 * (calculate(calcPrice, answer)?.total_price ?? 0));
  };
}

/** Undefined where a rate depends on the size of the request, or is missing. */
function sumOf({ tokens }: Priced, rates: Calculation['model_price']): number | undefined {
  let sum = 0;
  for (const [kind, name] of Object.entries(KINDS) as [keyof typeof KINDS, string][]) {
    const rate = rates[name];
    const isPlain = typeof rate === 'number';
    if (tokens[kind] === 0) continue;
    if (!isPlain && (!rate || rate.tiers.some(({ start }) => requestSize({ tokens }) >= start))) return undefined;
    sum += tokens[kind] * (isPlain ? rate : rate.base);
  }
  return sum;
}

function requestSize({ tokens }: Pick<Priced, 'tokens'>): number {
  return tokens.input + tokens.cacheRead + tokens.cacheWrite;
}

function calculate(calcPrice: typeof CalcPrice, { provider, model, time, tokens }: Priced): Calculation | undefined {
  const usage = {
    // For the library the tokens of the cache are part of the input.
    input_tokens: requestSize({ tokens }),
    output_tokens: tokens.output,
    cache_read_tokens: tokens.cacheRead,
    cache_write_tokens: tokens.cacheWrite,
  };
  const isKnown = provider !== '' && provider !== 'unknown';
  const found = calcPrice(usage, model, {
    ...(isKnown ? { providerId: provider } : {}),
    ...(time === undefined ? {} : { timestamp: new Date(time) }),
  });
  return found ?? undefined;
}
