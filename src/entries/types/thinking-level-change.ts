import type { EntryType } from '../entry-type.ts';
/** omp writes null or nothing if thinking is off. */
export const thinkingLevelChange: EntryType = {
  name: 'thinking_level_change',
  fields: 'thinkingLevel?: string | null, configured?: string | null',
  toModel: 'state',
  note: ({ thinkingLevel }) => ({ words: ['Thinking level: ', { code: thinkingLevel ?? 'off' }] }),
};
