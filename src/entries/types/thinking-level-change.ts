import type { EntryType } from '../entry-type.ts';
/** omp writes null, or leaves the level out, where thinking is off. */
export const thinkingLevelChange: EntryType = {
  name: 'thinking_level_change',
  fields: ({ string, optional, orNull }) => ({
    thinkingLevel: optional(orNull(string)),
    configured: optional(orNull(string)),
  }),
  toModel: 'state',
  note: ({ thinkingLevel }) => ({ words: ['Thinking level: ', { code: thinkingLevel ?? 'off' }] }),
};
