import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import packageJson from '../package.json' with { type: 'json' };
import { commands } from '../src/commands/index.ts';
import { foreignFormats } from '../src/formats/index.ts';
import { type Support, supportedFormats } from '../src/formats/support.ts';
import { main, type ProcessIo } from '../src/main.ts';
import { rules } from '../src/rules/index.ts';
import { manPage } from './man-page.ts';
import { type AgentLevels, rulePage, ruleTable } from './rule-docs.ts';
import { type Shot, screenshot } from './screenshot.ts';

/** A file that is made from the sources; `npm run docs` writes it, a test fails when it is out of date. */
export interface GeneratedFile {
  readonly path: string;
  readonly make: (projectRoot: string) => Promise<string>;
}

export const generatedFiles: readonly GeneratedFile[] = [
  {
    path: 'README.md',
    make: async (root) => {
      const readme = withRuleTable(readFileSync(join(root, 'README.md'), 'utf8'), await agentLevels());
      return withSupportTable(readme, await supportedFormats({ HOME: '~' }));
    },
  },
  { path: 'docs/what-can-go-wrong.md', make: async () => rulePage(rules, await agentLevels()) },
  {
    path: 'docs/sessionctl.1',
    make: async () => manPage(await Promise.all(commands.map((entry) => entry.load())), packageJson.version),
  },
  { path: 'docs/screenshot.svg', make: makeScreenshot },
];

const TABLE = /(<!-- rules: made by npm run docs -->\n)[\s\S]*?(<!-- end of rules -->)/;

/** Of the agents whose logs are checked in their own form. */
/** Agents that were tried; formats without one have the level of their rules in `--list-rules --from`. */
async function agentLevels(): Promise<AgentLevels[]> {
  const found: AgentLevels[] = [];
  for (const { noun, checks } of foreignFormats)
    if (checks) found.push({ agent: noun.slice(0, noun.lastIndexOf(' ')), ...(await checks()) });
  return found.filter(({ evidence }) => Object.keys(evidence).length > 0);
}

function withRuleTable(readme: string, agents: readonly AgentLevels[]): string {
  if (!TABLE.test(readme)) throw new Error('README.md has no place for the table of rules');
  return readme.replace(TABLE, (_, open: string, close: string) => `${open}\n${ruleTable(rules, agents)}\n\n${close}`);
}

const SUPPORT = /(<!-- formats: made by npm run docs -->\n)[\s\S]*?(<!-- end of formats -->)/;

function withSupportTable(readme: string, formats: readonly Support[]): string {
  if (!SUPPORT.test(readme)) throw new Error('README.md has no place for the table of formats');
  const word = (can: boolean): string => (can ? 'yes' : '');
  const rows = formats.map(({ id, files, reads, checks, repairs, writes, locations }) => {
    const cells = [reads, checks, repairs, writes].map(word);
    return `| \`${id}\` | ${files} | ${cells.join(' | ')} | ${locations.map((path) => `\`${path}\``).join(', ')} |`;
  });
  const head = `| format | files | read | \`validate\` | \`repair\` | \`convert --to\` | where |\n|${' --- |'.repeat(7)}`;
  return readme.replace(
    SUPPORT,
    (_, open: string, close: string) => `${open}\n${head}\n${rows.join('\n')}\n\n${close}`,
  );
}

const COLUMNS = 108;

/** What the screenshot shows; commands that are typed as one would type them, in a folder of fixtures. */
const SHOTS: readonly string[] = [
  'sessionctl validate readme/crashed.jsonl',
  'sessionctl tree sessions/pi-branches.jsonl',
];

async function makeScreenshot(root: string): Promise<string> {
  const shots: Shot[] = [];
  for (const command of SHOTS) {
    const argv = command.split(' ').slice(1);
    const output = await onTerminal(
      argv.map((word) => (word.endsWith('.jsonl') ? join(root, 'fixtures', word) : word)),
    );
    shots.push({ command, output: output.replaceAll(`${join(root, 'fixtures')}/`, '') });
  }
  return screenshot(shots, COLUMNS);
}

async function onTerminal(argv: readonly string[]): Promise<string> {
  let output = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output += chunk.toString();
      done();
    },
  });
  const terminal = Object.assign(stream, { isTTY: true, columns: COLUMNS }) as unknown as ProcessIo['stdout'];
  const now = (): number => Date.UTC(2026, 2, 11, 10);
  await main(argv, {
    stdin: new PassThrough().end() as ProcessIo['stdin'],
    stdout: terminal,
    stderr: terminal,
    env: {},
    now,
  });
  return output;
}
