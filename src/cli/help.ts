import { commands } from '../commands/index.ts';
import {
  allOptions,
  COMMON_OPTIONS,
  flag,
  type NamedCommand,
  type Option,
  optionWords,
  plainText,
  type Style,
} from '../shared/command.ts';
import { fill } from '../util/words.ts';
import { ABOUT, EXIT_CODES, TOPICS, type Topic } from './topics.ts';

const WIDTH = 80;
/** A narrower terminal has no room for two columns. */
const ROOM_FOR_COLUMNS = 60;

/** How a help looks, and how wide it is. */
interface HelpLook {
  readonly style: Style;
  readonly columns: number;
}

function lookOf(style: Style, columns: number): HelpLook {
  return { style, columns: Math.min(columns, WIDTH) };
}

/** The first things to type. */
export const FIRST_STEPS: Readonly<Record<string, string>> = {
  'sessionctl validate session.jsonl': 'what is wrong with a log, line by line',
  'sessionctl repair -i --backup session.jsonl': 'fix it; the original stays as session.jsonl.bak',
  'sessionctl ls': 'the sessions of all agents on this machine',
  'sessionctl log claude:last': 'the newest session of Claude Code',
  'sessionctl export -o session.html claude:last': 'the same as a page to read',
};

/** What --help shows, and -h in short. */
export function programHelp(style: Style, isShort = false, columns = WIDTH): string {
  const look = lookOf(style, columns);
  const longest = Math.max(...commands.map((command) => command.name.length));
  return [
    ...wrap('sessionctl: check, fix, migrate, read and export the session logs of coding agents', 0, look),
    '',
    ...usage('sessionctl COMMAND [OPTION]... [FILE]...', look),
    '',
    style.bold('Commands:'),
    ...commands.flatMap((command) => row(command.name, command.summary, longest + 4, look)),
    '',
    ...wrap('`sessionctl COMMAND --help` shows what a command does, its options and examples.', 0, look),
    ...(isShort ? [] : ['', ...details(look)]),
    '',
  ].join('\n');
}

function details(look: HelpLook): string[] {
  const { style } = look;
  return [
    ...prose(ABOUT, look),
    '',
    style.bold('Options:'),
    ...optionRows(
      [
        flag('version', 'Print the version', { short: 'v' }),
        ...COMMON_OPTIONS.filter((option) => option.name === 'help'),
      ],
      look,
    ),
    '',
    style.bold('Examples:'),
    ...exampleRows(FIRST_STEPS, look),
    '',
    style.bold('Exit codes:'),
    ...Object.entries(EXIT_CODES).flatMap(([code, meaning]) => row(code, meaning, 17, look)),
  ];
}

export function commandHelp(command: NamedCommand, style: Style, columns = WIDTH): string {
  const look = lookOf(style, columns);
  return [
    ...usage(usageLine(command), look),
    '',
    ...prose([`${command.summary}.`, ...command.description], look),
    '',
    style.bold('Options:'),
    ...optionRows(allOptions(command), look),
    ...[...topicsOf(command), { title: 'Memory', text: [capital(command.memory)] }].flatMap(({ title, text }) => [
      '',
      style.bold(`${title}:`),
      ...prose(text, look, 2),
    ]),
    '',
    style.bold('Examples:'),
    ...exampleRows(command.examples, look),
    '',
  ].join('\n');
}

export function topicsOf({ topics = [] }: NamedCommand): Topic[] {
  return topics.map((name) => TOPICS[name]);
}

export function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** Whether it is an item of a list. */
export function isItem(paragraph: string | undefined): boolean {
  return paragraph?.startsWith('- ') === true;
}

/** Paragraphs with an empty line between them, but not between the items of a list. */
function prose(paragraphs: readonly string[], look: HelpLook, indent = 0): string[] {
  return paragraphs.flatMap((paragraph, at) => [
    ...(at > 0 && !(isItem(paragraph) && isItem(paragraphs[at - 1])) ? [''] : []),
    ...wrap(paragraph, indent, look),
  ]);
}

