import { messageOf } from '../entries/envelope-check.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { kindOf } from './entry-text.ts';
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

/** The types of all entries of a session, or the roles of its messages, in the order in which they are met. */
export async function namesIn(session: Log, of: 'type' | 'role'): Promise<Set<string>> {
  const { index } = session;
  const names = new Set<string>();
  const unnamed: number[] = [];
  for (let position = 0; position < index.size; position++) {
    const type = index.typeOf(position);
    const name = of === 'type' ? type : index.roleOf(position);
    if (name !== '') names.add(name);
    else if (of === 'type' || type === 'message' || type === '') unnamed.push(position);
  }
  // The index keeps the first few hundred names.
  for await (const { value } of session.entries(unnamed)) {
    if (of === 'type') names.add(String(value['type']));
    else if (value['type'] === 'message') names.add(kindOf(value));
  }
  return names;
}
