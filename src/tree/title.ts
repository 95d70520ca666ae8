import type { Session } from './session.ts';

/**
 * What the session is called: omp's title slot, which is kept up to date in place; else the last title_change or
 * session_info of the file, where an empty one takes the name away; else the title in the header.
 */
export async function sessionTitle(session: Session): Promise<string | undefined> {
  const slot = session.titleSlot?.['title'];
  if (typeof slot === 'string' && slot !== '') return slot;
  const { index } = session;
  for (let position = index.size - 1; position >= 0; position--) {
    const type = index.typeOf(position);
    if (type !== 'title_change' && type !== 'session_info') continue;
    for await (const { value } of session.entries([position])) {
      const name = type === 'title_change' ? value['title'] : value['name'];
      return typeof name === 'string' && name !== '' ? name : undefined;
    }
  }
  const title = session.header?.['title'];
  return typeof title === 'string' && title !== '' ? title : undefined;
}
