import type { Command } from './command.ts';

export const command: Command = {
  name: 'validate',
  summary: 'Find everything that is wrong with a session log, in one pass',
  operands: '[FILE|DIR]...',
  description: [],
  options: [],
  examples: [],
  readsInput: true,
  run: async () => 0,
};
