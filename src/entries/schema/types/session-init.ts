import * as z from 'zod/mini';
import { anything, entryType } from '../shapes.ts';

/** What a session began with. */
export const sessionInit = entryType('session_init', () => ({
  systemPrompt: z.string(),
  task: z.string(),
  tools: z.array(z.string()),
  outputSchema: anything,
}));
