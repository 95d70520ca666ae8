import type fc from 'fast-check';

/**
 * Every machine draws the same examples, so that a red run is red everywhere; SESSIONCTL_SEED=random (or a number)
 * looks elsewhere, and fast-check prints the seed of what it finds.
 */
export function settings(runs: number): fc.Parameters<unknown> {
  const choice = process.env['SESSIONCTL_SEED'];
  if (choice === 'random') return { numRuns: runs };
  return { numRuns: runs, seed: Number(choice ?? 20261116) };
}
