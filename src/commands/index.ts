import type { Command } from '../shared/command.ts';

/** A command's place in the list: enough for the help and for 'did you mean', without loading the command. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'validate',
    summary: 'Find everything wrong with a session log, in one pass',
    load: async () => (await import('./validate.ts')).command,
  },
  {
    name: 'migrate',
    summary: 'Upgrade logs of version 1 or 2 to version 3',
    load: async () => (await import('./migrate.ts')).command,
  },
  {
    name: 'repair',
    summary: 'Fix what can be fixed in a damaged log, and quarantine the rest',
    load: async () => (await import('./repair.ts')).command,
  },
  {
    name: 'context',
    summary: 'Show what the model sees at an entry, and why',
    load: async () => (await import('./context.ts')).command,
  },
  {
    name: 'tree',
    summary: 'Draw the tree of a session: branches, labels, compactions, the leaf',
    load: async () => (await import('./tree.ts')).command,
  },
  {
    name: 'log',
    summary: 'List the entries of a branch, one line each, oldest first',
    load: async () => (await import('./log.ts')).command,
  },
  {
    name: 'diff',
    summary: 'Compare two branches of a session, or two sessions',
    load: async () => (await import('./diff.ts')).command,
  },
  {
    name: 'fork',
    summary: 'Write the path to an entry as a new session',
    load: async () => (await import('./fork.ts')).command,
  },
  {
    name: 'append',
    summary: 'Add entries to a log, each in one durable write',
    load: async () => (await import('./append.ts')).command,
  },
  {
    name: 'externalize',
    summary: 'Move large images out of a log into the blob store',
    load: async () => (await import('./externalize.ts')).command,
  },
  {
    name: 'inline',
    summary: 'Put images from the blob store back into a log',
    load: async () => (await import('./inline.ts')).command,
  },
  {
    name: 'blobs',
    summary: 'List and check the blobs that logs refer to, and delete unreferenced blobs',
    load: async () => (await import('./blobs.ts')).command,
  },
  {
    name: 'export',
    summary: 'Write a session as Markdown or HTML for people to read',
    load: async () => (await import('./export.ts')).command,
  },
  {
    name: 'status',
    summary: 'Check whether a session is safe to resume: verdict, pending calls, last stable entry',
    load: async () => (await import('./status.ts')).command,
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a session log',
    load: async () => (await import('./schema.ts')).command,
  },
  {
    name: 'completion',
    summary: 'Print the completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion(loadAll),
  },
];

async function loadAll(): Promise<Command[]> {
  return await Promise.all(commands.map((entry) => entry.load()));
}
