import { type EntryType, stringOf } from '../entry-type.ts';
/** fromId is the branch point or "root"; from pi 1.5 on it is the abandoned leaf. */
export const branchSummary: EntryType = {
  name: 'branch_summary',
  fields: `fromId: string, summary: string, details?: unknown, fromExtension?: boolean, fromHook?: boolean,
    usage?: usage`,
  toModel: 'summary',
  payload: [['summary']],
  references: { fromId: 'from' },
  hasUsage: true,
  text: (entry) => [stringOf(entry['summary'])],
};
