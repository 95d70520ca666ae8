import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/context/context.ts';
import { FORMS, type FormName, leftOutOf, MessageForm } from '../../src/context/messages/form.ts';
import { type PathEntry, PROFILES } from '../../src/context/types.ts';
import { assistant, call, chain, result, text, user } from '../support/chain.ts';
import { plainPath } from '../support/plain-path.ts';
import { settings } from '../support/properties.ts';
import { anthropicFaults, openaiFaults, responsesFaults } from '../support/provider-rules.ts';
import { randomPath } from '../support/random-path.ts';
import { contextVectors } from '../support/vectors.ts';

type Json = Record<string, unknown>;

function reported(name: FormName, messages: readonly string[]): Json[] {
  const form = new MessageForm(name);
  return [...messages.flatMap((message) => form.add(message)), ...form.end()].map((line) => JSON.parse(line) as Json);
}

const inForm = (name: FormName, ...bodies: object[]): Json[] =>
  reported(name, buildContext(chain(...bodies), { profile: 'spec' }).messages);
const faultsOf: Readonly<Record<'anthropic' | 'openai' | 'responses', (messages: readonly unknown[]) => string[]>> = {
  anthropic: anthropicFaults,
  openai: openaiFaults,
  responses: responsesFaults,
};
const stored = (message: object): object => ({ type: 'message', message });

describe('the published rules of the providers', () => {
  for (const name of ['anthropic', 'openai', 'responses'] as const) {
    it(`hold for ${name} on every vector in every profile`, () => {
      for (const vector of contextVectors()) {
        const path = plainPath(vector.text, vector.leaf);
        for (const profile of PROFILES) {
          const { messages } = buildContext(path, { profile });
          // A history of the provider is given as it was stored, and the one of a vector is not a real one.
          if (name === 'responses' && messages[0]?.includes('"openaiResponsesHistory"')) continue;
          expect(faultsOf[name](reported(name, messages)), `${vector.name} ${profile}`).toEqual([]);
        }
      }
    });

    it(`hold for ${name} on random sessions`, () => {
      fc.assert(
        fc.property(randomPath, fc.constantFrom(...PROFILES), (path: PathEntry[], profile) => {
          expect(faultsOf[name](reported(name, buildContext(path, { profile }).messages))).toEqual([]);
        }),
        settings(250),
      );
    });
  }

  it('are checked by a checker that finds faults', () => {
    const said = { role: 'user', content: [text('x')] };
    const used = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'n', input: {} }] };
    expect(anthropicFaults([said, used])).toEqual(['message 1: calls that nothing answers']);
    expect(anthropicFaults([used])[0]).toContain('out of turn');
    expect(anthropicFaults([said, said])[0]).toContain('out of turn');
    expect(anthropicFaults([{ role: 'user', content: [text(' ')] }])).toEqual(['message 0: empty text']);
    expect(anthropicFaults([{ role: 'user', content: [text('\ud83d')] }])).toEqual(['half a surrogate pair']);
    expect(anthropicFaults([{ role: 'user', content: [text('\\ud83d 🎉')] }])).toEqual([]);
    const asked = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'n', arguments: '{}' } }],
    };
    expect(openaiFaults([asked, { role: 'user', content: 'x' }])[0]).toContain('before the results');
    const called = { type: 'function_call', call_id: 'a', name: 'n', arguments: '{}' };
    expect(responsesFaults([called])).toEqual(['calls that nothing answers at the end']);
    expect(responsesFaults([{ type: 'custom_tool_call_output', call_id: 'a', output: '' }])[0]).toContain('not open');
    expect(openaiFaults([asked])).toEqual(['calls that nothing answers at the end']);
    expect(openaiFaults([{ role: 'tool', tool_call_id: 'a', content: 'x' }])[0]).toContain('not open');
  });
});

