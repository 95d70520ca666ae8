import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** A label that is absent or empty clears the one before it. */
export const label = entryType('label', () => ({ targetId: z.string(), label: z.optional(z.string()) }));
