import { type EntryType, stringOf } from '../entry-type.ts';
/** An absent or empty label clears the one before it. */
export const label: EntryType = {
  name: 'label',
  fields: 'targetId: string, label?: string',
  toModel: 'state',
  payload: [['targetId']],
  references: { targetId: 'label' },
  text: (entry) => [stringOf(entry['label']) || '(cleared)', `on ${stringOf(entry['targetId'])}`],
  note: (entry) => {
    const name = stringOf(entry['label']);
    const { targetId } = entry;
    const on = typeof targetId === 'string' ? [name ? ' on ' : ' from ', { entry: targetId }] : [];
    return { words: name ? ['Label ', { code: name }, ...on] : ['Label removed', ...on] };
  },
};
