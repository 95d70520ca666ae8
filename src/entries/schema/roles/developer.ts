import * as z from 'zod';
import { content } from '../blocks/index.ts';
import { timestamp } from '../shapes.ts';

/** omp: instructions that stand between the system's and the user's. */
export const developer = z.looseObject({ role: z.literal('developer'), content, timestamp }).meta({ id: 'message-developer' });
