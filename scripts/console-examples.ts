import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A ```console block of a Markdown file: commands behind '$ ', each followed by what it prints. */
interface ConsoleBlock {
  /** Of the line after the opening fence, counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly commands: readonly string[];
}

export function consoleBlocks(markdown: string): ConsoleBlock[] {
  const blocks: ConsoleBlock[] = [];
  for (const match of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    const text = match[1] ?? '';
    const line = markdown.slice(0, match.index).split('\n').length + 1;
    const commands = [...text.matchAll(/^\$ (.*(?:\\\n> .*)*)$/gm)].map((command) => command[1] ?? '');
    blocks.push({ line, text, commands });
  }
  return blocks;
}

/**
 * The block as it reads when its commands are run now: in a folder of its own with a copy of the fixtures that it names, sessionctl
 * being the built program. Both streams of a command are shown, and its exit code where it is not 0.
 */
export function runBlock(block: ConsoleBlock, projectRoot: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessionctl-readme-'));
  try {
    const bin = join(folder, '.bin');
    mkdirSync(bin);
    symlinkSync(join(projectRoot, 'bin/sessionctl.js'), join(bin, 'sessionctl'));
    for (const path of new Set(block.text.match(/\bfixtures\/[\w./-]*\w/g))) {
      if (existsSync(join(projectRoot, path))) cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
    }
    const env = {
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: folder,
      TZ: 'UTC',
      LC_ALL: 'C.UTF-8',
      NO_COLOR: '1',
      TERM: 'dumb',
    };
    return block.commands.map((command) => runOne(command, folder, env)).join('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runOne(command: string, folder: string, env: Readonly<Record<string, string>>): string {
  const script = `exec 2>&1\n${command.replaceAll('\\\n> ', '\\\n')}\n`;
  const ran = spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8', input: '', maxBuffer: 1 << 26 });
  const output = ran.stdout === '' || ran.stdout.endsWith('\n') ? ran.stdout : `${ran.stdout}\n`;
  return `$ ${command}\n${output}${ran.status === 0 ? '' : `# exit ${ran.status}\n`}`;
}

/** The whole file with every block as it reads now. */
export function refreshBlocks(markdown: string, projectRoot: string): string {
  const blocks = consoleBlocks(markdown);
  let at = 0;
  return markdown.replace(/^(```console\n)([\s\S]*?)^(```)$/gm, (_, open: string, _text: string, close: string) => {
    const block = blocks[at++] as ConsoleBlock;
    return `${open}${runBlock(block, projectRoot)}${close}`;
  });
}
