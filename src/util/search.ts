/** The first place from `from` on at which the test does not hold, else `to`. It must not hold again behind it. */
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
