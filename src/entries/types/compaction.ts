import { type EntryType, stringOf } from '../entry-type.ts';
/** Version 1 counts the entries of the file instead of naming one; pi 0.81 to 0.85 may copy the messages that it keeps. */
export const compaction: EntryType = {
  name: 'compaction',
  fields: ({ string, number, boolean, object, array, optional, anything, usage, system, version }) => ({
    summary: string,
    shortSummary: optional(string),
    firstKeptEntryId: optional(string),
    retainedTail: optional(array(object({}))),
    tokensBefore: optional(number),
    tokensAfter: optional(number),
    method: optional(string),
    warning: optional(string),
    details: anything,
    preserveData: optional(object({})),
    providerReplayThroughEntryId: optional(string),
    fromExtension: optional(boolean),
    fromHook: optional(boolean),
    usage: optional(usage),
    systemMessage: optional(system),
    ...(version === 1 ? { firstKeptEntryIndex: optional(number) } : {}),
  }),
  oneOf: (version) => (version === 1 ? [] : [['firstKeptEntryId'], ['retainedTail']]),
  toModel: 'summary',
  payload: [['summary']],
  references: { firstKeptEntryId: 'kept' },
  hasUsage: true,
  text: (entry) => [stringOf(entry['shortSummary']), stringOf(entry['summary'])],
};
