/** Large memory of its own starts 16 bytes behind the start of a page. */
const BEHIND_THE_START = 64;

/**
 * Memory to read a file into. Many AMD processors copy at half their speed to a place that is 1 to 63 bytes further into
 * its page than the source is into its own, and the system keeps files in whole pages.
 */
export function readMemory(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes + BEHIND_THE_START).subarray(BEHIND_THE_START);
}
