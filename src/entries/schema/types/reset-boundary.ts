import { entryType } from '../shapes.ts';

/** omp: the context begins anew behind it. */
export const resetBoundary = entryType('reset_boundary', () => ({}));
