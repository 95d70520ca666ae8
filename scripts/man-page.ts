import { capital, isItem, optionSpelling, optionText, topicsOf, usageLine } from '../src/cli/help.ts';
import { ABOUT, ENVIRONMENT, EXIT_CODES, MEMORY, OUTPUT, TOPICS, type Topic } from '../src/cli/topics.ts';
import { COMMON_OPTIONS, INDEX, type NamedCommand, type Option } from '../src/shared/command.ts';

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
    ...prose(ABOUT).slice(1),
    '.SH COMMANDS',
    ...commands.flatMap(commandPart),
    '.SH COMMON OPTIONS',
    ...COMMON_OPTIONS.flatMap(optionPart),
    ...[OUTPUT, MEMORY, ...Object.values(TOPICS)].flatMap((topic) => [
      `.SH ${quoted(sectionName(topic))}`,
      ...prose(topic.text).slice(1),
    ]),
    '.SH EXIT STATUS',
    ...terms(EXIT_CODES),
    '.SH ENVIRONMENT',
    ...terms(ENVIRONMENT),
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
    ...prose(command.description),
    ...command.options.flatMap(optionPart),
    ...prose([`Memory: ${command.memory.replace(INDEX, 'the index of the log')}`]),
    ...(command.topics ? prose([`See also ${topicsOf(command).map(sectionName).join(' and ')}.`]) : []),
    ...Object.entries(command.examples).flatMap(([run, shows]) => [
      '.PP',
      text(`${capital(shows)}:`),
      '.PP',
      '.nf',
      '.RS',
      text(run),
      '.RE',
      '.fi',
    ]),
  ];
}

function sectionName({ title }: Topic): string {
  return title.toUpperCase();
}

function optionPart(option: Option): string[] {
  return term(optionSpelling(option), `${optionText(option)}.`);
}

function term(name: string, about: string): string[] {
  return ['.TP', `.B ${escaped(name)}`, marked(about)];
}

function terms(all: Readonly<Record<string, string>>): string[] {
  return Object.entries(all).flatMap(([name, about]) => term(name, `${capital(about)}.`));
}

function prose(paragraphs: readonly string[]): string[] {
  return paragraphs.flatMap((one) => (isItem(one) ? ['.IP \\(bu 2', marked(one.slice(2))] : ['.PP', marked(one)]));
}

/** What is between backticks is bold. */
function marked(words: string): string {
  const parts = words.split('`').map((part, at) => (at % 2 === 1 ? `\\fB${escaped(part)}\\fR` : escaped(part)));
  return guarded(parts.join(''));
}

function quoted(words: string): string {
  return `"${escaped(words).replaceAll('"', '\\(dq')}"`;
}

function text(words: string): string {
  return guarded(escaped(words));
}

/** A line that roff takes as text, whatever it starts with. */
function guarded(line: string): string {
  return line.replace(/^[.']/, '\\&$&');
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
