import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/context/context.ts';
import { CONTEXT_RULES, type PathEntry, PROFILES, type Profile } from '../../src/context/types.ts';
import { assistant, call, chain, result, text, user } from '../support/chain.ts';
import { plainPath } from '../support/plain-path.ts';
import { settings } from '../support/properties.ts';
import { randomPath } from '../support/random-path.ts';
import { contextVectors } from '../support/vectors.ts';

type Json = Record<string, unknown>;

const messagesOf = (path: readonly PathEntry[], profile: Profile): Json[] =>
  buildContext(path, { profile }).messages.map((one) => JSON.parse(one) as Json);
const rulesOf = (path: readonly PathEntry[], profile: Profile): string[] =>
  buildContext(path, { profile }).projected.map((one) => one.rule);
const contents = (path: readonly PathEntry[], profile: Profile): unknown[] =>
  messagesOf(path, profile).map((one) => one['content']);

/** What omp makes of a path before it looks at turns: the same path with each assistant message hidden behind another role. */
function messagesBefore(path: readonly PathEntry[]): Json[] {
  const hidden = path.map(({ text: line, value }) => {
    const masked = line.replace('"role":"assistant"', '"role":"masked"');
    return { text: masked, value: JSON.parse(masked) as typeof value };
  });
  return messagesOf(hidden, 'omp').map((message) =>
    message['role'] === 'masked' ? { ...message, role: 'assistant' } : message,
  );
}

