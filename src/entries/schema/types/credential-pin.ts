import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** omp: which account the session stays with. */
export const credentialPin = entryType('credential_pin', () => ({ provider: z.optional(z.string()), hash: z.optional(z.string()) }));
