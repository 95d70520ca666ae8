import { allOptions, type Command, type Option, type Style } from '../shared/command.ts';

const WIDTH = 80;

export function commandHelp(command: Command, style: Style): string {
  const sections = [
    `${style.bold('Usage:')} ${usageLine(command)}`,
    '',
    ...wrap(`${command.summary}.`, 0),
    ...command.description.flatMap((paragraph) => ['', ...wrap(paragraph, 0)]),
    '',
    style.bold('Options:'),
    ...optionRows(allOptions(command), style),
  ];
  if (command.examples.length > 0) {
    sections.push('', style.bold('Examples:'));
    for (const example of command.examples)
      sections.push(...wrap(`# ${example.shows}`, 2).map(style.dim), ...commandLines(example.run));
  }
  return `${sections.join('\n')}\n`;
}

export function usageLine(command: Command): string {
  return `sessionctl ${command.name} [OPTION]... ${command.operands}`.trimEnd();
}

/** The spellings of an option as the help shows them: '-i, --in-place', '--rule ID=LEVEL'. */
export function optionSpelling(option: Option): string {
  const names = [option.short ? `-${option.short}` : '', `--${option.name}`, option.alias ? `--${option.alias}` : '']
    .filter(Boolean)
    .join(', ');
  return option.kind === 'flag' ? names : `${names} ${option.value ?? 'VALUE'}`;
}

export function optionText(option: Option): string {
  const extras: string[] = [];
  if (option.choices) extras.push(`one of ${option.choices.join(', ')}`);
  if (option.default !== undefined) extras.push(`default ${option.default}`);
  if (option.many) extras.push('can be repeated');
  return extras.length > 0 ? `${option.describe} (${extras.join('; ')})` : option.describe;
}

export function optionRows(options: readonly Option[], style: Style): string[] {
  return options.flatMap((option) => row(optionSpelling(option), optionText(option), 28, style));
}

/** A name and what is said about it, in two columns; a long name stands on a line of its own. */
export function row(name: string, text: string, column: number, style: Style): string[] {
  const lines = wrap(text, column);
  const first = `  ${style.bold(name)}`;
  if (name.length + 4 > column) return [first, ...lines];
  return [`${first}${(lines[0] ?? '').slice(name.length + 2)}`, ...lines.slice(1)];
}

/** A command as it can be copied into a shell: what is too long goes on behind a backslash, before an option or in a pipe. */
export function commandLines(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const lines: string[] = [];
  let line = ' ';
  for (const part of commandParts(words)) {
    if (line.trim() !== '' && line.length + 1 + part.length + 2 > WIDTH) {
      lines.push(`${line} \\`);
      line = '     ';
    }
    line += ` ${part}`;
  }
  return [...lines, line];
}

/** What belongs together: an option with its value, a program with its operands, a program's end with the pipe behind it. */
function commandParts(words: readonly string[]): string[] {
  const parts: string[] = [];
  let begins = true;
  for (const word of words) {
    if (begins || word.startsWith('-')) parts.push(word);
    else parts.push(`${parts.pop()} ${word}`);
    begins = word === '|';
  }
  return parts;
}

/** Words set into lines of at most 80 columns, each indented. */
export function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = ' '.repeat(indent);
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  lines.push(line);
  return lines;
}
