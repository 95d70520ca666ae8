import type { LeftOut } from '../log/log-entry.ts';
import { counted } from '../util/words.ts';
import type { Io } from './command.ts';

/** So many lines are listed beside the first. */
const LISTED = 4;

/** Says once which lines of a log are damaged; `fate` says what became of them, as in 'was left out'. */
export function noteDamage(name: string, lines: readonly LeftOut[], fate: string, io: Io): void {
  const [first, ...others] = lines;
  if (first === undefined) return;
  const listed = others.slice(0, LISTED).map(({ line, rule }) => `${line} (${rule})`);
  if (others.length > LISTED) listed.push('...');
  const more = others.length > 0 ? `, and ${counted(others.length, 'other line')}: ${listed.join(', ')}` : '';
  const what = `line ${first.line} is damaged (${first.rule}) and ${fate}${more}`;
  io.note(`${name}: ${what}; 'sessionctl repair' fixes what can be fixed`);
}
