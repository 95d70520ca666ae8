import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import packageJson from '../package.json' with { type: 'json' };
import { commands } from '../src/commands/index.ts';
import { foreignFormats } from '../src/formats/index.ts';
import { type Support, supportedFormats } from '../src/formats/support.ts';
import { main, type ProcessIo } from '../src/main.ts';
import { rules } from '../src/rules/index.ts';
import type { Rule } from '../src/rules/rule.ts';
import type { NamedCommand } from '../src/shared/command.ts';
import { commandPage } from './command-page.ts';
import { libraryTypes } from './library-types.ts';
import { manPage } from './man-page.ts';
import { type AgentLevels, rulePage } from './rule-docs.ts';
import { exampleOf } from './rule-examples.ts';
import { type Shot, screenshot } from './screenshot.ts';

/** A file that is made from the sources; `npm run docs` writes it, a test fails when it is out of date. */
export interface GeneratedFile {
  readonly path: string;
  readonly make: (projectRoot: string) => Promise<string>;
}

/**
 * Pages for people. What is between two marks in them is made from the sources, the page of the commands is as a whole, and
 * every example is run.
 */
export const pages: readonly string[] = ['README.md', ...readdirSync('docs').flatMap(handwritten)];

export const generatedFiles: readonly GeneratedFile[] = [
  ...pages.map((path) => ({
    path,
    make: async (root: string) => {
      const page = readFileSync(join(root, path), 'utf8');
      return path === 'docs/commands.md' ? commandPage(await loadedCommands(), page) : withParts(page);
    },
  })),
  { path: 'src/library/types.ts', make: async () => libraryTypes() },
  { path: 'docs/rules.md', make: async () => await rulePage(rules, await agentLevels(), checkedExample) },
  {
    path: 'docs/sessionctl.1',
    make: async () => manPage(await loadedCommands(), packageJson.version),
  },
  { path: 'docs/screenshot.svg', make: makeScreenshot },
];

function handwritten(name: string): string[] {
  return name.endsWith('.md') && name !== 'rules.md' ? [`docs/${name}`] : [];
}

async function loadedCommands(): Promise<NamedCommand[]> {
  return await Promise.all(commands.map((entry) => entry.load()));
}

const PART = /(<!-- ([\w ]+): made by npm run docs -->\n)[\s\S]*?(<!-- end of \2 -->)/g;

/** The page with its generated parts as they are now. */
function withParts(page: string): string {
  const formats = supportedFormats({ HOME: '~' });
  const parts = new Map([
    ['formats', supportTable(formats)],
    ['locations', supportTable(formats, true)],
    [
      'commands',
      table(
        ['command', ''],
        commands.map(({ name, summary }) => [commandLink(name), summary]),
      ),
    ],
  ]);
  return page.replace(PART, (_, open: string, name: string, close: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`nothing is made for '${name}'`);
    return `${open}\n${part}\n\n${close}`;
  });
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** What is done with each format, and where its logs are. */
function supportTable(formats: readonly Support[], withLocations = false): string {
  const word = (can: boolean): string => (can ? 'yes' : '');
  const titles = ['format', 'files', 'tested with', 'read', '`validate`', '`repair`', '`convert --to`'];
  const rows = formats.map(({ id, files, versions, reads, checks, repairs, writes, locations }) => {
    const where = locations.map((path) => `\`${path}\``).join(', ');
    const can = [reads, checks, repairs, writes].map(word);
    return [`\`${id}\``, files, versions.join(', '), ...can, ...(withLocations ? [where] : [])];
  });
  return table([...titles, ...(withLocations ? ['where'] : [])], rows);
}

function commandLink(name: string): string {
  return `[\`${name}\`](docs/commands.md#${name})`;
}

/** Agents that were tried; formats without one have the level of their rules in `--list-rules --from`. */
async function agentLevels(): Promise<AgentLevels[]> {
  const found: AgentLevels[] = [];
  for (const { noun, checks } of foreignFormats)
    if (checks) found.push({ agent: noun.slice(0, noun.lastIndexOf(' ')), ...(await checks()) });
  return found.filter(({ evidence }) => evidence);
}

async function checkedExample(rule: Rule): Promise<string> {
  const { argv } = exampleOf(rule);
  const { code, output } = await runMain(argv);
  return `$ sessionctl ${argv.join(' ')}\n${output}# exit ${code}`.replace(/\n# exit 0$/, '');
}

const COLUMNS = 108;

/** What the screenshot shows: commands as one would type them, and the fixture that each reads. */
const SHOTS: readonly { readonly command: string; readonly file: string; readonly fixture: string }[] = [
  { command: 'log -n 5', file: 'claude-session.jsonl', fixture: 'formats/claude-code/2.1.325/resume.jsonl' },
  { command: 'validate', file: 'broken.jsonl', fixture: 'rules/orphan-result/claude-code/bad.jsonl' },
  { command: 'tree', file: 'pi-session.jsonl', fixture: 'sessions/pi-branches.jsonl' },
];

async function makeScreenshot(root: string): Promise<string> {
  const shots: Shot[] = [];
  for (const { command, file, fixture } of SHOTS) {
    const path = join(root, 'fixtures', fixture);
    const { output } = await runMain([...command.split(' '), path], { isTTY: true, columns: COLUMNS });
    shots.push({ command: `sessionctl ${command} ${file}`, output: output.replaceAll(path, file) });
  }
  return screenshot(shots, COLUMNS);
}

/** The program in this process, with what it prints on both streams. */
async function runMain(argv: readonly string[], terminal = {}): Promise<{ code: number; output: string }> {
  let output = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output += chunk.toString();
      done();
    },
  });
  const stdout = Object.assign(stream, terminal) as unknown as ProcessIo['stdout'];
  const stdin = new PassThrough().end() as ProcessIo['stdin'];
  const now = (): number => Date.UTC(2026, 2, 11, 10);
  const code = await main(argv, { stdin, stdout, stderr: stdout, env: {}, now });
  return { code, output };
}