function removedByTheBook(messages: readonly Json[]): Json[] {
  const blocksOf = (message: Json): Json[] => (Array.isArray(message['content']) ? (message['content'] as Json[]) : []);
  const blank = (one: unknown): boolean => typeof one !== 'string' || one.trim() === '';
  const isEmpty = (block: Json | null): boolean =>
    (block?.['type'] === 'text' && blank(block['text'])) ||
    (block?.['type'] === 'thinking' && blank(block['thinking']) && blank(block['thinkingSignature'])) ||
    (block?.['type'] === 'redactedThinking' && blank(block['data'])) ||
    block?.['type'] === 'fallback';
  let list = messages.filter((message) => {
    if (message['role'] !== 'assistant') return true;
    if ((typeof message['content'] !== 'string' && !Array.isArray(message['content'])) || message['retryRecovery'])
      return false;
    return !(
      message['stopReason'] === 'error' &&
      Array.isArray(message['content']) &&
      blocksOf(message).every(isEmpty)
    );
  });
  const answered = new Set(
    list.filter((message) => message['role'] === 'toolResult').map((message) => message['toolCallId']),
  );
  list = list.flatMap((message) => {
    const isOpen = (block: Json | null): boolean => block?.['type'] === 'toolCall' && !answered.has(block['id']);
    if (message['role'] !== 'assistant' || !blocksOf(message).some(isOpen)) return [message];
    const content = blocksOf(message)
      .filter((block) => !isOpen(block) && block?.['type'] !== 'redactedThinking')
      .map((block) => {
        if (block?.['type'] !== 'thinking' || !block['thinkingSignature']) return block;
        const { thinkingSignature: _, ...rest } = block;
        return rest;
      });
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  for (let at = list.length - 1; at >= 0; at--) {
    const message = list[at] ?? {};
    if (message['role'] !== 'assistant' || !['aborted', 'error'].includes(String(message['stopReason']))) continue;
    const next = list[at + 1];
    if (next?.['role'] === 'custom' && next['customType'] === 'interrupted-thinking') continue;
    const calls = new Set(blocksOf(message).flatMap((block) => (block?.['type'] === 'toolCall' ? [block['id']] : [])));
    list = list.filter(
      (other, place) =>
        place !== at && !(place > at && other['role'] === 'toolResult' && calls.has(other['toolCallId'])),
    );
  }
  return list;
}

describe('bytes', () => {
  it('leave a message that no rule changes exactly as the log spells it', () => {
    const spelled =
      '{ "role":"user" , "content" : "\\u0041\\ud83d", "timestamp": 1.0, "big": 123456789012345678901, "e":1e3 }';
    const line = `{"type":"message","message":${spelled},"id":"a","parentId":null,"timestamp":"x"}`;
    for (const profile of PROFILES) {
      expect(buildContext([{ text: line, value: JSON.parse(line) }], { profile }).messages).toEqual([spelled]);
    }
  });

  it('of a message are the last of two members with that name, as for JSON.parse', () => {
    const line =
      '{"type":"message","message":{"role":"user","content":"old"},"message":{"role":"user","content":"new"},"id":"a"}';
    expect(buildContext([{ text: line, value: JSON.parse(line) }], { profile: 'spec' }).messages).toEqual([
      '{"role":"user","content":"new"}',
    ]);
  });

  it('inside a custom message and a summary keep their spelling too', () => {
    const custom =
      '{"type":"custom_message","id":"a","timestamp":5,"customType":"x","content":"\\u0041","display":true,"details":{"n":1.50}}';
    const kept =
      '{"type":"compaction","id":"k","timestamp":"bad","summary":"\\u00e9","tokensBefore":1.0,"firstKeptEntryId":"a"}';
    const path = [custom, kept].map((line) => ({ text: line, value: JSON.parse(line) }));
    expect(buildContext(path, { profile: 'spec' }).messages).toEqual([
      '{"role":"compactionSummary","summary":"\\u00e9","tokensBefore":1.0,"timestamp":null}',
      '{"role":"custom","customType":"x","content":"\\u0041","display":true,"details":{"n":1.50},"timestamp":5}',
    ]);
  });

  it('of every vector are those of the log wherever the rule says so', () => {
    for (const vector of contextVectors()) {
      for (const profile of PROFILES) {
        for (const one of buildContext(plainPath(vector.text, vector.leaf), { profile }).projected) {
          if (one.rule === 'message') expect(vector.text).toContain(one.messages[0]);
        }
      }
    }
  });

  it('stay for any JSON that a message may hold', () => {
    const spaced = fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'))
      .map(([value, space]) => JSON.stringify(value, null, space));
    const line = fc.tuple(spaced, spaced).map(([before, inside]) => {
      const flat = inside.replaceAll('\n', ' ');
      const message = `{"role":"other","content":${flat}}`;
      return { message, text: `{"x":${before.replaceAll('\n', ' ')},"type":"message","message":${message},"id":"a"}` };
    });
    fc.assert(
      fc.property(line, ({ message, text: whole }) => {
        for (const profile of PROFILES) {
          expect(buildContext([{ text: whole, value: JSON.parse(whole) }], { profile }).messages).toEqual([message]);
        }
      }),
      settings(200),
    );
  });
});

describe('a compaction', () => {
  const summary = (more: object): object => ({ type: 'compaction', summary: 'S', tokensBefore: 9, ...more });

  it('comes first even with an empty summary, and older ones say nothing', () => {
    const path = chain(
      user('a'),
      summary({ firstKeptEntryId: 'e0', summary: 'old' }),
      user('b'),
      summary({ firstKeptEntryId: 'e0', summary: '' }),
    );
    expect(messagesOf(path, 'spec').map((one) => one['summary'] ?? one['content'])).toEqual(['', 'a', 'b']);
    expect(rulesOf(path, 'spec')).toEqual(['message', 'older-compaction', 'message', 'compaction-summary']);
  });

  it('that names no entry before it keeps nothing and says so, but not where it names itself', () => {
    for (const [kept, reported] of [
      ['nowhere', true],
      ['e3', true],
      [undefined, true],
      [7, true],
      ['e1', false],
    ] as const) {
      const path = chain(user('a'), summary({ firstKeptEntryId: kept }), user('b'), user('c'));
      const context = buildContext(path, { profile: 'spec' });
      expect(context.messages).toHaveLength(3);
      expect(context.notes.length > 0, String(kept)).toBe(reported);
      expect(context.projected[0]?.rule).toBe('summarised');
    }
  });

  it('that copies the messages it keeps gives its summary, the copies as they are written, then what follows', () => {
    const retainedTail = [
      { role: 'user', content: 'kept', timestamp: 1 },
      null,
      { role: 'assistant', content: [text('too')] },
    ];
    const path = chain(user('a'), user('kept'), summary({ retainedTail }), user('b'));
    path[2] = { text: path[2]?.text.replace('"timestamp":1}', '"timestamp": 1.0}') ?? '', value: path[2]?.value ?? {} };
    for (const profile of ['spec', 'pi'] as const) {
      const context = buildContext(path, { profile });
      expect(messagesOf(path, profile).map((one) => one['summary'] ?? one['content'])).toEqual([
        'S',
        'kept',
        [text('too')],
        'b',
      ]);
      expect(context.messages[1]).toBe('{"role":"user","content":"kept","timestamp": 1.0}');
      expect(context.notes).toEqual([]);
      expect(context.projected[2]).toMatchObject({ rule: 'compaction-summary', detail: 'and 2 retained messages' });
    }
    // omp never knew such a field.
    expect(messagesOf(path, 'omp').map((one) => one['summary'] ?? one['content'])).toEqual(['S', 'b']);
    // An entry that is named counts more than copies.
    const named = chain(user('a'), user('kept'), summary({ retainedTail, firstKeptEntryId: 'e1' }), user('b'));
    expect(contents(named, 'spec')).toEqual([undefined, 'kept', 'b']);
  });

  it('carries what each profile knows of it', () => {
    const path = chain(
      summary({ shortSummary: 's', tokensAfter: 1, method: 'm', warning: 'w', firstKeptEntryId: 'e0' }),
    );
    expect(Object.keys(messagesOf(path, 'spec')[0] ?? {})).toEqual([
      'role',
      'summary',
      'shortSummary',
      'tokensBefore',
      'timestamp',
    ]);
    expect(Object.keys(messagesOf(path, 'pi')[0] ?? {})).toEqual(['role', 'summary', 'tokensBefore', 'timestamp']);
    expect(messagesOf(path, 'omp')[0]).toMatchObject({ shortSummary: 's', tokensAfter: 1, method: 'm', warning: 'w' });
  });
});

describe('entries that say nothing', () => {
  it('are a message entry without a message, with a note in every profile', () => {
    for (const profile of PROFILES) {
      const context = buildContext(chain(user('a'), { type: 'message', id: 'bad' }), { profile });
      expect(context.messages).toHaveLength(1);
      expect(context.notes).toEqual([expect.stringContaining("entry 'bad'")]);
      expect(context.projected[1]?.rule).toBe('no-message');
    }
  });

  it('are unknown types, labels, changes of state and empty branch summaries', () => {
    const path = chain(
      { type: 'later' },
      { type: 'label' },
      { type: 'mode_change', mode: 'x' },
      { type: 'branch_summary', summary: '' },
      { foo: 1 },
    );
    for (const profile of PROFILES) {
      expect(messagesOf(path, profile)).toEqual([]);
      expect(rulesOf(path, profile)).toEqual([
        'no-text-for-the-model',
        'state-only',
        'state-only',
        'empty-summary',
        'no-text-for-the-model',
      ]);
    }
  });
});

describe('the pi profile', () => {
  const edit = (targetId: string, replacement: unknown): object => ({ type: 'context_edit', targetId, replacement });

  it('lets the last edit of a target count, wherever it is', () => {
    const path = chain(edit('e1', { content: 'first' }), user('a'), edit('e1', null), edit('e1', { content: 'last' }));
    expect(contents(path, 'pi')).toEqual(['last']);
    expect(contents(path, 'spec')).toEqual(['a']);
    expect(contents(path, 'omp')).toEqual(['a']);
  });

  it('makes blocks of replaced text where the role has blocks, and keeps text for user and custom', () => {
    const custom = { type: 'custom_message', customType: 'x', content: 'c', display: true };
    const path = chain(
      user('a'),
      assistant([text('b')]),
      result('t'),
      custom,
      ...['e0', 'e1', 'e2', 'e3'].map((id) => edit(id, { content: 'R' })),
    );
    const blocks = [{ type: 'text', text: 'R' }];
    expect(contents(path, 'pi')).toEqual(['R', blocks, blocks, 'R']);
    expect(rulesOf(path, 'pi').slice(0, 4)).toEqual(['context-edit', 'context-edit', 'context-edit', 'context-edit']);
  });

  it('leaves other roles as they are, but removes them when told to', () => {
    const bash = { type: 'message', message: { role: 'bashExecution', command: 'ls', output: '' } };
    const branch = { type: 'branch_summary', summary: 'B', fromId: 'root' };
    expect(
      messagesOf(chain(bash, branch, edit('e0', { content: 'R' }), edit('e1', { content: 'R' })), 'pi'),
    ).toMatchObject([
      { role: 'bashExecution', command: 'ls' },
      { role: 'branchSummary', summary: 'B' },
    ]);
    expect(messagesOf(chain(bash, branch, edit('e0', null), edit('e1', null)), 'pi')).toEqual([]);
  });

  it('puts the system message of a compaction before its summary and drops those of the kept range only', () => {
    const system = (content: string): object => ({ type: 'message', message: { role: 'system', content } });
    const compaction = {
      type: 'compaction',
      summary: 'S',
      firstKeptEntryId: 'e0',
      tokensBefore: 1,
      systemMessage: { role: 'system', content: 'new' },
    };
    const path = chain(system('old'), user('a'), compaction, system('later'));
    expect(messagesOf(path, 'pi').map((one) => one['summary'] ?? one['content'])).toEqual(['new', 'S', 'a', 'later']);
    expect(rulesOf(path, 'pi')).toEqual(['kept-system', 'message', 'compaction-summary', 'message']);
    const removed = chain(system('old'), user('a'), compaction, edit('e2', null));
    expect(contents(removed, 'pi')).toEqual(['a']);
    expect(messagesOf(path, 'spec').map((one) => one['summary'] ?? one['content'])).toEqual(['S', 'old', 'a', 'later']);
  });

  it('does not apply an edit that is before what the compaction keeps', () => {
    const path = chain(user('a'), edit('e2', null), user('b'), {
      type: 'compaction',
      summary: 'S',
      firstKeptEntryId: 'e2',
    });
    expect(contents(path, 'pi')).toEqual([undefined, 'b']);
  });

  it('says that an edit without a replacement or a target changes nothing', () => {
    const context = buildContext(chain(user('a'), edit('e0', undefined), { type: 'context_edit', replacement: null }), {
      profile: 'pi',
    });
    expect(context.messages).toHaveLength(1);
    expect(context.notes).toHaveLength(2);
  });

  it('reads null content as empty, by role', () => {
    const roles = ['user', 'assistant', 'toolResult', 'custom', 'system', 'other'];
    const path = chain(...roles.map((role) => ({ type: 'message', message: { role, content: null } })));
    expect(contents(path, 'pi')).toEqual([[], [], [], null, '', null]);
    expect(contents(path, 'spec')).toEqual([null, null, null, null, null, null]);
    expect(contents(path, 'omp')).toEqual([null, null, null, null, null]);
    expect(buildContext(path, { profile: 'omp' }).notes).toEqual([expect.stringContaining("'e1'")]);
  });
});

describe('the omp profile', () => {
  const stopped = (content: unknown, stopReason: string): object => assistant(content, { stopReason });

  it('drops turns that a retry replaced and error turns with nothing in them', () => {
    const blank = [
      text(' \n'),
      { type: 'thinking', thinking: ' ' },
      { type: 'redactedThinking', data: '' },
      { type: 'fallback' },
    ];
    const signed = [{ type: 'thinking', thinking: '', thinkingSignature: 's' }];
    const path = chain(
      assistant([text('x')], { retryRecovery: { kind: 'length', attempt: 1 } }),
      assistant([text('x')], { retryRecovery: true }),
      assistant([text('x')], { retryRecovery: '' }),
      stopped(blank, 'error'),
      stopped(signed, 'stop'),
      stopped(blank, 'stop'),
      assistant([]),
    );
    expect(rulesOf(path, 'omp')).toEqual([
      'retry-recovery',
      'retry-recovery',
      'message',
      'empty-error-turn',
      'message',
      'message',
      'message',
    ]);
  });

  it('takes unanswered calls out of a turn, with redacted thinking and signatures, and leaves answered turns alone', () => {
    const blocks = [
      { type: 'redactedThinking', data: 'd' },
      call('t1'),
      { thinkingSignature: 's', type: 'thinking', thinking: 'a' },
      { type: 'thinking', thinkingSignature: '', thinking: 'b' },
      { type: 'thinking', thinking: 'c', thinkingSignature: 's' },
      call('t2'),
      call('t3'),
    ];
    const path = chain(
      assistant(blocks),
      result('t2'),
      assistant([{ type: 'redactedThinking', data: 'd' }, call('t2')]),
    );
    expect(contents(path, 'omp')).toEqual([
      [
        { type: 'thinking', thinking: 'a' },
        { type: 'thinking', thinkingSignature: '', thinking: 'b' },
        { type: 'thinking', thinking: 'c' },
        call('t2'),
      ],
      [text('out')],
      [{ type: 'redactedThinking', data: 'd' }, call('t2')],
    ]);
    expect(buildContext(path, { profile: 'omp' }).projected[0]).toMatchObject({
      rule: 'unanswered-calls',
      detail: '2 calls without a result',
    });
  });

  it('drops a turn whose content it cannot read, and says so unless a retry replaced it', () => {
    const bad = [null, undefined, 5, {}].map((content) => assistant(content));
    const context = buildContext(chain(...bad, assistant(null, { retryRecovery: {} }), assistant('text')), {
      profile: 'omp',
    });
    expect(context.projected.map((one) => one.rule)).toEqual([
      'no-content',
      'no-content',
      'no-content',
      'no-content',
      'retry-recovery',
      'message',
    ]);
    expect(context.notes).toHaveLength(4);
  });

  it('drops a turn of which nothing is left', () => {
    const path = chain(user('a'), assistant([call('t'), { type: 'redactedThinking', data: 'd' }]), user('b'));
    expect(contents(path, 'omp')).toEqual(['a', 'b']);
    expect(rulesOf(path, 'omp')[1]).toBe('no-block-left');
  });

  it('removes stopped turns with the later results of their calls, but not the calls that this orphans', () => {
    const path = chain(
      result('t'),
      stopped([text('x'), call('t')], 'aborted'),
      result('t'),
      assistant([call('t')]),
      user('b'),
    );
    expect(rulesOf(path, 'omp')).toEqual(['message', 'stopped-turn', 'answers-stopped-turn', 'message', 'message']);
  });

  it('keeps a stopped turn right before an interrupted-thinking message, as the list then is', () => {
    const interrupted = { type: 'custom_message', customType: 'interrupted-thinking', content: 'i', display: false };
    const kept = chain(stopped([text('x')], 'aborted'), interrupted);
    expect(rulesOf(kept, 'omp')).toEqual(['message', 'custom-message']);
    const notNext = chain(stopped([text('x')], 'aborted'), user('u'), interrupted);
    expect(rulesOf(notNext, 'omp')[0]).toBe('stopped-turn');
    const nextOnceOthersWent = chain(
      stopped([text('x')], 'error'),
      stopped([text('y'), call('t')], 'aborted'),
      result('t'),
      interrupted,
    );
    expect(rulesOf(nextOnceOthersWent, 'omp')).toEqual([
      'message',
      'stopped-turn',
      'answers-stopped-turn',
      'custom-message',
    ]);
    const stored = chain(stopped([text('x')], 'aborted'), {
      type: 'message',
      message: { role: 'custom', customType: 'interrupted-thinking' },
    });
    expect(rulesOf(stored, 'omp')[0]).toBe('message');
  });

  it('removes what the rules say, for any session, as a plain list with the removals made one after the other', () => {
    fc.assert(
      fc.property(randomPath, (path: PathEntry[]) => {
        expect(messagesOf(path, 'omp')).toEqual(removedByTheBook(messagesBefore(path)));
      }),
      settings(500),
    );
  });

  it('takes time in proportion to the session where every turn was stopped and has the same call', () => {
    const stoppedTurns = Array.from({ length: 20_000 }, () => stopped([text('x'), call('t')], 'aborted'));
    const results = Array.from({ length: 20_000 }, () => result('t'));
    expect(messagesOf(chain(...stoppedTurns, ...results), 'omp')).toEqual([]);
  });

  it('puts custom messages right', () => {
    const custom = (more: object): object => ({
      type: 'custom_message',
      customType: 'x',
      content: 'c',
      display: true,
      ...more,
    });
    const path = chain(
      custom({ attribution: 'user' }),
      custom({ attribution: 'extension', customType: '', display: 'yes' }),
      custom({ customType: 7 }),
      custom({ attribution: null }),
      custom({ content: null }),
      custom({ content: 5 }),
      custom({ customType: 'prewalk-plan' }),
      custom({ customType: 'vibe-mode-context' }),
    );
    expect(messagesOf(path, 'omp')).toMatchObject([
      { customType: 'x', display: true, attribution: 'user' },
      { customType: 'custom-message', display: false, attribution: 'agent' },
      { customType: 'custom-message', display: true },
      { customType: 'x', attribution: 'agent' },
    ]);
    expect(messagesOf(path, 'omp')[2]).not.toHaveProperty('attribution');
    expect(rulesOf(path, 'omp').slice(4)).toEqual([
      'bad-content',
      'bad-content',
      'private-custom-type',
      'private-custom-type',
    ]);
    expect(messagesOf(path, 'spec')).toHaveLength(8);
    expect(messagesOf(path, 'spec')[0]).not.toHaveProperty('attribution');
  });

  it('takes no call for answered by a result that is not in the projection', () => {
    const compaction = { type: 'compaction', summary: 'S', firstKeptEntryId: 'e1', tokensBefore: 1 };
    const path = chain(result('t'), user('a'), compaction, assistant([text('x'), call('t')]));
    expect(contents(path, 'omp')).toEqual([undefined, 'a', [text('x')]]);
    const kept = chain(
      user('a'),
      result('t'),
      { ...compaction, firstKeptEntryId: 'e0' },
      assistant([text('x'), call('t')]),
    );
    expect(contents(kept, 'omp').at(-1)).toEqual([text('x'), call('t')]);
  });

  it('looks behind a stopped turn past entries that say nothing', () => {
    const interrupted = { type: 'custom_message', customType: 'interrupted-thinking', content: 'hm' };
    const between = (summary: unknown): string | undefined =>
      rulesOf(
        chain(assistant([text('x')], { stopReason: 'aborted' }), { type: 'branch_summary', summary }, interrupted),
        'omp',
      )[0];
    expect(between(0)).toBe('message');
    expect(between('')).toBe('message');
    expect(between(7)).toBe('stopped-turn');
    expect(between('said')).toBe('stopped-turn');
  });

  it('starts behind the last reset boundary unless a compaction follows it', () => {
    const compaction = { type: 'compaction', summary: 'S', firstKeptEntryId: 'e0', tokensBefore: 1 };
    const reset = { type: 'reset_boundary' };
    expect(contents(chain(user('a'), compaction, reset, user('b')), 'omp')).toEqual(['b']);
    expect(contents(chain(user('a'), reset, user('b'), compaction, user('c')), 'omp')).toEqual([
      undefined,
      'a',
      'b',
      'c',
    ]);
    expect(contents(chain(user('a'), reset, user('b')), 'pi')).toEqual(['a', 'b']);
  });

  it('lets a provider replay its own history, up to the entry it names', () => {
    const compaction = (
      more: object,
      remote: unknown = { provider: 'openai', replacementHistory: [{ n: 1 }] },
    ): object => ({
      type: 'compaction',
      summary: 'S',
      firstKeptEntryId: 'e0',
      preserveData: { openaiRemoteCompaction: remote },
      ...more,
    });
    const payload = { type: 'openaiResponsesHistory', provider: 'openai', items: [{ n: 1 }] };
    const path = chain(user('a'), user('b'), compaction({ providerReplayThroughEntryId: 'e0' }), user('c'));
    expect(messagesOf(path, 'omp').map((one) => one['providerPayload'] ?? one['content'])).toEqual([payload, 'b', 'c']);
    expect(rulesOf(path, 'omp')[0]).toBe('replayed-by-provider');
    expect(contents(chain(user('a'), compaction({ providerReplayThroughEntryId: 'zz' }), user('c')), 'omp')).toEqual([
      undefined,
      'c',
    ]);
    for (const invalid of [
      null,
      [],
      { provider: '', replacementHistory: [] },
      { provider: 'p', replacementHistory: [1] },
      { provider: 'p' },
    ]) {
      expect(contents(chain(user('a'), compaction({}, invalid)), 'omp')).toEqual([undefined, 'a']);
    }
  });

  it('says what of omp it does not reproduce', () => {
    const path = chain(
      { type: 'custom', customType: 'experimental_context_notes' },
      {
        type: 'compaction',
        summary: 'S',
        firstKeptEntryId: 'e1',
        preserveData: { anthropicCompaction: {}, snapcompact: {} },
      },
      { type: 'custom_message', content: 'c', details: { kind: 'experimental-context-rollover' } },
    );
    const notes = buildContext(path, { profile: 'omp' }).notes.join('\n');
    for (const what of [
      'experimental_context_notes',
      'anthropicCompaction',
      'snapcompact',
      'experimental-context-rollover',
    ]) {
      expect(notes).toContain(what);
    }
    expect(buildContext(path, { profile: 'spec' }).notes).toEqual([]);
  });
});

describe('the state', () => {
  const stateOf = (profile: Profile, ...bodies: object[]) => buildContext(chain(...bodies), { profile }).state;
  const ompChange = { type: 'model_change', model: 'o/m' };
  const piChange = { type: 'model_change', provider: 'p', modelId: 'm' };

  it('reads both dialects of model_change in spec, and each agent only its own', () => {
    const said = assistant([text('x')]);
    expect(stateOf('spec', said, piChange, said).models).toEqual({ default: 'p/m' });
    expect(stateOf('spec', ompChange, { ...ompChange, model: 's/m', role: 'smol' }).models).toEqual({
      default: 'o/m',
      smol: 's/m',
    });
    expect(stateOf('omp', { ...ompChange, role: 7 }, { ...ompChange, model: 'n/m', role: null }).models).toEqual({
      7: 'o/m',
      default: 'n/m',
    });
    expect(stateOf('omp', said, piChange).models).toEqual({ default: 'anthropic/m' });
    expect(stateOf('pi', said, { ...ompChange, role: 'smol' }).models).toEqual({});
    expect(stateOf('pi', piChange, said).models).toEqual({ default: 'anthropic/m' });
    expect(stateOf('spec', assistant([], { provider: undefined })).models).toEqual({});
  });

  it('takes the last mode and thinking level, and each rule once', () => {
    const rules = (...names: string[]): object => ({ type: 'ttsr_injection', injectedRules: names });
    const level = (thinkingLevel: unknown): object => ({ type: 'thinking_level_change', thinkingLevel });
    const mode = { type: 'mode_change', mode: 'plan', data: { a: 1 } };
    const all = [rules('b', 'a'), level('high'), mode, rules('a', 'c')];
    expect(stateOf('spec', ...all)).toMatchObject({
      thinkingLevel: 'high',
      mode: 'plan',
      modeData: { a: 1 },
      injectedTtsrRules: ['b', 'a', 'c'],
    });
    expect(stateOf('spec', ...all, level(null)).thinkingLevel).toBe('off');
    expect(stateOf('pi', ...all, level(null)).thinkingLevel).toBe(null);
    expect(stateOf('spec', mode, { type: 'mode_change', mode: 'none' })).not.toHaveProperty('modeData');
    expect(stateOf('spec')).toMatchObject({ thinkingLevel: 'off', mode: 'none', models: {}, injectedTtsrRules: [] });
  });

  it('adds up tokens and cost of the whole path, in both spellings', () => {
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: { total: 0.1 } };
    const path = [
      assistant([call('t')], { usage }),
      assistant([], { usage: { inputTokens: 5, outputTokens: 6 } }),
      { type: 'usage', usage: { ...usage, cost: { total: 0.2 } } },
      { type: 'compaction', summary: '', firstKeptEntryId: 'e3' },
    ];
    const state = stateOf('spec', ...path);
    expect(state.usage).toEqual({ input: 7, output: 10, cacheRead: 6, cacheWrite: 8, totalTokens: 31 });
    expect(state.cost).toBe(0.3);
    expect(state.counts).toEqual({
      entries: 4,
      messages: 2,
      toolCalls: 1,
      types: { message: 2, usage: 1, compaction: 1 },
      roles: { assistant: 2 },
    });
  });

  it('does not stumble over a role or type named like a part of every object', () => {
    expect(
      stateOf('spec', { type: 'model_change', model: 'a/b', role: '__proto__' }, { type: 'constructor' }),
    ).toMatchObject({
      counts: { types: { constructor: 1 } },
    });
  });
});

describe('explanations', () => {
  it('exist for every rule, and each vector entry has one', () => {
    for (const vector of contextVectors()) {
      for (const profile of PROFILES) {
        const path = plainPath(vector.text, vector.leaf);
        const { projected } = buildContext(path, { profile });
        expect(projected).toHaveLength(path.length);
        for (const one of projected) expect(CONTEXT_RULES[one.rule]).toBeTruthy();
      }
    }
  });
});

describe('where an agent hangs or throws', () => {
  const vectors = new Map(contextVectors().map((vector) => [vector.name, vector]));

  it('c13, ids that lead back to themselves: the path ends at the id met before, in every profile', () => {
    for (const duplicates of ['nearest-earlier', 'last'] as const) {
      const path = plainPath(vectors.get('c13-dup-ids')?.text ?? '', undefined, duplicates);
      for (const profile of PROFILES) expect(contents(path, profile)).toEqual([[text('b')], [text('a2')]]);
    }
  });

  it('c17, a message entry without a message: an answer without it, and a note', () => {
    const path = plainPath(vectors.get('c17-no-message')?.text ?? '', undefined);
    for (const profile of PROFILES) {
      expect(contents(path, profile)).toEqual([[text('a')]]);
      expect(buildContext(path, { profile }).notes).toEqual([expect.stringContaining("entry 'b'")]);
    }
  });
});
