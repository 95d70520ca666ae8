import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandHelp, optionSpelling, programHelp } from '../../src/cli/help.ts';
import { commands } from '../../src/commands/index.ts';
import { allOptions } from '../../src/shared/command.ts';
import { PLAIN } from '../../src/util/io.ts';
import width from '../../src/util/width.ts';
import { projectRoot, run } from '../support/run.ts';

const reference = readFileSync(join(projectRoot, 'docs/commands.md'), 'utf8');
const changelog = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8');
const loaded = await Promise.all(
  commands.map(async (entry) => ({ name: entry.name, entry, command: await entry.load() })),
);

/** The text under the heading of a command. */
function section(name: string): string {
  const text: string[] = [];
  let inside = false;
  let fenced = false;
  for (const line of reference.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    if (!fenced && line.startsWith('## ')) inside = line === `## ${name}`;
    if (inside) text.push(line);
  }
  return text.join('\n');
}

describe.each(loaded)('the command $name', ({ name, entry, command }) => {
  it('is in the list as it names itself', () => {
    expect({ name: command.name, summary: command.summary }).toEqual({ name: entry.name, summary: entry.summary });
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
  });

  it('has a test file of its own name', () => {
    expect(existsSync(join(projectRoot, `test/commands/${name}.test.ts`))).toBe(true);
  });

  it('has a section in the reference with an example, and what it costs in memory', () => {
    const text = section(name);
    expect(text).toContain(`sessionctl ${name}`);
    expect(text).toContain('```console\n$ ');
    expect(text).toContain('\nMemory: ');
  });

  it('is in the changelog', () => {
    expect(changelog).toMatch(new RegExp(`\`${name}[\` ]`));
  });

  it('says in its help what it holds in memory, and shows examples', async () => {
    expect(command.memory).toMatch(/^[^A-Z].*\.$/);
    const runs = Object.keys(command.examples);
    expect(runs.length).toBeGreaterThan(0);
    for (const run of runs) expect(`${run} `).toContain(`sessionctl ${name} `);
  });

  it('shows the same help, with every option, by --help and help, and a short one by -h', async () => {
    const { stdout, code, stderr } = await run([name, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const option of allOptions(command)) expect(stdout).toContain(optionSpelling(option));
    const short = (await run([name, '-h'])).stdout;
    expect(short.length).toBeLessThan(stdout.length);
    for (const option of command.options) expect(short).toContain(`--${option.name}`);
    for (const line of short.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    expect((await run(['help', name])).stdout).toBe(stdout);
    expect(stdout).toBe(commandHelp(command, PLAIN));
  });

  it('fits its help into 80 columns', () => {
    const long = commandHelp(command, PLAIN)
      .split('\n')
      .filter((line) => width(line) > 80);
    expect(long).toEqual([]);
  });

  it('has only backticks as markup in its texts, and all that is typed between them', () => {
    const texts = [...command.description, command.memory, ...allOptions(command).map(({ describe }) => describe)];
    for (const text of texts) {
      expect(text.split('`').length % 2, text).toBe(1);
      const words = text.replace(/^- /, '').replace(/`[^`]*`/g, '');
      expect(words).not.toMatch(/[*_<>[\]\\|#~]|(?<![\w-])--?[a-z]|(?<!\w)'\w/i);
    }
  });

  it('declares options that cannot be mistaken for each other', () => {
    const names = allOptions(command).flatMap((option) => [
      option.name,
      ...(option.alias ? [option.alias] : []),
      ...(option.short ? [option.short] : []),
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const option of allOptions(command)) {
      expect(option.describe).toMatch(/^(?:[A-Z]|[a-z]+: ).*[^.]$/);
      if (option.kind !== 'flag') expect(option.value, option.name).toMatch(/^[A-Z]/);
      if (option.short) expect(option.short).toHaveLength(1);
    }
  });

  it('refuses an option that it does not have, and points to its help', async () => {
    const ran = await run([name, '--no-such-option']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`'sessionctl ${name} --help' shows how to use it`);
  });
});

describe('the list of commands', () => {
  it('is whole in the help of the program', () => {
    const help = programHelp(PLAIN);
    for (const { name } of loaded) expect(help).toMatch(new RegExp(`^  ${name}  `, 'm'));
  });

  it('has every command that has a test file', () => {
    const tested = readdirSync(join(projectRoot, 'test/commands'))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => file.slice(0, -'.test.ts'.length));
    for (const name of tested.filter((file) => existsSync(join(projectRoot, `src/commands/${file}.ts`)))) {
      const source = readFileSync(join(projectRoot, `src/commands/${name}.ts`), 'utf8');
      if (/: Command\b/.test(source)) expect(loaded.map((one) => one.name)).toContain(name);
    }
  });
});
