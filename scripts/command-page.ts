import { isItem, optionSpelling, optionText, topicsOf, usageLine } from '../src/cli/help.ts';
import { ABOUT, EXIT_CODES, MEMORY, OUTPUT, TOPICS, type Topic } from '../src/cli/topics.ts';
import { INDEX, type NamedCommand } from '../src/shared/command.ts';

/** docs/commands.md, made from what the help is made from; the console blocks of each section stay as they are in `old`. */
export function commandPage(commands: readonly NamedCommand[], old: string): string {
  const names = commands.map(({ name }) => name);
  const blocks = blocksBySection(old);
  const parts = [
    '<!-- Made by npm run docs from src/commands and src/cli/topics.ts; here only the commands in console blocks are edited. -->',
    '# Commands',
    '`sessionctl COMMAND --help` shows the same, and `man sessionctl` after a global install.',
    prose(ABOUT, names),
    ...[OUTPUT, MEMORY, ...Object.values(TOPICS)].flatMap((topic) => [`## ${topic.title}`, prose(topic.text, names)]),
    ...commands.flatMap((command) => section(command, names, blocks.get(command.name) ?? [])),
    '## Exit codes',
    ['| code | meaning |', '| --- | --- |', ...Object.entries(EXIT_CODES).map((row) => `| ${row.join(' | ')} |`)].join(
      '\n',
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(command: NamedCommand, names: readonly string[], blocks: readonly string[]): string[] {
  const others = names.filter((name) => name !== command.name);
  const options = command.options.map(
    (one) => `- \`${optionSpelling(one)}\`: ${linked(optionText(one), others, true)}`,
  );
  const memory = linked(command.memory.replace(INDEX, '[the index of the log](#memory)'), others);
  const examples = Object.entries(command.examples).map(([run, shows]) => `# ${shows}\n${run}`);
  return [
    `## ${command.name}`,
    `\`${usageLine(command)}\``,
    prose([`${command.summary}.`, ...command.description], others),
    ...blocks,
    ...(options.length > 0 ? [options.join('\n')] : []),
    `Memory: ${memory}`,
    ...(command.topics ? [`See also: ${topicsOf(command).map(topicLink).join(', ')}.`] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ];
}

function topicLink({ title }: Topic): string {
  return `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`;
}

/** The texts are Markdown already; the items of a list have no empty line between them. */
function prose(paragraphs: readonly string[], names: readonly string[]): string {
  const ends = paragraphs.map((one, at) => (isItem(one) && isItem(paragraphs[at + 1]) ? '\n' : '\n\n'));
  return paragraphs
    .map((one, at) => `${linked(one, names)}${ends[at]}`)
    .join('')
    .trimEnd();
}

/** With links to the commands and pages that a text names. In an option a bare `count` may also be a field or a value. */
function linked(text: string, names: readonly string[], isOption = false): string {
  return text.replace(/`([^`]*)`/g, (code, word: string) => {
    const name = word.replace(/^sessionctl /, '');
    if (names.includes(name) && !(isOption && name === word)) return `[${code}](#${name})`;
    return word.startsWith('docs/') ? `[${code}](${word.slice('docs/'.length)})` : code;
  });
}

/** The console blocks by the heading above them. */
function blocksBySection(page: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let heading = '';
  for (const [text, , title] of page.matchAll(/^(```\w+\n[\s\S]*?^```$)|^## (.*)$/gm)) {
    heading = title ?? heading;
    if (text.startsWith('```console\n')) found.set(heading, [...(found.get(heading) ?? []), text]);
  }
  return found;
}
