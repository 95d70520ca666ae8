import type { EntryType } from '../entry-type.ts';
/** What a session began with. */
export const sessionInit: EntryType = {
  name: 'session_init',
  fields: ({ string, array, anything }) => ({
    systemPrompt: string,
    task: string,
    tools: array(string),
    outputSchema: anything,
  }),
  dialect: 'omp',
  toModel: 'nothing',
  payload: [['systemPrompt']],
};