describe('--as llm', () => {
  it('gives user, assistant and toolResult messages alone, whatever the session holds', () => {
    fc.assert(
      fc.property(randomPath, (path: PathEntry[]) => {
        for (const message of reported('llm', buildContext(path, { profile: 'spec' }).messages)) {
          expect(['user', 'assistant', 'toolResult']).toContain(message['role']);
          expect(message['content']).not.toBe(null);
        }
      }),
      settings(300),
    );
  });

  it('leaves stored messages as the log has them', () => {
    const line = '{"role":"assistant","content":[{"type":"text","text":"\\u0041"}],"n":1.0}';
    expect(new MessageForm('llm').add(line)).toEqual([line]);
  });

  it('tells executions as text and drops those that the user kept out of the context', () => {
    const bash = (more: object): object =>
      stored({ role: 'bashExecution', command: 'ls', output: 'a\nb', exitCode: 0, timestamp: 5, ...more });
    expect(inForm('llm', bash({}))).toEqual([
      {
        role: 'user',
        content: 'The user ran a shell command:\n\n```\nls\n```\n\nIt printed:\n\n```\na\nb\n```',
        timestamp: 5,
      },
    ]);
    expect(inForm('llm', bash({ excludeFromContext: true }))).toEqual([]);
    const content = (more: object): unknown => inForm('llm', bash(more))[0]?.['content'];
    expect(content({ output: '', exitCode: 2 })).toContain('It printed nothing.\n\nIt ended with exit code 2.');
    expect(content({ cancelled: true, exitCode: null })).toContain('It was canceled.');
    expect(content({ truncated: true, fullOutputPath: '/tmp/o' })).toContain('all of it is in /tmp/o');
    expect(content({ output: '```\n'.repeat(200_000) })).toContain('````\n```\n');
    expect(content({ output: '```\nx\n````' })).toContain('`````\n```\nx\n````\n`````');
    expect(content({ truncated: true })).toContain('The output was truncated.');
    expect(inForm('llm', stored({ role: 'pythonExecution', code: '1', excludeFromContext: true }))).toEqual([]);
    expect(inForm('llm', stored({ role: 'pythonExecution', code: '1', output: '' }))[0]?.['content']).toContain(
      'The user ran Python code:',
    );
  });

  it('wraps summaries in words and tells what was mentioned and injected', () => {
    const compaction = { type: 'compaction', summary: 'S', firstKeptEntryId: 'e0', tokensBefore: 1 };
    const messages = inForm(
      'llm',
      compaction,
      { type: 'branch_summary', summary: 'B' },
      { type: 'custom_message', customType: 'x', content: [text('C')] },
      stored({ role: 'fileMention', files: [{ path: 'a.ts', content: 'code' }] }),
      stored({ role: 'developer', content: 'D' }),
    );
    expect(messages.map((message) => message['role'])).toEqual(['user', 'user', 'user', 'user', 'user']);
    expect(messages[0]?.['content']).toContain('<summary>\nS\n</summary>');
    expect(messages[1]?.['content']).toContain('<summary>\nB\n</summary>');
    expect(messages[2]?.['content']).toEqual([text('C')]);
    expect(messages[3]?.['content']).toEqual([text('The user mentioned the file a.ts:\n\n```\ncode\n```')]);
    expect(messages[4]?.['content']).toBe('D');
    expect(inForm('llm', { ...compaction, summary: '' })[0]?.['content']).toBe(
      'The conversation up to here was shortened, and no summary of it was kept.',
    );
  });

  it('tells mentioned files with their pictures, and nothing where none is named', () => {
    const image = { data: 'aGVsbG8=', mimeType: 'image/png' };
    const files = [7, { path: 'a.png', image }, { path: 'b', image: { data: 7 } }, { path: 'c', content: '' }];
    expect(inForm('llm', stored({ role: 'fileMention', files }))[0]?.['content']).toEqual([
      text('The user mentioned the file a.png.'),
      { type: 'image', ...image },
      text('The user mentioned the file b.'),
      text('The user mentioned the file c.'),
    ]);
    expect(inForm('llm', stored({ role: 'fileMention', files: 7 }))).toEqual([]);
  });

  it('counts messages of roles that it does not know, also those that have none', () => {
    const form = new MessageForm('anthropic');
    expect([...form.add('{"content":"x"}'), ...form.add('{"role":7}'), ...form.end()]).toEqual([]);
    expect([...form.unknownRoles]).toEqual([['', 2]]);
  });

  it('counts messages of roles that it does not know', () => {
    const form = new MessageForm('llm');
    form.add('{"role":"weird","content":"x"}');
    form.add('{"role":"weird","content":"y"}');
    expect([...form.unknownRoles]).toEqual([['weird', 2]]);
  });
});

