import type { EntryType } from '../entry-type.ts';
import { activeToolsChange } from './active-tools-change.ts';
import { branchSummary } from './branch-summary.ts';
import { compaction } from './compaction.ts';
import { contextEdit } from './context-edit.ts';
import { credentialPin } from './credential-pin.ts';
import { custom } from './custom.ts';
import { customMessage } from './custom-message.ts';
import { label } from './label.ts';
import { mcpToolSelection } from './mcp-tool-selection.ts';
import { message } from './message.ts';
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
import { usage } from './usage.ts';

/** All known entry types. */
export const entryTypes: EntryType[] = [
  message,
  thinkingLevelChange,
  modelChange,
  compaction,
  branchSummary,
  custom,
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
  usage,
  contextEdit,
  activeToolsChange,
];

let byName = new Map<unknown, EntryType>();

/** The declaration of a type; undefined if it is unknown. */
export function entryTypeOf(name: unknown): EntryType | undefined {
  if (byName.size !== entryTypes.length) byName = new Map(entryTypes.map((type) => [type.name, type]));
  return byName.get(name);
}

/** The keys by which entries of any type name others, besides `parentId`. */
export function referenceKeys(): readonly string[] {
  return [...new Set(entryTypes.flatMap(({ references = {} }) => Object.keys(references)))];
}

/** Whether the model sees content of entries of this type. */
export function isSeenByModel(type: unknown): boolean {
  const toModel = entryTypeOf(type)?.toModel;
  return toModel === 'message' || toModel === 'summary';
}
