import { messageOf } from '../../entries/envelope-check.ts';
import type { LogEntry } from '../../tree/session.ts';
import type { Decoration } from './row.ts';

/** What is marked in an overview of a session. */
export interface Marks {
  /** The leaf: the last entry of the log, or the one that the user named; -1 for none. */
  readonly leaf: number;
  readonly labels: ReadonlyMap<number, string>;
}

export function decorationsOf(position: number, marks: Marks): Decoration[] {
  const decorations: Decoration[] = position === marks.leaf ? [{ kind: 'leaf', text: '@' }] : [];
  const label = marks.labels.get(position);
  if (label !== undefined) decorations.push({ kind: 'label', text: label });
  return decorations;
}

/** An entry's place in the log, as JSON; what the entry has not is left out. */
export function overviewRecord({ position, line, value }: LogEntry, marks: Marks): Record<string, unknown> {
  return {
    line,
    id: value['id'],
    parentId: value['parentId'],
    type: value['type'],
    role: value['type'] === 'message' ? messageOf(value)?.['role'] : undefined,
    timestamp: value['timestamp'],
    label: marks.labels.get(position),
  };
}

/** How an overview names an entry: by its id, or by its line where it has none. */
export function nameOf({ line, value }: LogEntry): string {
  return typeof value['id'] === 'string' ? value['id'] : `line:${line}`;
}
