import { Chalk, type ChalkInstance } from 'chalk';
import type { Style } from '../commands/command.ts';

export type ColourWish = 'auto' | 'always' | 'never';

/** --color beats NO_COLOR beats FORCE_COLOR beats TERM=dumb beats whether the stream is a terminal. */
export function wantsColour(wish: ColourWish, env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (wish !== 'auto') return wish === 'always';
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env['TERM'] === 'dumb') return false;
  return isTerminal;
}

export function makeStyle(colour: boolean): Style {
  const chalk: ChalkInstance = new Chalk({ level: colour ? 1 : 0 });
  return {
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    red: (text) => chalk.red(text),
    yellow: (text) => chalk.yellow(text),
    green: (text) => chalk.green(text),
    cyan: (text) => chalk.cyan(text),
    magenta: (text) => chalk.magenta(text),
    blue: (text) => chalk.blue(text),
  };
}
