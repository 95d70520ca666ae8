import type { JsonObject } from '../json/value.ts';

/** How to read the log: by the specification, or as an agent does where it differs. */
export const PROFILES = ['spec', 'pi', 'omp'] as const;
export type Profile = (typeof PROFILES)[number];

/** Every reason why an entry is in the context or left out, as shown to the user. */
export const CONTEXT_RULES = {
  message: 'a stored message, unchanged',
  'custom-message': 'a message that the agent or an extension put in',
  'branch-summary': 'the summary of an abandoned branch',
  'compaction-summary': 'the last compaction on the path; its summary comes first',
  'null-content': 'a stored message whose null content is read as empty',
  'context-edit': 'its content is replaced by a later context_edit',
  'unanswered-calls': 'tool calls without a result are removed, and signatures with them',
  summarised: 'comes before what the last compaction keeps',
  'older-compaction': 'superseded by a later compaction on the path',
  'replayed-by-provider': 'the provider replays this part from its own history',
  'before-reset': 'comes before the last reset_boundary',
  'kept-system': 'a system message in the kept range, replaced by the one of the compaction',
  'edited-away': 'removed by a later context_edit',
  'empty-summary': 'a branch summary without text',
  'no-message': 'a message entry without a message',
  'no-content': 'an assistant turn whose content is neither text nor a list of blocks',
  'bad-content': 'content that is neither text nor a list of blocks',
  'private-custom-type': 'a custom message that is only for the agent itself',
  'retry-recovery': 'a turn that a retry replaced',
  'empty-error-turn': 'a turn that ended in an error with nothing in it',
  'no-block-left': 'the turn is empty without its unanswered calls',
  'stopped-turn': 'a turn that was aborted or ended in an error',
  'answers-stopped-turn': 'the result of a call in a turn that was removed',
  'state-only': 'changes the state, not the messages',
  'no-text-for-the-model': 'this type of entry is not a message',
} as const satisfies Readonly<Record<string, string>>;

export type ContextRule = keyof typeof CONTEXT_RULES;

/** An entry of a path: the JSON text of its line, and its parsed value. */
export interface PathEntry {
  readonly text: string;
  readonly value: JsonObject;
}

/** The messages of an entry, empty if it is left out, and the rule that decided. */
export interface Projected {
  readonly rule: ContextRule;
  /** Each message as JSON text; unchanged messages are copied from the log byte for byte. */
  readonly messages: readonly string[];
  /** Details for --explain. */
  readonly detail?: string;
  /** A note that is always shown to the user. */
  readonly note?: string;
}
