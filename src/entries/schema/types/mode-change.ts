import * as z from 'zod/mini';
import { anything, entryType } from '../shapes.ts';

/** Such as plan mode; "none" is no mode. */
export const modeChange = entryType('mode_change', () => ({ mode: z.string(), data: anything }));
