import { commands } from '../commands/index.ts';
import {
  allOptions,
  COMMON_OPTIONS,
  flag,
  type NamedCommand,
  type Option,
  optionWords,
  type Style,
} from '../shared/command.ts';
import { fill } from '../util/words.ts';

const WIDTH = 80;

/** The first things to type. */
export const FIRST_STEPS: Readonly<Record<string, string>> = {
  'sessionctl validate session.jsonl': 'what is wrong with a log, line by line',
  'sessionctl repair -i --backup session.jsonl': 'fix it; the original stays as session.jsonl.bak',
  'sessionctl ls': 'the sessions of all agents on this machine',
  'sessionctl log claude:last': 'the newest session of Claude Code',
  'sessionctl export -o session.html claude:last': 'the same as a page to read',
};

/** What --help shows, and -h in short. */
export function programHelp(style: Style, isShort = false): string {
  const longest = Math.max(...commands.map((command) => command.name.length));
  return [
    ...wrap('sessionctl: check, fix, migrate, read and export the session logs of coding agents', 0),
    '',
    `${style.bold('Usage:')} sessionctl COMMAND [OPTION]... [FILE]...`,
    '',
    style.bold('Commands:'),
    ...commands.flatMap((command) => row(command.name, command.summary, longest + 4, style)),
    '',
    ...wrap("'sessionctl COMMAND --help' shows what a command does, its options and examples.", 0),
    ...(isShort ? [] : details(style)),
    '',
  ].join('\n');
}

function details(style: Style): string[] {
  return [
    ...wrap(
      "No FILE, or '-', means standard input; a folder means the sessions in it; claude:last, codex:4f2a and their like mean sessions of the agents on this machine; '--' ends the options.",
      0,
    ),
    '',
    style.bold('Options:'),
    ...optionRows(
      [
        flag('version', 'Print the version', { short: 'v' }),
        ...COMMON_OPTIONS.filter((option) => option.name === 'help'),
      ],
      style,
    ),
    '',
    style.bold('Examples:'),
    ...exampleRows(FIRST_STEPS, style),
    '',
    style.bold('Exit codes:'),
    '  0 done, clean or the same   1 findings, differences or something left to do',
    '  2 usage error, unreadable input or a bug',
  ];
}

export function commandHelp(command: NamedCommand, style: Style): string {
  return [
    `${style.bold('Usage:')} ${usageLine(command)}`,
    '',
    ...wrap(`${command.summary}.`, 0),
    ...command.description.flatMap((paragraph) => ['', ...wrap(paragraph, 0)]),
    '',
    style.bold('Options:'),
    ...optionRows(allOptions(command), style),
    '',
    style.bold('Examples:'),
    ...exampleRows(command.examples, style),
    '',
  ].join('\n');
}

function exampleRows(examples: Readonly<Record<string, string>>, style: Style): string[] {
  return Object.entries(examples).flatMap(([run, shows]) => [
    ...wrap(`# ${shows}`, 2).map((line) => style.dim(line)),
    ...commandLines(run),
  ]);
}

/** What -h shows: the options, a line each where that is enough. */
export function shortHelp(command: NamedCommand, style: Style): string {
  const [example] = Object.keys(command.examples);
  return [
    `${style.bold('Usage:')} ${usageLine(command)}`,
    ...wrap(`${command.summary}.`, 0),
    '',
    ...optionRows(allOptions(command), style),
    '',
    style.bold('Example:'),
    ...commandLines(example ?? ''),
    '',
    ...wrap(`'sessionctl ${command.name} --help' shows what it does, and more examples.`, 0),
    '',
  ].join('\n');
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

function optionRows(options: readonly Option[], style: Style): string[] {
  return options.flatMap((option) => row(optionSpelling(option), optionText(option), 28, style));
}

/** A name and what is said about it, in two columns; a long name is on a line of its own. */
function row(name: string, text: string, column: number, style: Style): string[] {
  const lines = wrap(text, column);
  const first = `  ${style.bold(name)}`;
  if (name.length + 4 > column) return [first, ...lines];
  return [`${first}${(lines[0] ?? '').slice(name.length + 2)}`, ...lines.slice(1)];
}

/** A command to be copied into a shell: what is too long goes on behind a backslash, at an option or in a pipe. */
export function commandLines(command: string): string[] {
  // What belongs together: an option with its value, a program with its operands, its end with the pipe behind it.
  const parts: string[] = [];
  let begins = true;
  for (const word of command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    parts.push(begins || word.startsWith('-') ? word : `${parts.pop()} ${word}`);
    begins = word === '|';
  }
  const lines = fill(parts, '  ', '      ', WIDTH - 2);
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}

function wrap(text: string, indent: number): string[] {
  return fill(text.split(' '), ' '.repeat(indent), ' '.repeat(indent), WIDTH);
}
