import { describe, expect, it } from 'vitest';
import { outcomeOf, resultText } from '../../src/status/results.ts';

describe('a tool result as evidence', () => {
  it.each<[object, string]>([
    [{ details: { toolDenialKind: 'policy' } }, 'denied'],
    [{ details: { toolDenialKind: '' } }, 'answered'],
    [{ details: { status: 'declined' } }, 'denied'],
    [{ details: { __interrupted: true } }, 'interrupted'],
    [{ details: { interrupted: true } }, 'interrupted'],
    [{ details: { __synthetic: true, executed: false } }, 'not-executed'],
    [{ details: { __synthetic: true, executed: false, source: 'assistant_stop_skipped' } }, 'skipped'],
    [{ details: { __synthetic: true, executed: true } }, 'answered'],
    [{ content: 'The user has declined to run this tool.' }, 'denied'],
    [{ content: 'Tool call rejected by user' }, 'answered'],
    [{ content: 'Tool call rejected by user', isError: true }, 'denied'],
    [{ content: 'It was rejected by the user.', isError: true }, 'denied'],
    [{ content: `${'x'.repeat(700)} rejected by the user`, isError: true }, 'answered'],
    [{ content: 'aborted by user', isError: true }, 'interrupted'],
    [{ content: 'half\nOperation aborted.', isError: true }, 'interrupted'],
    [{ content: 'half\nCommand timed out after 5 seconds', isError: true }, 'timed-out'],
    [{ content: 'Skipped due to queued user message.', isError: true }, 'skipped'],
    [{ content: 'Tool frob not found', isError: true }, 'not-found'],
    [{ content: 'exit 1', isError: true }, 'answered'],
    [{ content: 7, details: 7 }, 'answered'],
  ])('%j says %s', (message, kind) => {
    expect(outcomeOf({ role: 'toolResult', ...message }).kind).toBe(kind);
  });

  it('says that something still runs by its text, anywhere near its ends, or by its details', () => {
    const running = (message: object): boolean => outcomeOf({ role: 'toolResult', ...message }).stillRunning;
    expect(running({ content: 'Process running with session ID 5' })).toBe(true);
    expect(running({ content: `${'x '.repeat(9000)}Process running with session ID 5` })).toBe(true);
    expect(running({ content: 'ok', details: { stillRunning: true } })).toBe(true);
    expect(running({ content: 'ok', details: { async: { state: 'running' } } })).toBe(true);
    expect(running({ content: 'ok', details: { async: { state: 'completed' } } })).toBe(false);
    expect(running({ content: 'ok', details: { async: true } })).toBe(false);
  });

  it('takes the text blocks of its content and nothing else', () => {
    expect(
      resultText({
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', text: 'b' },
          7,
          { type: 'text' },
          { type: 'text', text: 'c' },
        ],
      }),
    ).toBe('a\nc');
    expect(resultText({ content: null })).toBe('');
  });
});
