import { columnsOf } from '../base/width.ts';
import { PIPE_COLUMNS, type RowStyle } from '../projection/overview/row.ts';
import type { Io } from './command.ts';

export function rowStyle(io: Io): RowStyle {
  const isTerminal = io.stdout.isTTY === true;
  return { style: io.style, isTerminal, columns: isTerminal ? columnsOf(io.stdout) : PIPE_COLUMNS };
}
