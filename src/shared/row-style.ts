import { PIPE_COLUMNS, type RowStyle } from '../overview/row.ts';
import { columnsOf } from '../util/width.ts';
import type { Io } from './command.ts';

export function rowStyle(io: Io): RowStyle {
  const isTerminal = io.stdout.isTTY === true;
  return { style: io.style, isTerminal, columns: isTerminal ? columnsOf(io.stdout) : PIPE_COLUMNS };
}
