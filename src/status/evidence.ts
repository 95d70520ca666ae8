import { stringOf } from '../entries/entry-type.ts';
import { asString, isObject, type JsonObject } from '../json/value.ts';

/** What a host decided about a call. */
export type Decision = 'approved' | 'denied' | 'requested';

/** What an entry says about a session besides its messages. */
export type Evidence =
  | { readonly kind: 'started'; readonly toolCallId: string | undefined }
  | { readonly kind: 'finished'; readonly toolCallId: string }
  | { readonly kind: 'decided'; readonly toolCallId: string; readonly decision: Decision }
  | { readonly kind: 'exit'; readonly how: string; readonly reason: string }
  | { readonly kind: 'budget'; readonly what: string }
  | { readonly kind: 'paused' | 'resumed'; readonly reason: string }
  | { readonly kind: 'verification'; readonly status: string; readonly command: string }
  | { readonly kind: 'compaction' | 'half-compaction' };

type Read = (data: JsonObject) => Evidence | undefined;

const LONGEST_REASON = 200;

/** By the type of a custom entry, without the prefix of its format. */
const EVIDENCE: Readonly<Record<string, Read>> = {
  tool_execution_start: ({ toolCallId }) => ({ kind: 'started', toolCallId: asString(toolCallId) }),
  'tool.finished': ({ toolCallId }) => (typeof toolCallId === 'string' ? { kind: 'finished', toolCallId } : undefined),
  policy: ({ toolCallId, decision }) => {
    if (typeof toolCallId !== 'string') return undefined;
    const isOpen = decision === 'denied' || decision === 'requested';
    return { kind: 'decided', toolCallId, decision: isOpen ? decision : 'approved' };
  },
  session_exit: ({ kind, reason }) => ({ kind: 'exit', how: stringOf(kind) || 'unknown', reason: stringOf(reason) }),
  'goal-budget-limit': () => ({ kind: 'budget', what: "the host said that the goal's budget is used up" }),
  lifecycle: ({ state, reason: rawReason }) => {
    const reason = stringOf(rawReason).slice(0, LONGEST_REASON);
    if (state === 'paused' || state === 'resumed') return { kind: state, reason };
    const what = `the host said that the budget is used up${reason === '' ? '' : ` (${reason})`}`;
    return state === 'budget' ? { kind: 'budget', what } : undefined;
  },
  verification: ({ status, command }) =>
    typeof status === 'string' ? { kind: 'verification', status, command: stringOf(command) } : undefined,
  compaction: ({ state }) => (state === 'started' ? { kind: 'compaction' } : undefined),
  // Nothing that follows replaces the missing summary.
  compact_boundary: () => ({ kind: 'half-compaction' }),
};

/** The evidence in a custom entry or an extension's message. */
export function evidenceOf(customType: unknown, data: unknown): Evidence | undefined {
  const type = stringOf(customType);
  const name = type.slice(type.lastIndexOf('/') + 1);
  return Object.hasOwn(EVIDENCE, name) ? EVIDENCE[name]?.(isObject(data) ? data : {}) : undefined;
}
