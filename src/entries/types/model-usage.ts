import type { EntryType } from '../entry-type.ts';
import { usageNote } from './usage.ts';
/** omp: the cost of a call outside the conversation. */
export const modelUsage: EntryType = {
  name: 'model_usage',
  fields: 'purpose?: string, role?: string, provider?: string, model?: string, usage?: usage',
  dialect: 'omp',
  hasUsage: true,
  note: usageNote,
};
