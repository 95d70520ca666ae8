import type { Style } from '../shared/command.ts';

export type ColorWhen = 'auto' | 'always' | 'never';

/** --color beats NO_COLOR beats FORCE_COLOR beats TERM=dumb beats whether the stream is a terminal. */
export function wantsColor(
  when: ColorWhen,
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (when !== 'auto') return when === 'always';
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env['TERM'] === 'dumb') return false;
  return isTerminal;
}

/** For a stream without color. */
export const PLAIN: Style = {
  bold: asItIs,
  dim: asItIs,
  red: asItIs,
  yellow: asItIs,
  green: asItIs,
  cyan: asItIs,
  magenta: asItIs,
  blue: asItIs,
};

function asItIs(text: string): string {
  return text;
}
