import { spawnSync } from 'node:child_process';
import { contentBlocks, messageRoles } from '../src/entries/messages.ts';
import { USAGE } from '../src/entries/schema/shapes.ts';
import { entryTypes } from '../src/entries/types/index.ts';

/** What the notation of the declarations calls these types. */
const KINDS: Readonly<Record<string, string>> = {
  usage: 'Usage',
  usageOfTurn: 'Usage',
  content: 'Content',
  block: 'Block',
  message: 'Message',
  system: 'SystemMessage',
  object: 'JsonObject',
};

/** The types of entries, messages and blocks, made from their declarations. */
export function libraryTypes(): string {
  const entries = entryTypes.map((type) => one('Entry', 'type', type, ' extends EntryEnvelope'));
  const messages = messageRoles.filter(({ isOld }) => !isOld).map((role) => one('Message', 'role', role));
  const blocks = contentBlocks.map((block) => one('Block', 'type', block));
  const source = [
    '// Made by npm run docs from src/entries; edit the declarations instead.',
    "import type { JsonObject } from '../json/value.ts';",
    `/** Tokens and money. */\nexport interface Usage {${fields(USAGE)}}`,
    'export type Content = string | Block[];',
    union('Block', blocks),
    union('Message', messages),
    '/** What ties an entry to its log. */\nexport interface EntryEnvelope { id: string; parentId: string | null; timestamp: string }',
    union('Entry', entries),
  ].join('\n\n');
  const formatted = spawnSync('npx', ['biome', 'format', '--stdin-file-path=src/library/types.ts'], {
    input: `${source}\n`,
    encoding: 'utf8',
  });
  if (formatted.status !== 0) throw new Error(formatted.stderr);
  return formatted.stdout;
}

interface Declared {
  readonly name: string;
  readonly text: string;
}

function one(kind: string, key: string, declared: { name: string; fields?: string }, base = ''): Declared {
  const words = declared.name.split('_').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  const name = words.join('').endsWith(kind) ? words.join('') : `${words.join('')}${kind}`;
  const own = `${key}: '${declared.name}', ${declared.fields ?? ''}`;
  return { name, text: `export interface ${name}${base} {${fields(own)}}` };
}

function union(name: string, members: readonly Declared[]): string {
  const all = `export type ${name} =\n  | ${members.map((member) => member.name).join('\n  | ')};`;
  return [all, ...members.map(({ text }) => text)].join('\n\n');
}

/** Fields in their notation as TypeScript has them. The words that a string may be are examples, and left out. */
function fields(notation: string): string {
  return notation
    .replace(/'\w+' \| (?=.*\bstring\b)/g, '')
    .replace(/(?<=[:|] )\w+/g, (kind) => KINDS[kind] ?? kind)
    .replace(/,\s*/g, ';\n');
}
