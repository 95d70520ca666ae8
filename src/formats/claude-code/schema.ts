import * as z from 'zod/mini';
import type { JsonObject } from '../../json/value.ts';

/** Members that are not named here pass: the format is internal to Claude Code, and moves. */
const text = z.optional(z.string());
const flag = z.optional(z.boolean());

const content = z.union([z.string(), z.array(z.object({ type: z.string() }))]);

const inTree = {
  uuid: z.string(),
  parentUuid: z.optional(z.nullable(z.string())),
  timestamp: text,
  isSidechain: flag,
  sessionId: text,
  agentId: text,
  cwd: text,
  version: text,
  gitBranch: text,
};

/** The records that form the tree, by their type. */
export const treeRecords = {
  user: z.object({
    ...inTree,
    message: z.object({ content }),
    isMeta: flag,
    isCompactSummary: flag,
    isVisibleInTranscriptOnly: flag,
    toolDenialKind: text,
  }),
  assistant: z.object({
    ...inTree,
    message: z.object({
      id: text,
      model: text,
      content,
      stop_reason: z.optional(z.nullable(z.string())),
      usage: z.optional(z.nullable(z.object({}))),
    }),
    requestId: text,
    isApiErrorMessage: flag,
    effort: text,
  }),
  system: z.object({
    ...inTree,
    subtype: text,
    logicalParentUuid: z.optional(z.nullable(z.string())),
    compactMetadata: z.optional(z.object({})),
  }),
  attachment: z.object({ ...inTree, attachment: z.object({ type: z.string() }), renderedRole: text }),
  progress: z.object(inTree),
};

/** Records beside the tree that say something about all of it, by their type. */
export const sessionRecords = {
  summary: z.object({ summary: z.string(), leafUuid: text }),
  'ai-title': z.object({ aiTitle: z.string() }),
  'custom-title': z.object({ customTitle: z.string() }),
  'last-prompt': z.object({ leafUuid: text }),
};

const known: Readonly<Record<string, z.ZodMiniType>> = { ...treeRecords, ...sessionRecords };

/** Whether a record has the shape that its type has; undefined for a type that is not known. */
export function hasKnownShape(record: JsonObject): boolean | undefined {
  const { type } = record;
  const schema = typeof type === 'string' && Object.hasOwn(known, type) ? known[type] : undefined;
  return schema?.safeParse(record).success;
}
