import type { EntryType } from '../entry-type.ts';
/** What a session began with. */
export const sessionInit: EntryType = {
  name: 'session_init',
  fields: 'systemPrompt: string, task: string, tools: string[], outputSchema?: unknown',
  dialect: 'omp',
  payload: [['systemPrompt']],
};