describe('--as anthropic', () => {
  it('merges neighbors of one side and puts results first, to their calls', () => {
    const messages = inForm(
      'anthropic',
      user('a'),
      user([text('b')]),
      assistant([text('c'), call('t1')]),
      assistant([call('t2')]),
      user('steer'),
      result('t2'),
      result('t1', { isError: true }),
      assistant([text('d ')]),
    );
    expect(messages).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
      {
        role: 'assistant',
        content: [
          text('c'),
          { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 't2', name: 'read', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('out')], is_error: true },
          { type: 'tool_result', tool_use_id: 't2', content: [text('out')] },
          text('steer'),
        ],
      },
      { role: 'assistant', content: [text('d')] },
    ]);
  });

  it('answers a call that has no result, and tells a result that has no call', () => {
    const messages = inForm('anthropic', result('lost'), assistant([call('t')]), user('go on'));
    expect(messages[0]?.['content']).toEqual([
      text("A result of the tool 'read' whose call is not in this context:"),
      text('out'),
    ]);
    expect(messages[2]?.['content']).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [text('No result of this call was recorded.')],
        is_error: true,
      },
      text('go on'),
    ]);
  });

  it('gives an empty result as Claude Code does, and in words where the API wants text', () => {
    const empty = result('t', { content: [text('')] });
    const messages = [assistant([call('t')]), empty] as const;
    expect(inForm('anthropic', ...messages)[2]?.['content']).toEqual([
      { type: 'tool_result', tool_use_id: 't', content: '' },
    ]);
    expect(inForm('openai', ...messages)[1]).toEqual({ role: 'tool', tool_call_id: 't', content: '(no output)' });
  });

  it('starts with the user, in words, where the context starts with the assistant', () => {
    expect(inForm('anthropic', assistant([text('x')]))[0]).toEqual({
      role: 'user',
      content: [text('What came before this point is not in this context.')],
    });
  });

  it("sends thinking only with Anthropic's signature and only at the front of a turn", () => {
    const thinking = (thinkingSignature?: string): object => ({ type: 'thinking', thinking: 'hm', thinkingSignature });
    const content = (provider: string, ...blocks: object[]): unknown =>
      inForm('anthropic', user(), assistant(blocks, { provider }))[1]?.['content'];
    const sent = { type: 'thinking', thinking: 'hm', signature: 's' };
    expect(content('anthropic', thinking('s'), text('x'))).toEqual([sent, text('x')]);
    expect(content('openai', thinking('s'), text('x'))).toEqual([text('x')]);
    expect(content('anthropic', thinking(), thinking(''), text('x'))).toEqual([text('x')]);
    expect(content('anthropic', text('x'), thinking('s'), text('y'))).toEqual([text('x'), text('y')]);
    const ofPi = { type: 'thinking', thinking: '[Reasoning redacted]', thinkingSignature: 'd', redacted: true };
    expect(content('anthropic', ofPi, text('x'))).toEqual([{ type: 'redacted_thinking', data: 'd' }, text('x')]);
    expect(content('anthropic', { type: 'redactedThinking', data: 'd' }, text('x'))).toEqual([
      { type: 'redacted_thinking', data: 'd' },
      text('x'),
    ]);
    expect(content('anthropic', thinking('s'))).toBe(undefined);
    const first = inForm('anthropic', assistant([thinking('s'), text('x')], { provider: 'anthropic' }));
    expect(first[1]?.['content']).toEqual([sent, text('x')]);
  });

  it('gives every call an id of its own in the characters that are allowed', () => {
    const ids = (messages: Json[]): unknown[] =>
      messages.flatMap((message) =>
        (message['content'] as Json[]).flatMap((block) => (block['type'] === 'tool_use' ? block['id'] : [])),
      );
    const again = [
      assistant([call('a|b')]),
      result('a|b'),
      assistant([call('a.b')]),
      result('a.b'),
      assistant([call('a|b')]),
      result('a|b'),
    ];
    const messages = inForm('anthropic', user(), ...again);
    expect(ids(messages)).toEqual(['a_b', 'a_b_2', 'a_b_3']);
    expect(messages.map((message) => message['role'])).toEqual([
      'user',
      ...Array.from({ length: 3 }, () => ['assistant', 'user']).flat(),
    ]);
  });

  it('keeps the spelling of arguments, and makes an object of those that are none', () => {
    const args = '{"n":1.0,"big":12345678901234567890,"t":"\\ud83d\\ude00 \\ud83d \\\\ud83d"}';
    const line = `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"n","arguments":${args}}]}`;
    const form = new MessageForm('anthropic');
    const lines = [...form.add(line), ...form.end()];
    expect(lines[1]).toContain('{"n":1.0,"big":12345678901234567890,"t":"\\ud83d\\ude00 \\ufffd \\\\ud83d"}');
    const input = (value: unknown): unknown => {
      const content = inForm(
        'anthropic',
        user(),
        assistant([{ type: 'toolCall', id: 'a', name: 'n', input: value }]),
      )[1]?.['content'];
      return (content as Json[])[0]?.['input'];
    };
    expect(input('{"a":1}')).toEqual({ a: 1 });
    expect(input('ls')).toEqual({ input: 'ls' });
    expect(input([1])).toEqual({ input: [1] });
    expect(input(null)).toEqual({});
    expect(input('[1]')).toEqual({ input: '[1]' });
  });

  it('names a call and its tool where the log does not', () => {
    const used = inForm(
      'anthropic',
      user(),
      assistant([
        { type: 'toolCall', arguments: {} },
        { type: 'toolCall', id: 7, name: '\u00e9 x' },
      ]),
    )[1];
    expect(used?.['content']).toEqual([
      { type: 'tool_use', id: 'call', name: 'tool', input: {} },
      { type: 'tool_use', id: 'call_2', name: '__x', input: {} },
    ]);
  });

  it('says nothing for an assistant whose content is neither text nor blocks, and keeps what follows thinking at the end', () => {
    expect(inForm('anthropic', user('a'), assistant(7), assistant(null), user('b'))).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
    ]);
    expect(inForm('anthropic', user('a'), assistant('plain '))[1]).toEqual({
      role: 'assistant',
      content: [text('plain')],
    });
    expect(inForm('anthropic', user('a'), assistant(['odd', text('x')]))[1]).toEqual({
      role: 'assistant',
      content: [text('x')],
    });
    expect(inForm('anthropic', user(7), assistant([text('x')]), user([]))).toHaveLength(2);
  });

  it('survives arguments nested deeper than any call stack', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const line = `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"n","arguments":${deep}}]}`;
    for (const name of FORMS) {
      const form = new MessageForm(name);
      expect([...form.add(line), ...form.end()].join('').length).toBeGreaterThan(deep.length);
    }
  });

  it('sends images as base64 sources, and words for those that cannot be sent', () => {
    const image = (data: string, mimeType: string): object => ({ type: 'image', data, mimeType });
    const content = inForm(
      'anthropic',
      user([
        image('aGVsbG8=', 'image/png'),
        image('blob:sha256:ab', 'image/png'),
        image('aaaa', 'image/tiff'),
        image('aaaaa', 'image/png'),
      ]),
    );
    expect(content[0]?.['content']).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } },
      text('[An image that is not available: blob:sha256:ab]'),
      text('[An image of a type that cannot be sent: image/tiff]'),
      text('[An image whose data is not base64]'),
    ]);
  });

  it('gathers system text apart from the messages', () => {
    const form = new MessageForm('anthropic');
    form.add('{"role":"system","content":"be brief","sections":{"p":"in French"}}');
    expect([...form.end()]).toEqual([]);
    form.add(
      '{"role":"system","content":[{"type":"text","text":"be kind"},{"type":"image"},{"type":"text","text":"be quick"}]}',
    );
    expect(form.system).toEqual(['be brief\n\nin French', 'be kind\n\nbe quick']);
    expect(leftOutOf('anthropic', '{"role":"system","content":"be brief"}')).toBe('system-text');
  });
});

