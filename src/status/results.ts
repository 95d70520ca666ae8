import { isObject, type JsonObject } from '../json/value.ts';
import type { Verdict } from './classes.ts';

/** What a tool result says about its call besides the answer. */
export interface Outcome {
  readonly kind: 'answered' | 'denied' | 'interrupted' | 'timed-out' | 'skipped' | 'not-executed' | 'not-found';
  /** A description for the evidence; empty for a plain answer. */
  readonly what: string;
  /** The result says that a process is still running. */
  readonly stillRunning: boolean;
}

const EDGE_CHARS = 4000;

const DENIED_START =
  /^(?:Tool call rejected by user|Tool execution was blocked|The user has declined to run this tool|The user doesn't want to (?:proceed with this tool use|take this action)|The user rejected permission to use this|User (?:denied|rejected|declined)\b|Permission to use \S+ (?:with command .{0,500} )?has been denied|Claude requested permissions to |This (?:Bash )?command (?:contains multiple operations\. The following parts? requires? approval|requires approval))/is;
const DENIED_ANYWHERE = /\b(?:rejected|denied|declined) by (?:the )?user\b/i;
const ABORTED_END = /(?:Command aborted|Operation aborted)\.?\s*$/;
const ABORTED_START = /^(?:aborted by user|Interrupted by the user|Tool execution aborted)/i;
const TIMED_OUT_END = /Command timed out after [^\n]{0,80}$/;
const NOT_FOUND = /^Tool \S+ not found\.?\s*$/;
const SKIPPED = /^Skipped due to queued user message\.?\s*$/;
const RUNNING = /\bProcess running with session ID \S/;
const PARTIAL = 'while it ran: partial effects are possible';

/** Reads a tool result as evidence; denials and interruptions by their text if the writer has no field for them. */
export function outcomeOf(message: JsonObject): Outcome {
  const details = isObject(message['details']) ? message['details'] : {};
  const job = isObject(details['async']) ? details['async'] : {};
  const text = resultText(message).trim();
  const [head, tail] = [text.slice(0, EDGE_CHARS), text.slice(-EDGE_CHARS)];
  const saysRunning = RUNNING.test(head) || RUNNING.test(tail);
  const stillRunning = saysRunning || details['stillRunning'] === true || job['state'] === 'running';
  const outcome = (kind: Outcome['kind'], what: string): Outcome => ({ kind, what, stillRunning });
  const byText = (kind: Outcome['kind'], what: string) => outcome(kind, `${what}, judging by its text`);

  const { toolDenialKind, status, source } = details;
  if (typeof toolDenialKind === 'string' && toolDenialKind !== '')
    return outcome('denied', `denied (${toolDenialKind}): not executed`);
  if (status === 'declined') return outcome('denied', 'declined: not executed');
  if (details['__interrupted'] === true || details['interrupted'] === true)
    return outcome('interrupted', `interrupted ${PARTIAL}`);
  if (details['timedOut'] === true) return outcome('timed-out', `timed out ${PARTIAL}`);
  if (details['__synthetic'] === true && details['executed'] === false) {
    const kind = source === 'interrupt_skipped' || source === 'assistant_stop_skipped' ? 'skipped' : 'not-executed';
    const by = typeof source === 'string' ? source : 'no source given';
    return outcome(kind, `the host says that normal dispatch did not run it (${by})`);
  }
  if (/^The user has declined to run this tool/.test(head))
    return outcome('denied', 'declined by the user: not executed');
  if (message['isError'] !== true) return outcome('answered', '');
  if (DENIED_START.test(head) || (text.length <= 600 && DENIED_ANYWHERE.test(text)))
    return byText('denied', 'rejected or blocked: not executed');
  if (ABORTED_END.test(tail) || ABORTED_START.test(head)) return byText('interrupted', `aborted ${PARTIAL}`);
  if (TIMED_OUT_END.test(tail)) return byText('timed-out', `timed out ${PARTIAL}`);
  if (SKIPPED.test(head)) return byText('skipped', 'skipped for a queued user message: not executed');
  if (NOT_FOUND.test(head)) return byText('not-found', 'there was no such tool: not executed');
  return outcome('answered', '');
}

/** The text of a message's content, blocks joined by newlines. */
export function resultText({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) => (isObject(block) && block['type'] === 'text' ? block['text'] : undefined));
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

/** Checked in this order: a quota error often has the status 429 that an overloaded provider sends too. */
const ERRORS: readonly (readonly [why: string, words: RegExp])[] = [
  [
    'a quota or usage limit, judging by its text; whether it still applies is unknown',
    /quota|usage[ _-]?limit|limit reached|billing|credit balance|insufficient[ _](?:funds|credit|balance)|out of credits?|credits? exhausted|payment required|spend(?:ing)? limit|\b402\b/i,
  ],
  [
    'the context was too long, judging by its text; the same call would fail again',
    /prompt (?:is )?too long|input (?:is )?too long|context[ _](?:length|window|limit)|maximum context|too many (?:input )?tokens|exceeds? the (?:maximum|limit)|request_too_large|\b413\b/i,
  ],
  [
    'the provider rejected the credentials, judging by its text',
    /unauthori[sz]ed|forbidden|authentication|invalid[ _](?:x-)?api[ _-]?key|api key|permission[ _]denied|token (?:has )?expired|\b40[13]\b/i,
  ],
  [
    'the provider refused the content, judging by its text',
    /refus(?:al|ed)|content[ _-](?:policy|filter)|safety|flagged|violat/i,
  ],
  [
    'a temporary provider or network error, judging by its text; a retry is a new model call',
    /overloaded|rate[ _-]?limit|too many requests|\b(?:408|429|500|502|503|504|529)\b|internal server error|server_error|api_error|bad gateway|service unavailable|temporar|try again|timed? ?out|timeout|network|fetch failed|socket|connection|econn|enotfound|eai_again|epipe|stream (?:ended|closed|error)|premature|terminated|other side closed/i,
  ],
];

/** Why a provider failed, guessed from the text of its error message, and reported as a guess. */
export function readProviderError(errorMessage = '') {
  const at = ERRORS.findIndex(([, words]) => words.test(errorMessage.slice(0, 4000)));
  const unknown =
    errorMessage.trim() === '' ? 'the log does not say which error' : 'its text does not match a known kind of error';
  // The first is about money; only the last is temporary.
  const verdict: Verdict = at >= 0 && at === ERRORS.length - 1 ? 'ready' : 'confirm';
  return { isBudget: at === 0, verdict, why: ERRORS[at]?.[0] ?? unknown };
}

/** pi 1.5's handle of an answer that the provider gives later: an id, and the model. */
export function handleOf(deferred: unknown): string {
  if (!isObject(deferred) || typeof deferred['id'] !== 'string') return '';
  const of = [deferred['provider'], deferred['modelId']].filter((word) => typeof word === 'string').join('/');
  return of === '' ? deferred['id'] : `${deferred['id']} of ${of}`;
}
