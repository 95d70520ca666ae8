import * as z from 'zod';
import { content } from '../blocks/index.ts';
import { timestamp } from '../shapes.ts';

export const user = z.looseObject({ role: z.literal('user'), content, timestamp }).meta({ id: 'message-user' });
