import * as z from 'zod';
import { system } from '../roles/system.ts';
import { anObject, anything, entryType, usage } from '../shapes.ts';

/** Version 1 counts the entries of the file instead of naming one. */
export const compaction = entryType(
  'compaction',
  {
    summary: z.string(),
    shortSummary: z.string().optional(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.number().optional(),
    tokensAfter: z.number().optional(),
    method: z.string().optional(),
    warning: z.string().optional(),
    details: anything,
    preserveData: anObject.optional(),
    providerReplayThroughEntryId: z.string().optional(),
    fromExtension: z.boolean().optional(),
    fromHook: z.boolean().optional(),
    usage: usage.optional(),
    systemMessage: system.optional(),
  },
  { version1: { firstKeptEntryId: z.string().optional(), firstKeptEntryIndex: z.number().optional() } },
);
