/** The first position from `from` on for which the test fails, else `to`. The test must not hold again after it. */
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
