import { rules as allRules } from '../rules/index.ts';
import { type Finding, isFixable, type Level, type RuleMeta } from '../rules/rule.ts';
import { findingsIn, finish, type ValidationSummary } from '../validate/log-checker.ts';
import { type Bytes, chunksOf, optionsOf, type Random, requireOption, systemRandom } from './arguments.ts';

export interface ValidateOptions {
  /** What findings and messages call the log; without it findings have '', and messages start with none. */
  readonly name?: string;
  /** Levels that differ from those of the rules: { 'blank-line': 'off' }. */
  readonly rules?: Readonly<Record<string, Level>>;
  /** 256 MiB by default. */
  readonly maxLineBytes?: number;
  readonly random?: Random;
}

const LEVELS: readonly Level[] = ['error', 'warning', 'off'];
const OPTIONS = { name: 'string', rules: 'checked later', maxLineBytes: 'bytes', random: 'function' } as const;

/**
 * Every finding of a log, as `sessionctl validate` reports them: those of a line as the line is read, those that need
 * the whole log at its end; the generator returns the summary. What is no session log at all is thrown as AppError.
 * Holds an index, as the command does, and the findings of one piece of the input.
 */
export function validate(source: Bytes, options?: ValidateOptions): AsyncGenerator<Finding, ValidationSummary, void> {
  return findingsOf('validate', source, options);
}

/** The summary alone: the findings are counted and not kept. */
export async function summarize(source: Bytes, options?: ValidateOptions): Promise<ValidationSummary> {
  return await finish(findingsOf('summarize', source, options));
}

function findingsOf(
  caller: string,
  source: Bytes,
  options: ValidateOptions | undefined,
): AsyncGenerator<Finding, ValidationSummary, void> {
  const { name = '', rules, maxLineBytes, random = systemRandom } = optionsOf(caller, options, OPTIONS);
  const settings = { levels: levelsOf(caller, rules), scanner: 'off', ...(maxLineBytes && { maxLineBytes }) } as const;
  return findingsIn(name, chunksOf(caller, source), settings, random);
}

function levelsOf(caller: string, levels: ValidateOptions['rules']): ReadonlyMap<string, Level> {
  if (levels === undefined) return new Map();
  if (typeof levels !== 'object' || levels === null)
    throw new TypeError(`${caller}: rules must be an object, such as { 'blank-line': 'off' }`);
  for (const [id, level] of Object.entries(levels)) {
    if (!allRules.some((rule) => rule.id === id)) throw new TypeError(`${caller}: rules: unknown rule '${id}'`);
    requireOption(caller, `rules: the level of ${id}`, level, LEVELS);
  }
  return new Map(Object.entries(levels));
}

/** Every rule that `validate` knows: what it finds, why that matters, how it comes about and what to do. */
export function listRules(): RuleMeta[] {
  return allRules.map((rule) => {
    const { id, level, group, summary, why, arises, advice, example } = rule;
    return { id, level, group, summary, why, arises, advice, fixable: isFixable(rule), example };
  });
}
