import { CONTEXT_RULES } from '../rules.ts';
import type { Projected } from '../types.ts';
import { type FormName, leftOutOf } from './form.ts';
import type { LeftOutBy } from './llm.ts';

/** Why a message of the context is not among those of a form. */
const FORM_RULES: Readonly<Record<LeftOutBy, string>> = {
  excluded: 'the user ran it outside the context',
  'unknown-role': 'this format does not support its role',
  'system-text': "system text is not a message in this format; '--state' has it",
  'nothing-to-send': 'has no text and no image',
};

export interface ContextVerdict {
  readonly isIn: boolean;
  readonly rule: string;
  readonly why: string;
}

/** In or out, by which rule, in words for a person. */
export function verdictOf(projected: Projected, form: FormName): ContextVerdict {
  const { rule, messages, detail } = projected;
  const leftOut = messages.map((message) => leftOutOf(form, message));
  const reason = leftOut.find((by) => by !== undefined);
  if (reason !== undefined && !leftOut.includes(undefined))
    return { isIn: false, rule: reason, why: FORM_RULES[reason] };
  const why = CONTEXT_RULES[rule];
  return { isIn: messages.length > 0, rule, why: detail === undefined ? why : `${why} (${detail})` };
}
