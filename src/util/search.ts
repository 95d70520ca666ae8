/** The first place from `from` on at which the test does not hold, `to` where there is none. Behind it the test must not hold again. */
export function partitionPoint(from: number, to: number, holds: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = low + ((high - low) >>> 1);
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
