import type { Command, NamedCommand } from '../shared/command.ts';

/** Name and summary are enough for the help and for 'did you mean', so a command is loaded when it is run. */
type CommandRow = readonly [name: string, summary: string, load: () => Promise<{ readonly command: Command }>];

const TABLE: readonly CommandRow[] = [
  ['validate', 'Find everything wrong with a session log, in one pass', () => import('./validate.ts')],
  ['migrate', 'Upgrade logs of version 1 or 2 to version 3', () => import('./migrate.ts')],
  ['repair', 'Fix what can be fixed in a damaged log, and quarantine the rest', () => import('./repair.ts')],
  ['context', 'Show what the model sees at an entry, and why', () => import('./context.ts')],
  ['tree', 'Draw the tree of a session: branches, labels, compactions, the leaf', () => import('./tree.ts')],
  ['log', 'List the entries of a branch, one line each, oldest first', () => import('./log.ts')],
  ['grep', 'Find text in what was said, in one session or in all of them', () => import('./grep.ts')],
  ['ls', 'List the sessions on this machine, newest first', () => import('./ls.ts')],
  ['stats', 'Count sessions, turns, tool calls, errors, tokens and money', () => import('./stats.ts')],
  ['diff', 'Compare two branches of a session, or two sessions', () => import('./diff.ts')],
  ['fork', 'Write the path to an entry as a new session', () => import('./fork.ts')],
  ['convert', "Write any agent's session as one of pi or omp, or in another format", () => import('./convert.ts')],
  ['redact', 'Replace secrets in a session log by markers, or check that it has none', () => import('./redact.ts')],
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
  ['formats', 'List the log formats that are read, checked, repaired and written', () => import('./formats.ts')],
  ['schema', 'Print the JSON Schema of a session log', () => import('./schema.ts')],
  [
    'completion',
    'Print the completion script for bash, zsh or fish',
    async () => ({ command: (await import('./completion.ts')).completion(loadAll) }),
  ],
];

export const commands = TABLE.map(([name, summary, load]) => ({
  name,
  summary,
  load: async (): Promise<NamedCommand> => ({ name, summary, ...(await load()).command }),
}));

async function loadAll(): Promise<NamedCommand[]> {
  return await Promise.all(commands.map((entry) => entry.load()));
}
