import type { EntryType } from '../entry-type.ts';
import { usageNote } from './usage.ts';
/** omp: what a call beside the conversation has cost. */
export const modelUsage: EntryType = {
  name: 'model_usage',
  fields: ({ string, optional, usage }) => ({
    purpose: optional(string),
    role: optional(string),
    provider: optional(string),
    model: optional(string),
    usage: optional(usage),
  }),
  dialect: 'omp',
  toModel: 'nothing',
  hasUsage: true,
  note: usageNote,
};
