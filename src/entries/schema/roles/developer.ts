import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { described, timestamp } from '../shapes.ts';

/** omp: instructions that stand between the system's and the user's. */
export const developer = described(z.object({ role: z.literal('developer'), content, timestamp }), { id: 'message-developer' });
