// Of yargs the parser alone: help and error messages are our own, and the rest takes long to load.
import { Parser } from 'yargs/helpers';
import { type Option, optionWords, type ParsedArgs } from '../shared/command.ts';
import { UnknownOption, UsageError } from '../util/errors.ts';
import { didYouMean } from '../util/words.ts';

/** What yargs made of the words of a call. */
interface ParsedArgv {
  /** Also where the call is wrong, so that help and color come first. */
  readonly unchecked: ParsedArgs;
  /** Throws where the call is wrong. */
  checked(): ParsedArgs;
}

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
    // A flag takes no value: yargs would take the word true behind a boolean as its value.
    narg: Object.fromEntries(options.map((option) => [option.name, option.kind === 'flag' ? 0 : 1])),
    string: options.filter((option) => option.kind !== 'flag').map((option) => option.name),
    alias: Object.fromEntries(options.map((option) => [option.name, otherNames(option)])),
    configuration: CONFIGURATION,
  });
  // By option name: true, a text, or a list of them where an option was repeated.
  const { _: before, '--': behind = [], ...typed } = parsed.argv;
  const operands = before.map(String);
  const texts = (name: string): string[] => [typed[name]].flat().filter((one) => typeof one === 'string');
  const args: ParsedArgs = {
    operands: [...operands, ...behind.map(String)],
    flag: (name) => [typed[name]].flat().at(-1) === true,
    text: (name) => texts(name).at(-1),
    texts,
    number: (name) => texts(name).map(Number).at(-1),
  };
  const checked = (): ParsedArgs => {
    if (parsed.error) throw new UsageError(explained(options, argv, parsed.error.message));
    refuseUnknown(options, argv, operands, Object.keys(typed));
    for (const option of options) {
      const problem = typed[option.name] === undefined ? undefined : problemOf(option, [typed[option.name]].flat());
      if (problem) throw new UsageError(`option '--${option.name}' ${problem}`);
    }
    return args;
  };
  return { unchecked: args, checked };
}

/** To yargs the letters behind a short option are further options, so a value that is glued to one is set apart. */
function withValuesApart(options: readonly Option[], words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.flatMap((word, at) => {
    if ((end >= 0 && at > end) || !/^-[^-=]/.test(word)) return [word];
    // To yargs a negative number is no option.
    const digit = options.find(({ short }) => short !== undefined && /^\d$/.test(short) && word === `-${short}`);
    if (digit) return [`--${digit.name}`];
    const isValue = options.some((one) => one.kind !== 'flag' && optionWords(one).includes(words[at - 1] ?? ''));
    const counting = /^-\d+$/.test(word) && !isValue ? options.find(({ isDash }) => isDash) : undefined;
    if (counting) return [`--${counting.name}`, word.slice(1)];
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

const VERSION = "; 'sessionctl --version' prints the version";
/** For options of other programs. */
const HINTS = new Map([
  ['--fix', "; 'sessionctl repair -i FILE' fixes what can be fixed"],
  ['-v', "; 'sessionctl -v' prints the version, and 'status -v' is verbose"],
  ['-V', VERSION],
  ['--version', VERSION],
]);

function refuseUnknown(
  options: readonly Option[],
  argv: readonly string[],
  operands: readonly string[],
  typed: readonly string[],
): void {
  const name = typed.find((key) => !options.some((option) => option.name === key));
  // To yargs a negative number is no option.
  const word = name === undefined ? operands.find((one) => /^-./s.test(one)) : spelled(name, argv);
  if (word === undefined) return;
  const longs = options.flatMap((option) => (option.alias ? [option.name, option.alias] : [option.name]));
  const hint = HINTS.get(word) ?? (word.startsWith('--') ? didYouMean(word.slice(2), longs, '--') : '');
  if (hint) throw new UsageError(`unknown option '${word}'${hint}`);
  throw new UnknownOption(word, word.startsWith('--') ? '' : "; a file whose name starts with a dash comes after '--'");
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

/** What is wrong with the values of an option, if anything. */
function problemOf(
  { kind, many, choices, takesFile, value: called }: Option,
  values: readonly unknown[],
): string | undefined {
  if (kind === 'flag') return values.every((one) => one === true) ? undefined : 'does not take a value';
  if (values.length > 1 && !many) return `was given ${values.length} times; use it once`;
  for (const one of values.map(String)) {
    if (kind === 'number' && !/^\d{1,15}$/.test(one)) return `needs an integer, not '${one}'`;
    if (one === '' && called === 'FILE') return 'needs the name of a file';
    if (one === '' && called === 'DIR') return 'needs the name of a folder';
    const word = takesFile ? one.replace(/=.*/s, '') : one;
    if (choices && !choices.includes(word))
      return `must be one of ${choices.join(', ')}, not '${word}'${didYouMean(word, choices)}`;
  }
  return undefined;
}
