import { isObject } from '../entries/json-value.ts';
import type { Format } from './format.ts';

export const gemini: Format = {
  id: 'gemini',
  title: 'a Gemini CLI session',
  noun: 'Gemini CLI session',
  recognises: (start) => {
    const { first } = start;
    if (first && !Object.hasOwn(first, 'type') && typeof first['sessionId'] === 'string' && typeof first['projectHash'] === 'string')
      return true;
    if (start.documentHas('sessionId', 'projectHash', 'messages')) return true;
    const history = Array.isArray(start.document) ? start.document : start.documentValue('history');
    return Array.isArray(history) && history.length > 0 && history.every((turn) => isObject(turn) && Array.isArray(turn['parts']));
  },
};
