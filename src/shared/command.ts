import type { LeftOut } from '../log/log-entry.ts';
import { UsageError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';

export type { Io, Paint, Processes, Progress, Style } from '../util/io.ts';

/** Bytes per entry that an index of a log takes; whatever says it takes it from here. */
export const INDEX_BYTES = 64;
/** For `memory` of a command; on the page and in the manual, where one section is about it, the figure is left out. */
export const INDEX = `the index of the log (about ${INDEX_BYTES} bytes per entry)`;

/** Texts that several commands have in common, by their names in `cli/topics.ts`. */
export type TopicName = 'rev' | 'reading' | 'changing';

/** One option of a command; help, parsing, completion, the reference and the man page are all made from this. */
export interface Option {
  /** Long name without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** A flag takes no value; the others take exactly one. */
  readonly kind: 'flag' | 'text' | 'number';
  /** What the value is called in the help, such as REV; for FILE, DIR, RULE and ID=LEVEL shells know what to offer. */
  readonly value?: string;
  /** -h shows what is before the first semicolon. */
  readonly describe: string;
  readonly choices?: readonly string[];
  /** A choice may have a file behind it: sarif=out.sarif. */
  readonly takesFile?: boolean;
  /** -5 is short for it with the value 5, as git has it. */
  readonly isDash?: boolean;
  /** May be given several times; `args.texts` has all of them. */
  readonly many?: boolean;
  /** Shown in the help; the command applies it. */
  readonly default?: string;
  /** Another spelling of the same option, such as check for dry-run. */
  readonly alias?: string;
  /** With it the command reads nothing, so a terminal as stdin is no reason to refuse. */
  readonly needsNoInput?: boolean;
}

export function flag(name: string, describe: string, more: Partial<Option> = {}): Option {
  return { name, kind: 'flag', describe, ...more };
}

/** An option with a value. */
export function option(name: string, value: string, describe: string, more: Partial<Option> = {}): Option {
  return { name, kind: 'text', value, describe, ...more };
}

/** The entry that a command looks from. */
export function leafOption(describe: string): Option {
  return option('leaf', 'REV', describe, { default: '@' });
}

/** What the user typed, by option name. */
export interface ParsedArgs {
  readonly operands: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  /** A whole number of at least 0; anything else was refused before the command runs. */
  number(name: string): number | undefined;
}

/**
 * What a command's file declares; its name and summary are in the list of commands. In its texts, what is typed or
 * stands in a log is between backticks; there is no other markup. In docs/commands.md the name of a command becomes a
 * link, in the text of an option only behind `sessionctl`.
 */
export interface Command {
  /** The operands, as in '[FILE|DIR]...'. */
  readonly operands: string;
  /** Paragraphs: what it does. One that starts with '- ' is an item of a list. */
  readonly description: readonly string[];
  /** What it holds in memory, and how much. */
  readonly memory: string;
  readonly topics?: readonly TopicName[];
  readonly options: readonly Option[];
  /** By the command line: what it shows. */
  readonly examples: Readonly<Record<string, string>>;
  /** Words that may be the first operand, such as ls, verify and gc of blobs. */
  readonly verbs?: readonly string[];
  /** Where the command needs no input. Of others the help is shown with no operand and a terminal as stdin. */
  readonly readsInput?: false;
  /** Returns the exit code, throws AppError. */
  readonly run: (args: ParsedArgs, io: Io) => Promise<number>;
}

export interface NamedCommand extends Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
}

/** What every command takes. */
export const COMMON_OPTIONS: readonly Option[] = [
  option('color', 'WHEN', 'Color the output', { choices: ['auto', 'always', 'never'], default: 'auto' }),
  flag('help', 'Show all about it; `-h` is short', { short: 'h' }),
];

export function allOptions(command: Command): readonly Option[] {
  return [...command.options, ...COMMON_OPTIONS];
}

/** The one of these flags that is given, if any: they exclude each other. */
export function onlyFlag<Name extends string>(args: ParsedArgs, names: readonly Name[]): Name | undefined {
  const [first, second] = names.filter((name) => args.flag(name));
  if (second !== undefined) throw new UsageError(`'--${first}' and '--${second}' exclude each other`);
  return first;
}

/** The spellings of an option: '-n', '--dry-run', '--check'. */
export function optionWords({ short, name, alias }: Option): string[] {
  return [...(short ? [`-${short}`] : []), `--${name}`, ...(alias ? [`--${alias}`] : [])];
}

/** A text of the help without its backticks. */
export function plainText(text: string): string {
  return text.replaceAll('`', '');
}

/** How many lines are listed after the first. */
const LISTED = 4;

/** Says once which lines of a log are damaged; `fate` says what became of them, as in 'was left out'. */
export function noteDamage(
  name: string,
  lines: readonly LeftOut[],
  fate: string,
  io: Io,
  { canRepair = true, unit = 'line' } = {},
): void {
  const [first, ...others] = lines;
  if (first === undefined) return;
  const listed = others.slice(0, LISTED).map(({ line, rule }) => `${line} (${rule})`);
  if (others.length > LISTED) listed.push('...');
  const more = others.length > 0 ? `, and ${counted(others.length, `other ${unit}`)}: ${listed.join(', ')}` : '';
  const what = `${unit} ${first.line} is damaged (${first.rule}) and ${fate}${more}`;
  io.note(`${name}: ${what}${canRepair ? "; 'sessionctl repair' fixes what can be fixed" : ''}`);
}
