import { isObject, type JsonObject } from '../json/value.ts';

/** What a recorded tool result says about the call beyond its answer. */
export type OutcomeKind =
  | 'answered'
  | 'denied'
  | 'interrupted'
  | 'timed-out'
  | 'skipped'
  | 'not-executed'
  | 'not-found';

export interface Outcome {
  readonly kind: OutcomeKind;
  /** In words, for the evidence; empty for a plain answer. */
  readonly what: string;
  /** The result says that something is still running. */
  readonly stillRunning: boolean;
}

const EDGE_CHARS = 4000;

const DENIED_START =
  /^(?:Tool call rejected by user|Tool execution was blocked|The user has declined to run this tool|The user doesn't want to (?:proceed with this tool use|take this action)|The user rejected permission to use this|User (?:denied|rejected|declined)\b)/i;
const DENIED_ANYWHERE = /\b(?:rejected|denied|declined) by (?:the )?user\b/i;
const ABORTED_END = /(?:Command aborted|Operation aborted)\.?\s*$/;
const ABORTED_START = /^(?:aborted by user|Interrupted by the user|Tool execution aborted)/i;
const TIMED_OUT_END = /Command timed out after [^\n]{0,80}$/;
const NOT_FOUND = /^Tool \S+ not found\.?\s*$/;
const SKIPPED = /^Skipped due to queued user message\.?\s*$/;
const RUNNING = /\bProcess running with session ID \S/;

/** A tool result message as evidence. Denials and stops are read from text where the writer has no field for them. */
export function outcomeOf(message: JsonObject): Outcome {
  const details = isObject(message['details']) ? message['details'] : {};
  const text = resultText(message).trim();
  const failed = message['isError'] === true;
  const head = text.slice(0, EDGE_CHARS);
  const tail = text.slice(-EDGE_CHARS);
  const asynchronous = details['async'];
  const stillRunning =
    RUNNING.test(head) ||
    RUNNING.test(tail) ||
    details['stillRunning'] === true ||
    (isObject(asynchronous) && asynchronous['state'] === 'running');
  const outcome = (kind: OutcomeKind, what: string): Outcome => ({ kind, what, stillRunning });

  const denialKind = details['toolDenialKind'];
  if (typeof denialKind === 'string' && denialKind !== '')
    return outcome('denied', `denied (${denialKind}): not executed`);
  if (details['status'] === 'declined') return outcome('denied', 'declined: not executed');
  if (details['__interrupted'] === true || details['interrupted'] === true) {
    return outcome('interrupted', 'interrupted while it ran: partial effects are possible');
  }
  if (details['__synthetic'] === true && details['executed'] === false) {
    const source = typeof details['source'] === 'string' ? details['source'] : 'no source given';
    const kind = source === 'interrupt_skipped' || source === 'assistant_stop_skipped' ? 'skipped' : 'not-executed';
    return outcome(kind, `the host says that normal dispatch did not run it (${source})`);
  }
  if (/^The user has declined to run this tool/.test(head))
    return outcome('denied', 'declined by the user: not executed');
  if (!failed) return outcome('answered', '');
  if (DENIED_START.test(head) || (text.length <= 600 && DENIED_ANYWHERE.test(text))) {
    return outcome('denied', 'rejected or blocked: not executed, judging by its text');
  }
  if (ABORTED_END.test(tail) || ABORTED_START.test(head)) {
    return outcome('interrupted', 'aborted while it ran: partial effects are possible, judging by its text');
  }
  if (TIMED_OUT_END.test(tail))
    return outcome('timed-out', 'timed out while it ran: partial effects are possible, judging by its text');
  if (SKIPPED.test(head))
    return outcome('skipped', 'skipped for a queued user message: not executed, judging by its text');
  if (NOT_FOUND.test(head)) return outcome('not-found', 'there was no such tool: not executed, judging by its text');
  return outcome('answered', '');
}

/** The text of a message's content, blocks joined by newlines. */
export function resultText(message: JsonObject): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) =>
      isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' ? block['text'] : '',
    )
    .filter((text) => text !== '')
    .join('\n');
}
