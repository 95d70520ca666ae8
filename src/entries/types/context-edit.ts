import { isObject } from '../../json/value.ts';
import { type EntryType, stringOf } from '../entry-type.ts';
/** pi: what the model sees of an earlier entry; null removes it. */
export const contextEdit: EntryType = {
  name: 'context_edit',
  fields: 'targetId: string, replacement: { content: content } | null',
  dialect: 'pi',
  payload: [['targetId', 'replacement']],
  references: { targetId: 'other' },
  text: (entry) => [`${entry['replacement'] === null ? 'removes' : 'replaces'} ${stringOf(entry['targetId'])}`],
  note: ({ targetId, replacement }) => {
    const target = typeof targetId === 'string' ? { entry: targetId } : 'an entry';
    if (!isObject(replacement)) return { words: ['The model no longer sees ', target] };
    return { words: ['The model sees something else instead of ', target], content: replacement['content'] };
  },
};
