import type { z } from 'zod/mini';
import { activeToolsChange } from './active-tools-change.ts';
import { branchSummary } from './branch-summary.ts';
import { compaction } from './compaction.ts';
import { contextEdit } from './context-edit.ts';
import { credentialPin } from './credential-pin.ts';
import { customEntry } from './custom.ts';
import { customMessage } from './custom-message.ts';
import { label } from './label.ts';
import { mcpToolSelection } from './mcp-tool-selection.ts';
import { messageEntry } from './message.ts';
import { modeChange } from './mode-change.ts';
import { modelChange } from './model-change.ts';
import { modelUsage } from './model-usage.ts';
import { resetBoundary } from './reset-boundary.ts';
import { serviceTierChange } from './service-tier-change.ts';
import { sessionInfo } from './session-info.ts';
import { sessionInit } from './session-init.ts';
import { thinkingLevelChange } from './thinking-level-change.ts';
import { titleChange } from './title-change.ts';
import { ttsrInjection } from './ttsr-injection.ts';
import { usageEntry } from './usage.ts';

/** Every entry type that is known. One line a type. */
export const entryTypes = [
  messageEntry,
  thinkingLevelChange,
  modelChange,
  compaction,
  branchSummary,
  customEntry,
  customMessage,
  label,
  ttsrInjection,
  sessionInit,
  modeChange,
  serviceTierChange,
  titleChange,
  modelUsage,
  credentialPin,
  resetBoundary,
  mcpToolSelection,
  sessionInfo,
  usageEntry,
  contextEdit,
  activeToolsChange,
] as const;

export type Entry = z.infer<(typeof entryTypes)[number]['schema']>;
export type EntryOfVersion1 = z.infer<(typeof entryTypes)[number]['version1']>;

/** The entry with this type, such as `EntryOf<'compaction'>`. */
export type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>;

export const knownEntryTypes: readonly string[] = entryTypes.map((entry) => entry.type);
