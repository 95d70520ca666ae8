import { stringOf } from '../entries/entry-type.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import { NOT_FOUND } from '../log/log-index.ts';

/** The label that a label entry gives to another entry. */
export interface LabelSetting {
  /** Empty if it clears the label. */
  readonly label: string;
  /** The position of the label entry. */
  readonly by: number;
}

/** The label of each entry that has one. */
export async function labels(session: Log): Promise<Map<number, string>> {
  return new Map([...(await labelSettings(session))].map(([target, { label }]) => [target, label]));
}

/** The same by the ids of the entries, in file order. */
export async function labelsById(session: Log): Promise<Map<string, string>> {
  const byPosition = await labels(session);
  const byId = new Map<string, string>();
  for await (const { position, id } of session.entries([...byPosition.keys()].sort((a, b) => a - b))) {
    if (id !== undefined) byId.set(id, byPosition.get(position) ?? '');
  }
  return byId;
}

/** The labels with the label entries. The last label entry for a target counts. */
export async function labelSettings(session: Log): Promise<Map<number, LabelSetting>> {
  const found = new Map<number, LabelSetting>();
  await forEachLabel(session, (target, setting) => {
    if (setting.label === '') found.delete(target);
    else found.set(target, setting);
  });
  return found;
}

/** Every label entry whose target is in the log, in file order. */
export async function forEachLabel(
  session: Log,
  visit: (target: number, setting: LabelSetting) => void,
): Promise<void> {
  const { index } = session;
  await session.forEachEntry(index.ofTypes(['label']), ({ position, value }) => {
    const targetId = value['targetId'];
    const target = typeof targetId === 'string' ? index.resolve(targetId, position) : NOT_FOUND;
    if (target !== NOT_FOUND) visit(target, { label: stringOf(value['label']), by: position });
  });
}

/**
 * The title of the session: omp's title slot, which omp updates in place; else the last title_change or session_info,
 * where an empty one clears it; else the title in the header.
 */
export async function sessionTitle(session: Log): Promise<string | undefined> {
  const slot = stringOf(session.titleSlot?.['title']);
  if (slot !== '') return slot;
  const { index } = session;
  for (let position = index.size - 1; position >= 0; position--) {
    const key = entryTypeOf(index.typeOf(position))?.titleKey;
    if (key === undefined) continue;
    for await (const { value } of session.entries([position])) return stringOf(value[key]) || undefined;
  }
  return stringOf(session.header?.['title']) || undefined;
}
