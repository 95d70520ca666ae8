import type { Start } from './start.ts';

/** A format that a file may have, and how its start gives it away. */
export interface Format {
  readonly id: string;
  /** With an article, for 'seems to be a ...'. */
  readonly title: string;
  /** What several of them are called with an s, for '4 Codex rollouts'. */
  readonly noun: string;
  recognises(start: Start): boolean;
}
