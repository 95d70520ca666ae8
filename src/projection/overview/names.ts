import type { Session } from '../../tree/session.ts';
import { kindOf } from './entry-text.ts';

/** The types of all entries of a session, or the roles of its messages, in the order in which they are met. */
export async function namesIn(session: Session, of: 'type' | 'role'): Promise<Set<string>> {
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
