import * as z from 'zod/mini';
import { anything, entryType } from '../shapes.ts';

/** An extension's own state; no model sees it. */
export const customEntry = entryType('custom', () => ({ customType: z.string(), data: anything }));