describe('--as openai', () => {
  it('puts results right behind their calls, text alone, and their images behind them', () => {
    const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
    const messages = inForm(
      'openai',
      stored({ role: 'system', content: 'be brief' }),
      user([text('look'), image]),
      assistant([text('yes'), call('t')]),
      user('steer'),
      result('t', { content: [image] }),
      assistant([call('u')]),
    );
    const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } };
    const called = (id: string): object => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: '{"path":"a"}' },
    });
    expect(messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [text('look'), shown] },
      { role: 'assistant', content: 'yes', tool_calls: [called('t')] },
      { role: 'tool', tool_call_id: 't', content: '(see the image that follows)' },
      { role: 'user', content: [text('The result of t showed:'), shown] },
      { role: 'user', content: 'steer' },
      { role: 'assistant', content: null, tool_calls: [called('u')] },
      { role: 'tool', tool_call_id: 'u', content: 'Error: No result of this call was recorded.' },
    ]);
  });

  it('never sends thinking', () => {
    const thinking = { type: 'thinking', thinking: 'hm', thinkingSignature: 's' };
    for (const provider of ['openai', 'anthropic', undefined]) {
      expect(inForm('openai', assistant([thinking, text('x')], { provider }))).toEqual([
        { role: 'assistant', content: 'x' },
      ]);
    }
  });
});

