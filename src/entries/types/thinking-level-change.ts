import type { EntryType } from '../entry-type.ts';
/** omp writes null, or leaves the level out, where thinking is off. */
export const thinkingLevelChange: EntryType = {
  name: 'thinking_level_change',
  fields: 'thinkingLevel?: string | null, configured?: string | null',
  toModel: 'state',
  note: ({ thinkingLevel }) => ({ words: ['Thinking level: ', { code: thinkingLevel ?? 'off' }] }),
};
