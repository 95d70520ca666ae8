// Of yargs the parser alone: help and error messages are our own, and the rest takes long to load.
import { Parser } from 'yargs/helpers';
import type { Option, ParsedArgs } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';
import { nearest } from '../util/words.ts';

/** What yargs made of the words of a call. What is wrong with them is told by `given`, so that help and color come first. */
export interface ParsedArgv {
  readonly asksForHelp: boolean;
  readonly color: string | undefined;
  /** Throws where the call is wrong. */
  given(): ParsedArgs;
}

/** By option name: true, a text, or a list of them where an option was repeated. */
type Typed = Readonly<Record<string, unknown>>;

const CONFIGURATION = {
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'dot-notation': false,
  'camel-case-expansion': false,
  'boolean-negation': false,
  'populate--': true,
  'strip-aliased': true,
};

export function parseArgv(options: readonly Option[], words: readonly string[]): ParsedArgv {
  const argv = withValuesApart(options, words);
  const parsed = Parser.detailed(argv, {
    // A flag is told by its taking no value: yargs would take the word true behind a boolean as its value.
    narg: Object.fromEntries(options.map((option) => [option.name, option.kind === 'flag' ? 0 : 1])),
    string: options.filter((option) => option.kind !== 'flag').map((option) => option.name),
    alias: Object.fromEntries(options.map((option) => [option.name, otherNames(option)])),
    configuration: CONFIGURATION,
  });
  const { _: before, '--': behind = [], ...typed } = parsed.argv;
  const operands = before.map(String);
  return {
    asksForHelp: lastOf(typed['help']) === true,
    color: asTexts(typed['color']).at(-1),
    given: () => {
      if (parsed.error) throw new UsageError(explained(options, argv, parsed.error.message));
      refuseUnknown(options, argv, operands, typed);
      for (const option of options) check(option, typed[option.name]);
      return makeParsedArgs([...operands, ...behind.map(String)], typed);
    },
  };
}

/** To yargs the letters behind a short option are further options, so a value that is glued to one is set apart. */
function withValuesApart(options: readonly Option[], words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.flatMap((word, at) => {
    if ((end >= 0 && at > end) || !/^-[^-=]/.test(word)) return [word];
    const letters = [...word.slice(1)];
    const kinds = letters.map((letter) => options.find(({ short }) => short === letter)?.kind);
    const value = kinds.findIndex((kind) => kind !== 'flag');
    if (kinds[value] === undefined || letters[value + 1] === '=' || value + 1 === letters.length) return [word];
    return [`-${letters.slice(0, value + 1).join('')}`, letters.slice(value + 1).join('')];
  });
}

function otherNames({ alias, short }: Option): string[] {
  return [alias, short].filter((name) => name !== undefined);
}

function refuseUnknown(
  options: readonly Option[],
  argv: readonly string[],
  operands: readonly string[],
  typed: Typed,
): void {
  const known = new Set(options.map((option) => option.name));
  const name = Object.keys(typed).find((key) => !known.has(key));
  // To yargs a negative number is no option.
  const word = name === undefined ? operands.find((one) => /^-./s.test(one)) : spelled(name, argv);
  if (word === undefined) return;
  if (!word.startsWith('--'))
    throw new UsageError(`unknown option '${word}'; a file whose name starts with a dash comes after '--'`);
  const meant = nearest(
    word.slice(2),
    options.flatMap((option) => [option.name, ...(option.alias ? [option.alias] : [])]),
  )[0];
  throw new UsageError(`unknown option '${word}'${meant ? `; did you mean '--${meant}'?` : ''}`);
}

function spelled(name: string, argv: readonly string[]): string {
  return argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)) ? `--${name}` : `-${name}`;
}

/** What yargs says of the number of values, in our words. */
function explained(options: readonly Option[], argv: readonly string[], message: string): string {
  const name = message.slice(message.indexOf(': ') + 2);
  const option = options.find((one) => one.name === name || otherNames(one).includes(name));
  const word = spelled(name, argv);
  if (option?.kind === 'flag') return `option '${word}' does not take a value`;
  const next = argv.slice(0, -1).includes(word) ? argv[argv.indexOf(word) + 1] : undefined;
  return next?.startsWith('-')
    ? `option '${word}' needs a value; write one that starts with a dash as --${option?.name}=${next}`
    : `option '${word}' needs a value: ${word} ${option?.value ?? 'VALUE'}`;
}

function check(option: Option, value: unknown): void {
  if (value === undefined) return;
  if (option.kind === 'flag') {
    if ([value].flat().some((one) => one !== true))
      throw new UsageError(`option '--${option.name}' does not take a value`);
    return;
  }
  const values = asTexts(value);
  if (values.length > 1 && !option.many)
    throw new UsageError(`option '--${option.name}' was given ${values.length} times; use it once`);
  for (const one of values) {
    if (option.kind === 'number' && !/^\d{1,15}$/.test(one)) {
      throw new UsageError(`option '--${option.name}' needs an integer, not '${one}'`);
    }
    if (one === '' && (option.value === 'FILE' || option.value === 'DIR')) {
      throw new UsageError(
        `option '--${option.name}' needs the name of a ${option.value === 'FILE' ? 'file' : 'folder'}`,
      );
    }
    if (option.choices && !option.choices.includes(one)) {
      const meant = nearest(one, option.choices)[0];
      const choices = option.choices.join(', ');
      throw new UsageError(
        `option '--${option.name}' must be one of ${choices}, not '${one}'${meant ? `; did you mean '${meant}'?` : ''}`,
      );
    }
  }
}

function makeParsedArgs(operands: readonly string[], typed: Typed): ParsedArgs {
  return {
    operands,
    flag: (name) => lastOf(typed[name]) === true,
    text: (name) => asTexts(typed[name]).at(-1),
    texts: (name) => asTexts(typed[name]),
    number: (name) => {
      const text = asTexts(typed[name]).at(-1);
      return text === undefined ? undefined : Number(text);
    },
  };
}

function asTexts(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function lastOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}
