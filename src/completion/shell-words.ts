import type { Command, Option } from '../shared/command.ts';

/** What completion is made from: the declarations of the commands, and the rules that some options name. */
export interface Vocabulary {
  readonly commands: readonly Command[];
  readonly rules: readonly RuleWord[];
}

export interface RuleWord {
  readonly id: string;
  readonly summary: string;
}

export const RULE_LEVELS: readonly string[] = ['error', 'warning', 'off'];

/** What can stand as the value of an option. */
export type ValueKind = 'choices' | 'file' | 'folder' | 'rule' | 'rule-level' | 'anything';

const BY_NAME: ReadonlyMap<string, ValueKind> = new Map([
  ['FILE', 'file'],
  ['DIR', 'folder'],
  ['RULE', 'rule'],
  ['ID=LEVEL', 'rule-level'],
]);

export function valueKind(option: Option): ValueKind {
  if (option.choices) return 'choices';
  return BY_NAME.get(option.value ?? '') ?? 'anything';
}

/** True where operands are files; a command without them, such as schema, gets none offered. */
export function takesFiles(command: Command): boolean {
  return /FILE|DIR/.test(command.operands);
}
