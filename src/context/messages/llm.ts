import { stringOf } from '../../entries/entry-type.ts';
import { executionText, mentionedFiles, systemText } from '../../entries/user-text.ts';
import { applySplices, setMember } from '../../json/text.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import { memberTexts, objectText } from '../message-text.ts';
import { isBlank } from './parts.ts';

/** Why a message of the context is not sent. */
export type LeftOutReason = 'excluded' | 'unknown-role' | 'system-text' | 'nothing-to-send';

type LlmOutcome =
  /** A user, assistant or toolResult message, as JSON text. */
  | { readonly kind: 'message'; readonly text: string; readonly value: JsonObject }
  /** Instructions from the agent to the model, outside the conversation. */
  | { readonly kind: 'system'; readonly text: string }
  | { readonly kind: 'left-out'; readonly by: LeftOutReason };

const BRANCH_LEFT = 'A branch of this conversation was abandoned. This is what happened on it';
const SHORTENED = 'The conversation up to here was shortened. This is what happened in it';

/** By role: how to phrase what the user did as a user message. */
const USER_TEXTS = new Map<unknown, (message: JsonObject) => unknown>([
  ['bashExecution', executionText],
  ['pythonExecution', executionText],
  ['fileMention', mentionedFiles],
  ['branchSummary', ({ summary }) => summaryText(BRANCH_LEFT, summary)],
  ['compactionSummary', ({ summary }) => summaryText(SHORTENED, summary)],
]);

/** Converts a message of the context to one that any model accepts: from the user, the assistant or a tool. */
export function toLlm(text: string, message: unknown): LlmOutcome {
  if (!isObject(message)) return leftOut('unknown-role');
  const { role, content, excludeFromContext } = message;
  const shown = USER_TEXTS.get(role);
  if (role === 'user' || role === 'assistant' || role === 'toolResult') return stored(text, message);
  if (role === 'developer' || role === 'custom' || role === 'hookMessage')
    return fromUser(text, message, content, memberTexts(text).get('content'));
  if (role === 'system') return systemOf(message);
  if (!shown) return leftOut('unknown-role');
  return shown === executionText && excludeFromContext === true
    ? leftOut('excluded')
    : fromUser(text, message, shown(message));
}

function leftOut(by: LeftOutReason): LlmOutcome {
  return { kind: 'left-out', by };
}

function stored(text: string, message: JsonObject): LlmOutcome {
  if ((message['content'] ?? null) !== null) return { kind: 'message', text, value: message };
  const filled = applySplices(text, [setMember(text, 0, 'content', '[]')]);
  return { kind: 'message', text: filled, value: { ...message, content: [] } };
}

function fromUser(text: string, { timestamp }: JsonObject, content: unknown, written = toJson(content)): LlmOutcome {
  if (typeof content === 'string' ? isBlank(content) : !Array.isArray(content) || content.length === 0)
    return leftOut('nothing-to-send');
  const shown = objectText({ role: '"user"', content: written, timestamp: memberTexts(text).get('timestamp') });
  return { kind: 'message', text: shown, value: { role: 'user', content, timestamp } };
}

function systemOf(message: JsonObject): LlmOutcome {
  const text = systemText(message);
  return text === '' ? leftOut('nothing-to-send') : { kind: 'system', text };
}

function summaryText(words: string, summary: unknown): string {
  const text = stringOf(summary);
  return isBlank(text)
    ? `${words.split('. ')[0]}, and no summary of it was kept.`
    : `${words}:\n\n<summary>\n${text}\n</summary>`;
}