function exampleRows(examples: Readonly<Record<string, string>>, look: HelpLook): string[] {
  return Object.entries(examples).flatMap(([run, shows]) => [
    ...fill(`# ${shows}`.split(' '), '  ', '  ', look.columns).map((line) => look.style.dim(line)),
    ...commandLines(run, look.columns),
  ]);
}

/** What -h shows: the options, a line each where that is enough. */
export function shortHelp(command: NamedCommand, style: Style, columns = WIDTH): string {
  const look = lookOf(style, columns);
  const [example] = Object.keys(command.examples);
  return [
    ...usage(usageLine(command), look),
    ...wrap(`${command.summary}.`, 0, look),
    '',
    ...optionRows(allOptions(command).map(inShort), look),
    '',
    style.bold('Example:'),
    ...commandLines(example ?? '', look.columns),
    '',
    ...wrap(`\`sessionctl ${command.name} --help\` shows what it does, and more examples.`, 0, look),
    '',
  ].join('\n');
}

function inShort(option: Option): Option {
  return { ...option, describe: option.describe.split('; ', 1)[0] ?? '' };
}

export function usageLine(command: NamedCommand): string {
  return `sessionctl ${command.name} [OPTION]... ${command.operands}`.trimEnd();
}

/** The spellings of an option as the help shows them: '-i, --in-place', '--rule ID=LEVEL'. */
export function optionSpelling(option: Option): string {
  const names = optionWords(option).join(', ');
  return option.kind === 'flag' ? names : `${names} ${option.value ?? 'VALUE'}`;
}

export function optionText(option: Option): string {
  const extras: string[] = [];
  if (option.choices) extras.push(`one of ${option.choices.join(', ')}`);
  if (option.default !== undefined) extras.push(`default ${option.default}`);
  if (option.many) extras.push('can be repeated');
  return extras.length > 0 ? `${option.describe} (${extras.join('; ')})` : option.describe;
}

function optionRows(options: readonly Option[], look: HelpLook): string[] {
  return options.flatMap((option) => row(optionSpelling(option), optionText(option), 28, look));
}

/** A name and what is said about it, in two columns; a long name is on a line of its own, on a narrow terminal each. */
function row(name: string, text: string, column: number, look: HelpLook): string[] {
  const isNarrow = look.columns < ROOM_FOR_COLUMNS;
  const lines = wrap(text, isNarrow ? 6 : column, look);
  const first = `  ${look.style.bold(name)}`;
  if (isNarrow || name.length + 4 > column) return [first, ...lines];
  return [`${first}${(lines[0] ?? '').slice(name.length + 2)}`, ...lines.slice(1)];
}

/** A command to be copied into a shell: what is too long goes on behind a backslash, at an option or in a pipe. */
export function commandLines(command: string, columns = WIDTH): string[] {
  // What belongs together: an option with its value, a program with its operands, its end with the pipe behind it.
  const parts: string[] = [];
  let begins = true;
  for (const word of command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    parts.push(begins || word.startsWith('-') ? word : `${parts.pop()} ${word}`);
    begins = word === '|';
  }
  const lines = fill(parts, '  ', '      ', columns - 2);
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}

function usage(call: string, look: HelpLook): string[] {
  const [first = '', ...more] = wrap(`Usage: ${call}`, 0, look);
  return [first.replace('Usage:', look.style.bold('Usage:')), ...more];
}

/** What is between backticks is bold instead, word by word, so that lines may end in it. */
function wrap(text: string, indent: number, { style, columns }: HelpLook): string[] {
  const words = text.replace(/`[^`]*`/g, (code) => code.replaceAll(' ', '` `')).split(' ');
  const first = ' '.repeat(indent);
  const rest = isItem(text) ? `${first}  ` : first;
  const lines = fill(words, first, rest, columns, (line) => plainText(line).length);
  return lines.map((line) => line.replace(/`([^`]*)`/g, (_, code: string) => style.bold(code)));
}
