import { entryTypeOf } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';

/**
 * What the session is called: omp's title slot, which is kept up to date in place; else the last title_change or
 * session_info of the file, where an empty one takes the name away; else the title in the header.
 */
export async function sessionTitle(session: Log): Promise<string | undefined> {
  const slot = session.titleSlot?.['title'];
  if (typeof slot === 'string' && slot !== '') return slot;
  const { index } = session;
  for (let position = index.size - 1; position >= 0; position--) {
    const key = entryTypeOf(index.typeOf(position))?.titleKey;
    if (key === undefined) continue;
    for await (const { value } of session.entries([position])) {
      const name = value[key];
      return typeof name === 'string' && name !== '' ? name : undefined;
    }
  }
  const title = session.header?.['title'];
  return typeof title === 'string' && title !== '' ? title : undefined;
}
