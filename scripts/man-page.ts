import { optionSpelling, optionText, usageLine } from '../src/cli/help.ts';
import { COMMON_OPTIONS, type NamedCommand, type Option } from '../src/shared/command.ts';

/** The manual page, made from what the help is made from. It has no date, so the same commands give the same page. */
export function manPage(commands: readonly NamedCommand[], version: string): string {
  return `${[
    '.\\" Made by npm run docs; edit the commands instead.',
    `.TH SESSIONCTL 1 "" "sessionctl ${version}" "User Commands"`,
    '.SH NAME',
    'sessionctl \\- check, fix, migrate, read and export the session logs of coding agents',
    '.SH SYNOPSIS',
    '.B sessionctl',
    '.I COMMAND',
    '[\\fIOPTION\\fR]... [\\fIFILE\\fR]...',
    '.SH DESCRIPTION',
    text('A session log is one JSON object a line: a header, then entries that form a tree.'),
    text(
      'Every command is a filter: no FILE, or a single dash, is standard input, and standard output carries data only.',
    ),
    text("Notes and errors go to standard error. '--' ends the options."),
    '.SH COMMANDS',
    ...commands.flatMap(commandPart),
    '.SH COMMON OPTIONS',
    ...COMMON_OPTIONS.flatMap(optionPart),
    '.SH EXIT STATUS',
    ...term('0', 'Done, clean, or the same.'),
    ...term('1', 'Findings, differences, something left unrepaired, or --check would change something.'),
    ...term('2', 'Usage error, unreadable input, or a bug.'),
    ...term('129, 130, 143', 'Stopped by SIGHUP, SIGINT or SIGTERM.'),
    '.SH ENVIRONMENT',
    ...term('NO_COLOR, FORCE_COLOR, TERM', "Whether to use color; '--color' takes precedence."),
    ...term('SESSIONCTL_BLOBS', 'The folder of the blob store, if --blobs is not given.'),
    ...term('SESSIONCTL_DEBUG', 'If set, a bug is reported with its stack trace.'),
    '.SH SEE ALSO',
    '.BR jq (1)',
  ].join('\n')}\n`;
}

function commandPart(command: NamedCommand): string[] {
  return [
    `.SS ${quoted(command.name)}`,
    `.B ${escaped(usageLine(command))}`,
    '.PP',
    text(`${command.summary}.`),
    ...command.description.flatMap((paragraph) => ['.PP', text(paragraph)]),
    ...command.options.flatMap(optionPart),
    ...Object.entries(command.examples).flatMap(([run, shows]) => [
      '.PP',
      text(`${shows[0]?.toUpperCase()}${shows.slice(1)}:`),
      '.PP',
      '.nf',
      '.RS',
      text(run),
      '.RE',
      '.fi',
    ]),
  ];
}

function optionPart(option: Option): string[] {
  return term(optionSpelling(option), `${optionText(option)}.`);
}

function term(name: string, about: string): string[] {
  return ['.TP', `.B ${escaped(name)}`, text(about)];
}

function quoted(words: string): string {
  return `"${escaped(words).replaceAll('"', '\\(dq')}"`;
}

/** A line of text that roff takes as text, whatever it starts with. */
function text(words: string): string {
  return escaped(words).replace(/^[.']/, '\\&$&');
}

/** Dashes and quotes that can be copied into a shell, and backslashes that stay. */
function escaped(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha');
}
