import * as z from 'zod';
import { entryType } from '../shapes.ts';

/** omp: which account the session stays with. */
export const credentialPin = entryType('credential_pin', { provider: z.string().optional(), hash: z.string().optional() });
