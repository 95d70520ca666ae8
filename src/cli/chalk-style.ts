import { Chalk, type ChalkInstance } from 'chalk';
import type { Style } from '../shared/command.ts';

export function makeStyle(color: boolean): Style {
  const chalk: ChalkInstance = new Chalk({ level: color ? 1 : 0 });
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
