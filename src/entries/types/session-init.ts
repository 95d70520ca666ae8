import type { EntryType } from '../entry-type.ts';
/** How a session was started. */
export const sessionInit: EntryType = {
  name: 'session_init',
  fields: 'systemPrompt: string, task: string, tools: string[], outputSchema?: unknown',
  dialect: 'omp',
  payload: [['systemPrompt']],
};
