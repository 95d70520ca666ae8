import { type EntryType, stringOf } from '../entry-type.ts';
/** Version 1 has an index of an entry instead of its id; pi 0.81 to 0.85 may copy the messages that it keeps. */
export const compaction: EntryType = {
  name: 'compaction',
  fields: `summary: string, shortSummary?: string, firstKeptEntryId?: string, retainedTail?: object[],
    tokensBefore?: number, tokensAfter?: number, method?: string, warning?: string, details?: unknown,
    preserveData?: object, providerReplayThroughEntryId?: string, fromExtension?: boolean, fromHook?: boolean,
    usage?: usage, systemMessage?: system`,
  inVersion1: 'firstKeptEntryIndex?: number',
  oneOf: [['firstKeptEntryId'], ['retainedTail']],
  toModel: 'summary',
  payload: [['summary']],
  references: { firstKeptEntryId: 'kept', providerReplayThroughEntryId: 'other' },
  hasUsage: true,
  text: (entry) => [stringOf(entry['shortSummary']), stringOf(entry['summary'])],
};
