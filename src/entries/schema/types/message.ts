import * as z from 'zod/mini';
import { message, messageBeforeVersion3 } from '../roles/index.ts';
import { entryType, envelope, once } from '../shapes.ts';

export const messageEntry = entryType('message', () => ({ message }), { version1: () => ({ message: messageBeforeVersion3 }) });

/** Version 2 has the envelope of today and the roles of version 1. */
export const messageOfVersion2 = once(() => z.object({ type: z.literal('message'), ...envelope, message: messageBeforeVersion3 }));
