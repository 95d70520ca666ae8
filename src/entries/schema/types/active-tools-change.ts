import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** pi: the tools that the model may call from here on. */
export const activeToolsChange = entryType('active_tools_change', () => ({ activeToolNames: z.array(z.string()) }));
