import type { Command } from '../shared/command.ts';

/** A command's place in the list: enough for the help and for 'did you mean', without loading the command. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

type Row = readonly [name: string, summary: string, load: () => Promise<{ readonly command: Command }>];

const TABLE: readonly Row[] = [
  ['validate', 'Find everything wrong with a session log, in one pass', () => import('./validate.ts')],
  ['migrate', 'Upgrade logs of version 1 or 2 to version 3', () => import('./migrate.ts')],
  ['repair', 'Fix what can be fixed in a damaged log, and quarantine the rest', () => import('./repair.ts')],
  ['context', 'Show what the model sees at an entry, and why', () => import('./context.ts')],
  ['tree', 'Draw the tree of a session: branches, labels, compactions, the leaf', () => import('./tree.ts')],
  ['log', 'List the entries of a branch, one line each, oldest first', () => import('./log.ts')],
  ['diff', 'Compare two branches of a session, or two sessions', () => import('./diff.ts')],
  ['fork', 'Write the path to an entry as a new session', () => import('./fork.ts')],
  ['append', 'Add entries to a log, each in one durable write', () => import('./append.ts')],
  ['externalize', 'Move large images out of a log into the blob store', () => import('./externalize.ts')],
  ['inline', 'Put images from the blob store back into a log', () => import('./inline.ts')],
  ['blobs', 'List and check the blobs that logs refer to, and delete unreferenced blobs', () => import('./blobs.ts')],
  ['export', 'Write a session as Markdown or HTML for people to read', () => import('./export.ts')],
  [
    'status',
    'Check whether a session is safe to resume: verdict, pending calls, last stable entry',
    () => import('./status.ts'),
  ],
  ['schema', 'Print the JSON Schema of a session log', () => import('./schema.ts')],
  [
    'completion',
    'Print the completion script for bash, zsh or fish',
    async () => ({ command: (await import('./completion.ts')).completion(loadAll) }),
  ],
];

export const commands: readonly CommandEntry[] = TABLE.map(([name, summary, load]) => ({
  name,
  summary,
  load: async () => (await load()).command,
}));

async function loadAll(): Promise<Command[]> {
  return await Promise.all(commands.map((entry) => entry.load()));
}
