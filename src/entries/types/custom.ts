import type { EntryType } from '../entry-type.ts';
/** An extension's own state; no model sees it. */
export const custom: EntryType = {
  name: 'custom',
  fields: 'customType: string, data?: unknown',
  payload: [['customType']],
  note: ({ customType, data }) => ({ words: ['Extension data: ', { code: customType ?? 'unnamed' }], data }),
};