describe('--as responses', () => {
  const item = (role: string, ...parts: object[]): object => ({ type: 'message', role, content: parts });
  const input = (words: string): object => ({ type: 'input_text', text: words });
  const output = (words: string): object => ({ type: 'output_text', text: words });
  const called = (id: string): object => ({
    ...{ type: 'function_call', name: 'read', arguments: '{"path":"a"}' },
    call_id: id,
  });

  it('gives an item for each thing that was said, thought, called and answered', () => {
    const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
    const thinking = { type: 'thinking', thinking: '', thinkingSignature: JSON.stringify(reasoning) };
    const other = { type: 'thinking', thinking: 'hm', thinkingSignature: 'of another provider' };
    const textSignature = '{"v":1,"id":"msg_1","phase":"commentary"}';
    const items = inForm(
      'responses',
      stored({ role: 'system', content: 'be brief' }),
      stored({ role: 'developer', content: 'be kind' }),
      user([text('look'), image]),
      assistant([thinking, other, { ...text('yes'), textSignature }, call('t'), call('u')]),
      result('u', { content: [text('b'), image] }),
      result('t', { content: [text('a')] }),
      assistant([text('done')]),
    );
    const shown = { type: 'input_image', image_url: 'data:image/png;base64,aGVsbG8=' };
    expect(items).toEqual([
      item('system', input('be brief')),
      item('developer', input('be kind')),
      item('user', input('look'), shown),
      reasoning,
      { ...item('assistant', output('yes')), id: 'msg_1', phase: 'commentary' },
      called('t'),
      called('u'),
      { type: 'function_call_output', call_id: 'u', output: [input('b'), shown] },
      { type: 'function_call_output', call_id: 't', output: 'a' },
      item('assistant', output('done')),
    ]);
  });

  it('says of a call without a result that it was aborted, and gives a result without a call as text', () => {
    const items = inForm(
      'responses',
      assistant([call('t'), call('u')]),
      user('go on'),
      assistant([text('x')]),
      result('t'),
    );
    const aborted = { type: 'function_call_output', output: 'aborted' };
    expect(items.slice(0, 5)).toEqual([
      called('t'),
      { ...aborted, call_id: 't' },
      called('u'),
      { ...aborted, call_id: 'u' },
      item('user', input('go on')),
    ]);
    expect(JSON.stringify(items.at(-1))).toContain('whose call is not in this context');
  });

  it('gives calls of other kinds as they were, and no result to those that the provider ran', () => {
    const signed = (id: string, args: object, kept: object): object => ({
      ...{ type: 'toolCall', id, name: 'x', arguments: args },
      thoughtSignature: JSON.stringify(kept),
    });
    const search = { type: 'web_search_call', id: 'ws', action: { type: 'search', query: 'q' } };
    const items = inForm(
      'responses',
      assistant([
        signed('c', { input: 'patch' }, { type: 'custom_tool_call', name: 'apply_patch' }),
        signed('n', { a: 1 }, { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{ "a": 1 }' }),
        signed('ws', {}, search),
      ]),
      result('c', { content: [text('ok')] }),
      result('n', { content: '' }),
    );
    expect(items).toEqual([
      { type: 'custom_tool_call', name: 'apply_patch', input: 'patch', call_id: 'c' },
      { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{ "a": 1 }', call_id: 'n' },
      search,
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
      { type: 'function_call_output', call_id: 'n', output: '' },
    ]);
  });

  it('says of a search for tools without a result that it found none, and keeps the role of text of the system', () => {
    const thoughtSignature = JSON.stringify({ type: 'tool_search_call', execution: 'client', arguments: {} });
    const details = { openaiResponses: { role: 'system' } };
    const items = inForm(
      'responses',
      { type: 'custom_message', customType: 'codex/context', content: 'be brief', display: false, details },
      assistant([{ type: 'toolCall', id: 's', name: 'tool_search', arguments: {}, thoughtSignature }]),
      user('go on'),
    );
    const search = { execution: 'client', call_id: 's' };
    expect(items).toEqual([
      item('system', input('be brief')),
      { type: 'tool_search_call', arguments: {}, ...search },
      { type: 'tool_search_output', status: 'completed', tools: [], ...search },
      item('user', input('go on')),
    ]);
  });
});

describe('messages that have no part in a form', () => {
  it('are reported with the reason, and native has all of them', () => {
    const excluded = '{"role":"bashExecution","command":"x","excludeFromContext":true}';
    expect(FORMS.map((name) => leftOutOf(name, excluded))).toEqual([
      undefined,
      ...FORMS.slice(1).map(() => 'excluded'),
    ]);
    expect(leftOutOf('openai', '{"role":"system","content":"x"}')).toBe(undefined);
    expect(leftOutOf('llm', '{"role":"other"}')).toBe('unknown-role');
    expect(leftOutOf('llm', '{"role":"custom","content":" "}')).toBe('nothing-to-send');
  });
});
