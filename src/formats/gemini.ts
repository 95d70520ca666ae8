import { isObject } from '../json/value.ts';
import type { LogFormat } from './format.ts';

export const gemini: LogFormat = {
  id: 'gemini',
  title: 'a Gemini CLI session',
  noun: 'Gemini CLI session',
  detect: (head) => {
    const { first } = head;
    if (
      first &&
      !Object.hasOwn(first, 'type') &&
      typeof first['sessionId'] === 'string' &&
      typeof first['projectHash'] === 'string'
    )
      return true;
    if (head.documentHas('sessionId', 'projectHash', 'messages')) return true;
    const history = Array.isArray(head.document) ? head.document : head.documentValue('history');
    return (
      Array.isArray(history) &&
      history.length > 0 &&
      history.every((turn) => isObject(turn) && Array.isArray(turn['parts']))
    );
  },
};
