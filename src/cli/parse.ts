import yargs from 'yargs';
import { UsageTrouble } from '../base/trouble.ts';
import { nearest } from '../base/words.ts';
import type { Command, Given, Option } from '../commands/command.ts';

/** What every command takes. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'color', kind: 'text', value: 'WHEN', choices: ['auto', 'always', 'never'], describe: 'Colour the output', default: 'auto' },
  { name: 'help', short: 'h', kind: 'flag', describe: 'Show this help' },
];

export function parseArguments(command: Command, argv: readonly string[]): Given {
  const options = [...command.options, ...COMMON_OPTIONS];
  const parser = yargs([])
    .help(false)
    .version(false)
    .exitProcess(false)
    .strictOptions()
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'camel-case-expansion': false,
      'boolean-negation': false,
      'duplicate-arguments-array': true,
      'populate--': true,
    })
    // A `.fail()` that does not throw lets the call go on as if nothing had happened.
    .fail((message: string, error: Error | undefined) => {
      throw error ?? new UsageTrouble(message);
    });
  for (const option of options) {
    const others = [option.short, option.alias].filter((name) => name !== undefined);
    const shape = option.kind === 'flag' ? ({ boolean: true } as const) : ({ string: true, requiresArg: true } as const);
    parser.option(option.name, { ...shape, ...(others.length > 0 ? { alias: others } : {}) });
  }
  refuseUnknown(options, argv);
  const typed = parser.parseSync([...argv]) as Record<string, unknown>;
  const operands = [...asTexts(typed['_']), ...asTexts(typed['--'])];
  for (const option of options) check(option, typed[option.name]);
  return {
    operands,
    flag: (name) => lastOf(typed[name]) === true,
    text: (name) => {
      const value = lastOf(typed[name]);
      return typeof value === 'string' ? value : undefined;
    },
    texts: (name) => asTexts(typed[name]),
    number: (name) => {
      const value = lastOf(typed[name]);
      return typeof value === 'string' ? Number(value) : undefined;
    },
  };
}

/** yargs tells all unknown options in one breath and cannot say what was meant. */
function refuseUnknown(options: readonly Option[], argv: readonly string[]): void {
  const longs = new Set(options.flatMap((option) => (option.alias ? [option.name, option.alias] : [option.name])));
  const byShort = new Map(options.flatMap((option) => (option.short ? [[option.short, option] as const] : [])));
  const byLong = new Map(
    options.flatMap((option) => [option.name, ...(option.alias ? [option.alias] : [])].map((name) => [name, option] as const)),
  );
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string;
    if (word === '--') return;
    if (word.startsWith('--')) {
      const name = word.slice(2).split('=', 1)[0] as string;
      if (!longs.has(name)) {
        const meant = nearest(name, longs)[0];
        throw new UsageTrouble(`unknown option '--${name}'${meant ? `; did you mean '--${meant}'?` : ''}`);
      }
      const option = byLong.get(name);
      if (option?.kind === 'flag' && word.includes('=')) throw new UsageTrouble(`option '--${name}' takes no value`);
      if (option && option.kind !== 'flag' && !word.includes('=')) {
        if (at + 1 >= argv.length) throw new UsageTrouble(`option '--${name}' needs a value: --${name} ${option.value ?? 'VALUE'}`);
        at++;
      }
    } else if (word.startsWith('-') && word !== '-') {
      for (let letter = 1; letter < word.length; letter++) {
        const option = byShort.get(word[letter] as string);
        if (!option) throw new UsageTrouble(`unknown option '-${word[letter]}'; a file whose name starts with a dash comes after '--'`);
        if (option.kind !== 'flag') {
          if (letter + 1 === word.length) {
            if (at + 1 >= argv.length)
              throw new UsageTrouble(`option '-${option.short}' needs a value: -${option.short} ${option.value ?? 'VALUE'}`);
            at++;
          }
          break;
        }
      }
    }
  }
}

function check(option: Option, value: unknown): void {
  if (value === undefined || option.kind === 'flag') return;
  const values = asTexts(value);
  if (values.length > 1 && !option.many) throw new UsageTrouble(`option '--${option.name}' was given ${values.length} times; give it once`);
  for (const one of values) {
    if (option.kind === 'number' && !/^\d{1,15}$/.test(one)) {
      throw new UsageTrouble(`option '--${option.name}' needs a whole number, not '${one}'`);
    }
    if (option.choices && !option.choices.includes(one)) {
      const meant = nearest(one, option.choices)[0];
      const choices = option.choices.join(', ');
      throw new UsageTrouble(`option '--${option.name}' is one of ${choices}, not '${one}'${meant ? `; did you mean '${meant}'?` : ''}`);
    }
  }
}

function lastOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}

function asTexts(value: unknown): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
