import { isObject, type JsonObject } from '../json/value.ts';
import { isHeader, messageOf } from './envelope-check.ts';

/** Shapes beyond the envelope that omp throws an error on, so that it does not open the session. Each is a rule of its own. */
export const FATAL_SHAPES = [
  'bad-cwd',
  'bad-injected-rules',
  'null-block',
  'null-content',
  'usage-without-cost',
] as const;
export type FatalShape = (typeof FATAL_SHAPES)[number];

export interface FatalFault {
  readonly rule: FatalShape;
  /** Where in the object. */
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

const NONE: readonly FatalFault[] = [];
/** Roles whose content is a text or a list of blocks in every version. */
const CONTENT_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'developer', 'custom']);

/** What of a header or an entry omp throws an error on. Asks for keys and kinds of values alone. */
export function fatalFaults(value: JsonObject): readonly FatalFault[] {
  if (isHeader(value)) {
    const { cwd } = value;
    return cwd === undefined || typeof cwd === 'string'
      ? NONE
      : [{ rule: 'bad-cwd', path: ['cwd'], expected: 'a string' }];
  }
  if (value['type'] === 'ttsr_injection') {
    if (Array.isArray(value['injectedRules'])) return NONE;
    return [{ rule: 'bad-injected-rules', path: ['injectedRules'], expected: 'an array' }];
  }
  if (value['type'] === 'custom_message') return nullBlocks(value['content'], ['content']);
  const message = value['type'] === 'message' ? messageOf(value) : undefined;
  if (!message || !CONTENT_ROLES.has(message['role'])) return NONE;
  const blocks = nullBlocks(message['content'], ['message', 'content']);
  return message['role'] === 'assistant' ? [...blocks, ...turnFaults(message)] : blocks;
}

function turnFaults(message: JsonObject): readonly FatalFault[] {
  const { content, usage } = message;
  const faults: FatalFault[] = [];
  if (isNothing(content))
    faults.push({ rule: 'null-content', path: ['message', 'content'], expected: 'a string or an array' });
  // The oldest dialect counts inputTokens, and never had a cost.
  if (isObject(usage) && isNothing(usage['cost']) && usage['inputTokens'] === undefined) {
    faults.push({ rule: 'usage-without-cost', path: ['message', 'usage', 'cost'], expected: 'an object' });
  }
  return faults;
}

function nullBlocks(content: unknown, path: readonly string[]): readonly FatalFault[] {
  if (!Array.isArray(content) || !content.includes(null)) return NONE;
  const faults: FatalFault[] = [];
  content.forEach((block, index) => {
    if (block === null) faults.push({ rule: 'null-block', path: [...path, index], expected: 'an object' });
  });
  return faults;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
