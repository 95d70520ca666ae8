import { bashCompletion, fishCompletion, type Vocabulary, zshCompletion } from '../completion/scripts.ts';
import type { Command, NamedCommand } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';

const shells: ReadonlyMap<string, (vocabulary: Vocabulary) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

/** The commands are a parameter, because their list includes this one. */
export const completion = (allCommands: () => Promise<readonly NamedCommand[]>): Command => ({
  operands: 'bash|zsh|fish',
  description: [
    'The script completes commands, options, their values, rule ids and session logs. It is made from the same declarations as the help, so it always matches the program; print it again after you update sessionctl.',
  ],
  memory: 'none; no log is read.',
  options: [],
  examples: {
    'source <(sessionctl completion bash)': 'try it in the current bash; the same works in zsh',
    'sessionctl completion fish > ~/.config/fish/completions/sessionctl.fish': 'install it for fish',
  },
  verbs: [...shells.keys()],
  readsInput: false,
  run: async (args, io) => {
    const [shell, ...more] = args.operands;
    if (shell === undefined) throw new UsageError('which shell? bash, zsh or fish');
    const render = shells.get(shell);
    if (!render) throw new UsageError(`no completion for '${shell}'; the shells are bash, zsh and fish`);
    if (more.length > 0) throw new UsageError(`one shell at a time; unexpected '${more[0]}'`);
    const { rules } = await import('../rules/index.ts');
    io.stdout.write(render({ commands: await allCommands(), rules }));
    return 0;
  },
});
