import type { Verdict } from './verdict.ts';

/** Why a provider refused or failed, read from the words of its error message. A heuristic, and reported as one. */
export interface ErrorReading {
  readonly kind: 'budget' | 'context-overflow' | 'auth' | 'refusal' | 'transient' | 'unknown';
  readonly verdict: Verdict;
  readonly why: string;
}

interface Pattern extends ErrorReading {
  readonly words: RegExp;
}

/** Asked in this order: a quota error often comes with the 429 that an overloaded provider sends too. */
const PATTERNS: readonly Pattern[] = [
  {
    kind: 'budget',
    verdict: 'confirm',
    why: 'a quota or usage limit, judging by its text; whether it still applies is unknown',
    words:
      /quota|usage[ _-]?limit|limit reached|billing|credit balance|insufficient[ _](?:funds|credit|balance)|out of credits?|credits? exhausted|payment required|spend(?:ing)? limit|\b402\b/i,
  },
  {
    kind: 'context-overflow',
    verdict: 'confirm',
    why: 'the context was too long, judging by its text; the same call would fail again',
    words:
      /prompt (?:is )?too long|input (?:is )?too long|context[ _](?:length|window|limit)|maximum context|too many (?:input )?tokens|exceeds? the (?:maximum|limit)|request_too_large|\b413\b/i,
  },
  {
    kind: 'auth',
    verdict: 'confirm',
    why: 'the provider rejected the credentials, judging by its text',
    words:
      /unauthori[sz]ed|forbidden|authentication|invalid[ _](?:x-)?api[ _-]?key|api key|permission[ _]denied|token (?:has )?expired|\b40[13]\b/i,
  },
  {
    kind: 'refusal',
    verdict: 'confirm',
    why: 'the provider refused the content, judging by its text',
    words: /refus(?:al|ed)|content[ _-](?:policy|filter)|safety|flagged|violat/i,
  },
  {
    kind: 'transient',
    verdict: 'ready',
    why: 'a temporary provider or network error, judging by its text; a retry is a new model call',
    words:
      /overloaded|rate[ _-]?limit|too many requests|\b(?:408|429|500|502|503|504|529)\b|internal server error|server_error|api_error|bad gateway|service unavailable|temporar|try again|timed? ?out|timeout|network|fetch failed|socket|connection|econn|enotfound|eai_again|epipe|stream (?:ended|closed|error)|premature|terminated|other side closed/i,
  },
];

export function readProviderError(errorMessage: string | undefined): ErrorReading {
  if (errorMessage === undefined || errorMessage.trim() === '') {
    return { kind: 'unknown', verdict: 'confirm', why: 'the log does not say which error' };
  }
  const head = errorMessage.slice(0, 4000);
  const found = PATTERNS.find((pattern) => pattern.words.test(head));
  if (found) return { kind: found.kind, verdict: found.verdict, why: found.why };
  return { kind: 'unknown', verdict: 'confirm', why: 'its text does not match a known kind of error' };
}
