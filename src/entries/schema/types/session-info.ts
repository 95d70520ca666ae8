import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** pi: the name of the session; an empty one clears it. */
export const sessionInfo = entryType('session_info', () => ({ name: z.optional(z.string()) }));
