// Of yargs the parser alone: help, errors and what is asked of a command are our own, and the rest takes long to load.
import { Parser } from 'yargs/helpers';
import { UsageTrouble } from '../base/trouble.ts';
import { nearest } from '../base/words.ts';
import type { Command, Given, Option } from '../commands/command.ts';
import { allOptions } from '../commands/common-options.ts';
import { asTexts, makeGiven } from './given.ts';
import { sortWords } from './words.ts';

export function parseArguments(command: Command, argv: readonly string[]): Given {
  const options = allOptions(command);
  const words = sortWords(options, argv);
  const spelled = words.options.map(({ option, value }) => (value === undefined ? `--${option.name}` : `--${option.name}=${value}`));
  const named = (isFlag: boolean): string[] => options.filter((option) => (option.kind === 'flag') === isFlag).map((option) => option.name);
  const typed: Record<string, unknown> = Parser(spelled, {
    boolean: named(true),
    string: named(false),
    configuration: {
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'camel-case-expansion': false,
      'boolean-negation': false,
      'duplicate-arguments-array': true,
    },
  });
  for (const option of options) check(option, typed[option.name]);
  return makeGiven(words.operands, typed);
}

function check(option: Option, value: unknown): void {
  if (value === undefined || option.kind === 'flag') return;
  const values = asTexts(value);
  if (values.length > 1 && !option.many) throw new UsageTrouble(`option '--${option.name}' was given ${values.length} times; give it once`);
  for (const one of values) {
    if (option.kind === 'number' && !/^\d{1,15}$/.test(one)) {
      throw new UsageTrouble(`option '--${option.name}' needs a whole number, not '${one}'`);
    }
    if (one === '' && (option.value === 'FILE' || option.value === 'DIR')) {
      throw new UsageTrouble(`option '--${option.name}' needs the name of a ${option.value === 'FILE' ? 'file' : 'folder'}`);
    }
    if (option.choices && !option.choices.includes(one)) {
      const meant = nearest(one, option.choices)[0];
      const choices = option.choices.join(', ');
      throw new UsageTrouble(`option '--${option.name}' is one of ${choices}, not '${one}'${meant ? `; did you mean '${meant}'?` : ''}`);
    }
  }
}
