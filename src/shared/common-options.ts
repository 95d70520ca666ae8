import type { Command, Option } from './command.ts';

/** What every command takes. */
export const COMMON_OPTIONS: readonly Option[] = [
  {
    name: 'color',
    kind: 'text',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    describe: 'Color the output',
    default: 'auto',
  },
  { name: 'help', short: 'h', kind: 'flag', describe: 'Show this help' },
];

export function allOptions(command: Command): readonly Option[] {
  return [...command.options, ...COMMON_OPTIONS];
}
