import type { PathEntry } from '../../src/context/types.ts';

/** Entries chained in order; ids are e0, e1, ... where a body names none. */
export function chain(...bodies: readonly object[]): PathEntry[] {
  let parentId: string | null = null;
  return bodies.map((body, place) => {
    const value: Record<string, unknown> = {
      id: `e${place}`,
      parentId,
      timestamp: '2026-02-16T10:00:00.000Z',
      ...body,
    };
    parentId = String(value['id']);
    return { text: JSON.stringify(value), value };
  });
}

export const user = (content: unknown = 'hello'): object => ({
  type: 'message',
  message: { role: 'user', content, timestamp: 1 },
});

export const assistant = (content: unknown, more: object = {}): object => ({
  type: 'message',
  message: { role: 'assistant', content, provider: 'anthropic', model: 'm', stopReason: 'stop', timestamp: 2, ...more },
});

export const result = (toolCallId: string, more: object = {}): object => ({
  type: 'message',
  message: {
    role: 'toolResult',
    toolCallId,
    toolName: 'read',
    content: [{ type: 'text', text: 'out' }],
    isError: false,
    ...more,
  },
});

export const call = (id: string): object => ({ type: 'toolCall', id, name: 'read', arguments: { path: 'a' } });

export const text = (words: string): object => ({ type: 'text', text: words });
