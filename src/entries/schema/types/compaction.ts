import * as z from 'zod/mini';
import { system } from '../roles/system.ts';
import { anObject, anything, entryType, usage } from '../shapes.ts';

/** Version 1 counts the entries of the file instead of naming one; pi 0.81 to 0.85 may copy the messages that it keeps. */
export const compaction = entryType(
  'compaction',
  () => ({
    summary: z.string(),
    shortSummary: z.optional(z.string()),
    firstKeptEntryId: z.optional(z.string()),
    retainedTail: z.optional(z.array(anObject)),
    tokensBefore: z.optional(z.number()),
    tokensAfter: z.optional(z.number()),
    method: z.optional(z.string()),
    warning: z.optional(z.string()),
    details: anything,
    preserveData: z.optional(anObject),
    providerReplayThroughEntryId: z.optional(z.string()),
    fromExtension: z.optional(z.boolean()),
    fromHook: z.optional(z.boolean()),
    usage: z.optional(usage),
    systemMessage: z.optional(system),
  }),
  { oneOf: [['firstKeptEntryId'], ['retainedTail']], version1: () => ({ firstKeptEntryIndex: z.optional(z.number()) }) },
);
