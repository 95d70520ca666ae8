import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { described, timestamp } from '../shapes.ts';

export const user = described(z.object({ role: z.literal('user'), content, timestamp }), { id: 'message-user' });
