import { messageRoles } from '../entries/messages.ts';
import { entryTypes } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import { UsageError } from '../util/errors.ts';
import { nearest } from '../util/words.ts';
import { kindOf } from './row.ts';

const MOST_NAMES = 12;

/** Refuses a type or a role that no entry of the session has, unless it is one that others have. */
export async function requireNames(session: Log, of: 'type' | 'role', wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const here = await namesIn(session, of);
  const names = new Set([...(of === 'type' ? entryTypes : messageRoles).map(({ name }) => name), ...here]);
  const wrong = wanted.find((name) => !names.has(name));
  if (wrong === undefined) return;
  const [suggestion] = nearest(wrong, names);
  const rest =
    suggestion === undefined
      ? `${of}s are ${[...(here.size > 0 ? here : names)].slice(0, MOST_NAMES).join(', ')}`
      : `did you mean '${suggestion}'?`;
  throw new UsageError(`no ${of === 'type' ? 'entry' : 'message'} has the ${of} '${wrong}'; ${rest}`);
}

/** The types of all entries of a session, or the roles of its messages, in file order. */
async function namesIn(session: Log, of: 'type' | 'role'): Promise<Set<string>> {
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
