import { UsageTrouble } from '../base/trouble.ts';
import { nearest } from '../base/words.ts';
import type { Option } from '../commands/command.ts';

/** One option as it was typed, with the value that belongs to it. */
export interface TypedOption {
  readonly option: Option;
  readonly value: string | undefined;
}

export interface Words {
  readonly options: readonly TypedOption[];
  readonly operands: readonly string[];
}

/**
 * Which word of a call is an option, which is an option's value and which is an operand. Done before yargs sees the
 * words, because yargs takes the word true behind a flag as its value, tells all unknown options in one breath and
 * cannot say what was meant.
 */
export function sortWords(options: readonly Option[], argv: readonly string[]): Words {
  const typed: TypedOption[] = [];
  const operands: string[] = [];
  const waiting = [...argv].reverse();
  const takeValue = (option: Option, spelling: string): string => {
    const next = waiting.pop();
    const form = option.value ?? 'VALUE';
    if (next === undefined) throw new UsageTrouble(`option '${spelling}' needs a value: ${spelling} ${form}`);
    if (next.startsWith('-') && next !== '-') {
      throw new UsageTrouble(`option '${spelling}' needs a value; one that starts with a dash is written --${option.name}=${next}`);
    }
    return next;
  };
  for (let word = waiting.pop(); word !== undefined; word = waiting.pop()) {
    if (word === '--') {
      operands.push(...waiting.reverse());
      break;
    }
    if (word === '-' || !word.startsWith('-')) operands.push(word);
    else if (word.startsWith('--')) typed.push(longOption(options, word, takeValue));
    else typed.push(...shortOptions(options, word, takeValue));
  }
  return { options: typed, operands };
}

/** True where help is asked for, whatever else is wrong with the call; a value such as in `--grep=--help` asks for nothing. */
export function asksForHelp(options: readonly Option[], argv: readonly string[]): boolean {
  const takesValue = new Set(options.filter((one) => one.kind !== 'flag').flatMap((one) => spellings(one)));
  for (let at = 0; at < argv.length && argv[at] !== '--'; at++) {
    if (argv[at] === '--help' || argv[at] === '-h') return true;
    if (takesValue.has(argv[at] as string) && argv[at + 1]?.startsWith('-') === false) at++;
  }
  return false;
}

export function spellings(option: Option): string[] {
  return [`--${option.name}`, ...(option.alias ? [`--${option.alias}`] : []), ...(option.short ? [`-${option.short}`] : [])];
}

function longOption(options: readonly Option[], word: string, takeValue: (option: Option, spelling: string) => string): TypedOption {
  const equals = word.indexOf('=');
  const spelling = equals < 0 ? word : word.slice(0, equals);
  const option = options.find((one) => spelling === `--${one.name}` || (one.alias !== undefined && spelling === `--${one.alias}`));
  if (!option) {
    const names = options.flatMap((one) => (one.alias ? [one.name, one.alias] : [one.name]));
    const meant = nearest(spelling.slice(2), names)[0];
    throw new UsageTrouble(`unknown option '${spelling}'${meant ? `; did you mean '--${meant}'?` : ''}`);
  }
  if (option.kind === 'flag') {
    if (equals >= 0) throw new UsageTrouble(`option '${spelling}' takes no value`);
    return { option, value: undefined };
  }
  return { option, value: equals < 0 ? takeValue(option, spelling) : word.slice(equals + 1) };
}

/** `-qn5`, `-qn 5` and `-q -n=5` are the same. */
function shortOptions(options: readonly Option[], word: string, takeValue: (option: Option, spelling: string) => string): TypedOption[] {
  const typed: TypedOption[] = [];
  const letters = [...word.slice(1)];
  for (const [at, letter] of letters.entries()) {
    const option = options.find((one) => one.short === letter);
    if (!option) throw new UsageTrouble(`unknown option '-${letter}'; a file whose name starts with a dash comes after '--'`);
    if (option.kind !== 'flag') {
      const glued = letters.slice(at + 1).join('');
      const value = glued === '' ? takeValue(option, `-${letter}`) : glued.replace(/^=/, '');
      return [...typed, { option, value }];
    }
    typed.push({ option, value: undefined });
  }
  return typed;
}
