/** Pieces of logs for tests: small, and just healthy enough for the schemas. */
export const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/r"}\n';

export const entry = (type: string, id: string, parentId: string | null, rest: object = {}): string =>
  `${JSON.stringify({ type, id, parentId, timestamp: '2026-01-01T00:00:01.000Z', ...rest })}\n`;

export const user = (id: string, parentId: string | null, text = 'hi'): string =>
  entry('message', id, parentId, { message: { role: 'user', content: text, timestamp: 1 } });

export const assistant = (
  id: string,
  parentId: string | null,
  calls: readonly string[] = [],
  stopReason = 'stop',
): string =>
  entry('message', id, parentId, {
    message: {
      role: 'assistant',
      content: calls.map((call) => ({ type: 'toolCall', id: call, name: 'bash', arguments: {} })),
      api: 'x',
      provider: 'p',
      model: 'm',
      usage: {
        input: 1,
        output: 1,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 2,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason,
      timestamp: 1,
    },
  });

export const result = (id: string, parentId: string | null, call: string): string =>
  entry('message', id, parentId, {
    message: {
      role: 'toolResult',
      toolCallId: call,
      toolName: 'bash',
      content: [{ type: 'text', text: 'ok' }],
      isError: false,
      timestamp: 1,
    },
  });
