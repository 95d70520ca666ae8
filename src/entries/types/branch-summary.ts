import { type EntryType, stringOf } from '../entry-type.ts';
/** fromId is the branch point or "root"; in pi from 1.5 on it is the leaf that was left. */
export const branchSummary: EntryType = {
  name: 'branch_summary',
  fields: ({ string, boolean, optional, anything, usage }) => ({
    fromId: string,
    summary: string,
    details: anything,
    fromExtension: optional(boolean),
    fromHook: optional(boolean),
    usage: optional(usage),
  }),
  toModel: 'summary',
  payload: [['summary']],
  references: { fromId: 'from' },
  hasUsage: true,
  text: (entry) => [stringOf(entry['summary'])],
};
