// Made by npm run docs from src/entries; edit the declarations instead.

import type { JsonObject } from '../json/value.ts';

/** Tokens and money. */
export interface Usage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  reasoning?: number;
  totalTokens?: number;
  inputTokens?: number;
  outputTokens?: number;
  cost?: {
    input?: number;
    output?: number;
    cacheRead?: number;
    cacheWrite?: number;
    total?: number;
    totalFromProvider?: unknown;
  };
}

export type Content = string | Block[];

export type Block =
  | TextBlock
  | ImageBlock
  | ThinkingBlock
  | ToolCallBlock
  | RedactedThinkingBlock
  | AnthropicServerToolBlock
  | FallbackBlock;

export interface TextBlock {
  type: 'text';
  text: string;
  textSignature?: string;
}

export interface ImageBlock {
  type: 'image';
  data: string;
  mimeType: string;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking?: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

export interface ToolCallBlock {
  type: 'toolCall';
  id: string;
  name: string;
  namespace?: string;
  arguments?: JsonObject;
  input?: JsonObject;
  thoughtSignature?: string;
}

export interface RedactedThinkingBlock {
  type: 'redactedThinking';
  data: string;
}

export interface AnthropicServerToolBlock {
  type: 'anthropicServerTool';
  block: JsonObject;
}

export interface FallbackBlock {
  type: 'fallback';
  from?: unknown;
  to?: unknown;
}

export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | DeveloperMessage
  | PythonExecutionMessage
  | FileMentionMessage
  | SystemMessage;

export interface UserMessage {
  role: 'user';
  content: Content;
  timestamp?: unknown;
}

export interface AssistantMessage {
  role: 'assistant';
  content: Content;
  api?: string;
  provider?: string;
  model?: string;
  usage?: Usage;
  stopReason?: string;
  errorMessage?: string;
  rawStopReason?: string;
  endTurn?: boolean;
  deferred?: { id: string; provider?: string; modelId?: string; api?: string; pollAfterMs?: number };
  responseId?: string;
  responseModel?: string;
  thinkingLevel?: string;
  providerThinkingLevel?: unknown;
  diagnostics?: unknown;
  timestamp?: unknown;
}

export interface ToolResultMessage {
  role: 'toolResult';
  toolCallId: string;
  toolName?: string;
  content: Content;
  isError?: boolean;
  details?: unknown;
  usage?: Usage;
  nestedCalls?: { calls: JsonObject[]; complete?: boolean };
  timestamp?: unknown;
}

export interface BashExecutionMessage {
  role: 'bashExecution';
  command: string;
  output: string;
  exitCode?: number | null;
  cancelled?: boolean;
  truncated?: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp?: unknown;
}

export interface CustomMessage {
  role: 'custom';
  customType: string;
  content: Content;
  display?: boolean;
  details?: unknown;
  attribution?: string;
  timestamp?: unknown;
}

export interface DeveloperMessage {
  role: 'developer';
  content: Content;
  timestamp?: unknown;
}

export interface PythonExecutionMessage {
  role: 'pythonExecution';
  code: string;
  output: string;
  exitCode?: number | null;
  cancelled?: boolean;
  truncated?: boolean;
  excludeFromContext?: boolean;
  timestamp?: unknown;
}

export interface FileMentionMessage {
  role: 'fileMention';
  files: { path: string; content?: string; lineCount?: number; image?: Block }[];
  timestamp?: unknown;
}

export interface SystemMessage {
  role: 'system';
  content: Content;
  sections?: JsonObject | unknown[];
  toolsAdded?: unknown[];
  toolsRemoved?: unknown[];
  timestamp?: unknown;
}

/** What ties an entry to its log. */
export interface EntryEnvelope {
  id: string;
  parentId: string | null;
  timestamp: string;
}

export type Entry =
  | MessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | TtsrInjectionEntry
  | SessionInitEntry
  | ModeChangeEntry
  | ServiceTierChangeEntry
  | TitleChangeEntry
  | ModelUsageEntry
  | CredentialPinEntry
  | ResetBoundaryEntry
  | McpToolSelectionEntry
  | SessionInfoEntry
  | UsageEntry
  | ContextEditEntry
  | ActiveToolsChangeEntry;

export interface MessageEntry extends EntryEnvelope {
  type: 'message';
  message: Message;
}

export interface ThinkingLevelChangeEntry extends EntryEnvelope {
  type: 'thinking_level_change';
  thinkingLevel?: string | null;
  configured?: string | null;
}

export interface ModelChangeEntry extends EntryEnvelope {
  type: 'model_change';
  model?: string;
  role?: string;
  resolvedModelIsFallback?: boolean;
  provider?: string;
  modelId?: string;
}

export interface CompactionEntry extends EntryEnvelope {
  type: 'compaction';
  summary: string;
  shortSummary?: string;
  firstKeptEntryId?: string;
  retainedTail?: JsonObject[];
  tokensBefore?: number;
  tokensAfter?: number;
  method?: string;
  warning?: string;
  details?: unknown;
  preserveData?: JsonObject;
  providerReplayThroughEntryId?: string;
  fromExtension?: boolean;
  fromHook?: boolean;
  usage?: Usage;
  systemMessage?: SystemMessage;
}

export interface BranchSummaryEntry extends EntryEnvelope {
  type: 'branch_summary';
  fromId: string;
  summary: string;
  details?: unknown;
  fromExtension?: boolean;
  fromHook?: boolean;
  usage?: Usage;
}

export interface CustomEntry extends EntryEnvelope {
  type: 'custom';
  customType: string;
  data?: unknown;
}

export interface CustomMessageEntry extends EntryEnvelope {
  type: 'custom_message';
  customType: string;
  content: Content;
  display?: boolean;
  details?: unknown;
  attribution?: string;
}

export interface LabelEntry extends EntryEnvelope {
  type: 'label';
  targetId: string;
  label?: string;
}

export interface TtsrInjectionEntry extends EntryEnvelope {
  type: 'ttsr_injection';
  injectedRules: string[];
}

export interface SessionInitEntry extends EntryEnvelope {
  type: 'session_init';
  systemPrompt: string;
  task: string;
  tools: string[];
  outputSchema?: unknown;
}

export interface ModeChangeEntry extends EntryEnvelope {
  type: 'mode_change';
  mode: string;
  data?: unknown;
}

export interface ServiceTierChangeEntry extends EntryEnvelope {
  type: 'service_tier_change';
  serviceTier?: unknown;
}

export interface TitleChangeEntry extends EntryEnvelope {
  type: 'title_change';
  title: string;
  previousTitle?: string;
  source?: string;
  trigger?: string;
}

export interface ModelUsageEntry extends EntryEnvelope {
  type: 'model_usage';
  purpose?: string;
  role?: string;
  provider?: string;
  model?: string;
  usage?: Usage;
}

export interface CredentialPinEntry extends EntryEnvelope {
  type: 'credential_pin';
  provider?: string;
  hash?: string;
}

export interface ResetBoundaryEntry extends EntryEnvelope {
  type: 'reset_boundary';
}

export interface McpToolSelectionEntry extends EntryEnvelope {
  type: 'mcp_tool_selection';
  selectedToolNames: string[];
}

export interface SessionInfoEntry extends EntryEnvelope {
  type: 'session_info';
  name?: string;
}

export interface UsageEntry extends EntryEnvelope {
  type: 'usage';
  kind?: string;
  provider?: string;
  model?: string;
  usage: Usage;
}

export interface ContextEditEntry extends EntryEnvelope {
  type: 'context_edit';
  targetId: string;
  replacement: { content: Content } | null;
}

export interface ActiveToolsChangeEntry extends EntryEnvelope {
  type: 'active_tools_change';
  activeToolNames: string[];
}
