import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../../json/value.ts';

/** Other members are allowed: the format is internal to Claude Code, and changes. */
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
const treeRecords = {
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

/** Records about the whole session, by their type. */
const sessionRecords = {
  summary: z.object({ summary: z.string(), leafUuid: text }),
  'ai-title': z.object({ aiTitle: z.string() }),
  'custom-title': z.object({ customTitle: z.string() }),
  'last-prompt': z.object({ leafUuid: text }),
};

const known: Readonly<Record<string, z.ZodMiniType>> = { ...treeRecords, ...sessionRecords };

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}

/** Whether a record certainly has the shape of a message. The schema decides the same, but is slower. */
function isPlainMessage(record: JsonObject): boolean {
  const { type, uuid, parentUuid, timestamp, isSidechain, sessionId, agentId, cwd, version, gitBranch, message } =
    record;
  if ((type !== 'user' && type !== 'assistant') || !isObject(message)) return false;
  if (typeof uuid !== 'string' || (parentUuid !== null && !isText(parentUuid)) || !isFlag(isSidechain)) return false;
  if (!isText(timestamp) || !isText(sessionId) || !isText(agentId)) return false;
  if (!isText(cwd) || !isText(version) || !isText(gitBranch)) return false;
  const { content, id, model, stop_reason: stop, usage } = message;
  if (typeof content !== 'string' && !(Array.isArray(content) && content.every(isBlock))) return false;
  if (type === 'user') {
    const { isMeta, isCompactSummary, isVisibleInTranscriptOnly, toolDenialKind } = record;
    return isFlag(isMeta) && isFlag(isCompactSummary) && isFlag(isVisibleInTranscriptOnly) && isText(toolDenialKind);
  }
  const isAnswer = isText(id) && isText(model) && (stop === null || isText(stop)) && isObject(usage);
  return isAnswer && isText(record['requestId']) && isFlag(record['isApiErrorMessage']) && isText(record['effort']);
}

function isBlock(block: unknown): boolean {
  return isObject(block) && typeof block['type'] === 'string';
}

/** Whether a record has the shape of its type; undefined for an unknown type. */
export function hasKnownShape(record: JsonObject): boolean | undefined {
  if (isPlainMessage(record)) return true;
  const { type } = record;
  const schema = typeof type === 'string' && Object.hasOwn(known, type) ? known[type] : undefined;
  return schema?.safeParse(record).success;
}
