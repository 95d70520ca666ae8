import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentBlocks, messageRoles } from '../../src/entries/messages.ts';
import { checkShape, type KnownVersion } from '../../src/entries/schema/index.ts';
import { entryTypes } from '../../src/entries/types/index.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { settings } from '../support/properties.ts';

const knownEntryTypes = entryTypes.map(({ name }) => name);
const envelope = { id: 'a1', parentId: null, timestamp: '2026-02-16T10:00:01.000Z' };
const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
};

/** One healthy entry or more for each type, in each dialect's spelling. */
const healthy: Readonly<Record<string, readonly JsonObject[]>> = {
  message: [
    { message: { role: 'user', content: 'hi', timestamp: 1 } },
    {
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      },
    },
    { message: { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'boom', usage } },
    {
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'toolCall', id: 't', name: 'ls', arguments: {} },
        ],
      },
    },
    {
      message: {
        role: 'assistant',
        model: 'example',
        usage: { inputTokens: 500, outputTokens: 40 },
        content: [{ type: 'toolCall', id: 't', name: 'bash', input: { command: 'npm test' } }],
      },
    },
    {
      message: {
        role: 'assistant',
        content: [
          { type: 'redactedThinking', data: 'x' },
          { type: 'anthropicServerTool', block: { type: 'server_tool_use' } },
          { type: 'fallback', from: 'a/b', to: 'c/d' },
        ],
      },
    },
    {
      message: {
        role: 'toolResult',
        toolCallId: 't',
        toolName: 'ls',
        content: [],
        isError: false,
        details: { any: ['thing'] },
      },
    },
    {
      message: { role: 'bashExecution', command: 'ls', output: '', exitCode: null, cancelled: true, truncated: false },
    },
    { message: { role: 'bashExecution', command: 'ls', output: '', exitCode: 0, fullOutputPath: '/tmp/o' } },
    { message: { role: 'pythonExecution', code: '1', output: '1', exitCode: 0 } },
    { message: { role: 'custom', customType: 'ext', content: 'x', display: true } },
    { message: { role: 'developer', content: 'be brief' } },
    { message: { role: 'fileMention', files: [{ path: 'a.ts', content: 'x', lineCount: 1 }] } },
    { message: { role: 'system', content: 'p', sections: { preamble: 'p' }, toolsAdded: [{ name: 'read' }] } },
    { message: { role: 'system', content: 'p', sections: [{ name: 'p', text: 'p' }] } },
  ],
  thinking_level_change: [{ thinkingLevel: 'high' }, { thinkingLevel: null }],
  model_change: [
    { model: 'openai/gpt-4o', role: 'default' },
    { provider: 'openai', modelId: 'gpt-5' },
    { model: 'example' },
  ],
  compaction: [
    {
      summary: '',
      firstKeptEntryId: 'a',
      tokensBefore: 1,
      shortSummary: 's',
      preserveData: {},
      fromExtension: false,
      tokensAfter: 1,
    },
    {
      summary: 's',
      firstKeptEntryId: 'a',
      tokensBefore: 1,
      fromHook: true,
      usage,
      systemMessage: { role: 'system', content: 'p' },
    },
    { summary: 's', firstKeptEntryId: 'a' },
    { summary: 's', retainedTail: [{ role: 'user', content: 'x' }] },
  ],
  branch_summary: [{ fromId: 'root', summary: '' }],
  custom: [{ customType: 'x', data: 1 }, { customType: 'x' }],
  custom_message: [
    { customType: 'x', content: 'c', display: true, attribution: 'user' },
    { customType: 'x', content: [] },
  ],
  label: [{ targetId: 'a', label: 'l' }, { targetId: 'a' }],
  ttsr_injection: [{ injectedRules: ['r'] }],
  session_init: [{ systemPrompt: '', task: '', tools: ['read'], outputSchema: { type: 'object' } }],
  mode_change: [{ mode: 'plan', data: { planFile: '/p' } }, { mode: 'none' }],
  service_tier_change: [{ serviceTier: null }, { serviceTier: { claude: 'priority' } }],
  title_change: [{ title: 't', source: 'user' }],
  model_usage: [{ purpose: 'title', provider: 'p', model: 'm', usage }],
  credential_pin: [{ provider: 'p', hash: 'h' }],
  reset_boundary: [{}],
  mcp_tool_selection: [{ selectedToolNames: ['a'] }],
  session_info: [{ name: '' }, {}],
  usage: [{ kind: 'cache_warm', provider: 'p', model: 'm', usage }],
  context_edit: [
    { targetId: 'a', replacement: null },
    { targetId: 'a', replacement: { content: 'x' } },
  ],
  active_tools_change: [{ activeToolNames: ['read'] }],
};

function kinds(value: JsonObject, version: KnownVersion = 3): string[] {
  return checkShape(value, version).map((issue) => `${issue.kind} ${issue.path}`);
}

function messages(value: JsonObject, version: KnownVersion = 3): string[] {
  return checkShape(value, version).map((issue) => issue.message);
}

it('a word of any length that is not known is reported in sixty characters', () => {
  const [issue] = checkShape({ type: 'x'.repeat(61), ...envelope }, 3);
  expect(issue?.message).toBe(`unknown entry type '${'x'.repeat(57)}...'`);
  expect(checkShape({ type: 'x'.repeat(60), ...envelope }, 3)[0]?.message).toBe(
    `unknown entry type '${'x'.repeat(60)}'`,
  );
});

describe('the shapes of entries', () => {
  it.each(knownEntryTypes.map((type) => [type]))('finds nothing in healthy entries of type %s', (type) => {
    const bodies = healthy[type] ?? [];
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      expect(checkShape({ type, ...envelope, ...body }, 3)).toEqual([]);
      expect(checkShape({ type, ...envelope, ...body }, 2)).toEqual([]);
      expect(checkShape({ type, timestamp: envelope.timestamp, ...body }, 1)).toEqual([]);
    }
  });

  it('knows what pi 1.5 writes', () => {
    const kindsOf = (message: object): string[] => kinds({ type: 'message', ...envelope, message });
    const turn = {
      role: 'assistant',
      content: [{ type: 'thinking', redacted: true, thinkingSignature: 's' }],
      stopReason: 'deferred',
    };
    const calling = [{ type: 'toolCall', id: 'c', name: 'n', namespace: 'm', arguments: {} }];
    const cost = { total: 1, totalFromProvider: 1 };
    expect(kindsOf({ ...turn, deferred: { id: 'r', provider: 'p', pollAfterMs: 5 }, endTurn: true })).toEqual([]);
    expect(kindsOf({ ...turn, content: calling, usage: { cacheWrite1h: 1, reasoning: 2, cost } })).toEqual([]);
    expect(kindsOf({ ...turn, deferred: 'r', endTurn: 1 })).toEqual([
      'odd-shape message.endTurn',
      'odd-shape message.deferred',
    ]);
    expect(kindsOf({ ...turn, content: [{ ...calling[0], namespace: 1 }] })).toEqual([
      'odd-shape message.content[0].namespace',
    ]);
    expect(kindsOf({ ...turn, content: [{ type: 'thinking', redacted: 1 }] })).toEqual([
      'odd-shape message.content[0].redacted',
    ]);
    const result = { role: 'toolResult', toolCallId: 'c', content: [] };
    expect(kindsOf({ ...result, usage: { input: 1 }, nestedCalls: { calls: [{}], complete: true } })).toEqual([]);
    expect(kindsOf({ ...result, nestedCalls: [] })).toEqual(['odd-shape message.nestedCalls']);
    expect(kindsOf({ role: 'system', content: 's', toolsRemoved: 'x' })).toEqual(['odd-shape message.toolsRemoved']);
    for (const role of ['fallback', 'temporary'])
      expect(kinds({ type: 'model_change', ...envelope, model: 'p/m', role })).toEqual([]);
  });

  it('has a healthy example for every role and every block', () => {
    const text = JSON.stringify(healthy);
    for (const { name: role } of messageRoles.filter(({ isOld }) => !isOld)) expect(text).toContain(`"role":"${role}"`);
    for (const { name: block } of contentBlocks) expect(text).toContain(`"type":"${block}"`);
    expect(entryTypes.length).toBe(Object.keys(healthy).length);
  });

  it('lets unknown fields and unreadable timestamps pass', () => {
    expect(kinds({ type: 'label', ...envelope, timestamp: 5, targetId: 'a', later: { on: 1 } })).toEqual([]);
    expect(kinds({ type: 'label', id: 'a', parentId: null, targetId: 'a' })).toEqual([]);
  });

  it('tells what is missing or of the wrong kind in the envelope, in version 2 and later', () => {
    expect(kinds({})).toEqual(['missing-field type', 'missing-field id', 'missing-field parentId']);
    expect(kinds({ type: 4, id: 4, parentId: 4 }, 2)).toEqual([
      'wrong-type type',
      'wrong-type id',
      'wrong-type parentId',
    ]);
    expect(messages({ type: 'reset_boundary', id: {}, parentId: 7 })).toEqual([
      'expected a string at id, found an object',
      'expected a string or null at parentId, found a number',
    ]);
    expect(kinds({ type: 'reset_boundary', id: '', parentId: '' })).toEqual(['wrong-type id']);
  });

  it('asks for no envelope in version 1, and finds ids of a wrong kind odd there', () => {
    expect(kinds({ type: 'reset_boundary' }, 1)).toEqual([]);
    expect(kinds({ type: 'reset_boundary', id: 4, parentId: 4 }, 1)).toEqual(['odd-shape id', 'odd-shape parentId']);
    expect(kinds({}, 1)).toEqual(['missing-field type']);
  });

  it('tells what is missing in a message', () => {
    expect(kinds({ type: 'message', ...envelope })).toEqual(['missing-field message']);
    expect(kinds({ type: 'message', message: null }, 1)).toEqual(['wrong-type message']);
    expect(kinds({ type: 'message', ...envelope, message: {} })).toEqual(['missing-field message.role']);
    expect(messages({ type: 'message', ...envelope, message: { role: [] } })).toEqual([
      'expected a string at message.role, found an array',
    ]);
  });

  it('calls everything else an odd shape, with its path', () => {
    const found = kinds({
      type: 'message',
      ...envelope,
      message: {
        role: 'user',
        content: [4, {}, { type: 3 }, { type: 'text' }, { type: 'toolCall', id: 'x', name: 'y' }],
      },
    });
    expect(found).toEqual([
      'odd-shape message.content[0]',
      'odd-shape message.content[1].type',
      'odd-shape message.content[2].type',
      'odd-shape message.content[3].text',
      'odd-shape message.content[4]',
    ]);
    expect(messages({ type: 'message', ...envelope, message: { role: 'user', content: null } })).toEqual([
      'expected a string or an array at message.content, found null',
    ]);
    expect(messages({ type: 'model_change', ...envelope })).toEqual([
      'expected model or provider and modelId, found neither',
    ]);
    expect(kinds({ type: 'compaction', ...envelope, summary: 's' })).toEqual(['odd-shape ']);
  });

  it('knows no unknown type, role or block, and still looks at the envelope', () => {
    expect(kinds({ type: 'unheard_of', ...envelope })).toEqual(['unknown-entry-type type']);
    expect(kinds({ type: 'constructor', id: 'a' })).toEqual(['unknown-entry-type type', 'missing-field parentId']);
    expect(kinds({ type: 'message', ...envelope, message: { role: 'weird' } })).toEqual(['unknown-role message.role']);
    expect(kinds({ type: 'message', ...envelope, message: { role: 'user', content: [{ type: 'video' }] } })).toEqual([
      'unknown-block message.content[0].type',
    ]);
  });

  it('knows hookMessage before version 3 only', () => {
    const entry = { type: 'message', ...envelope, message: { role: 'hookMessage', customType: 'h', content: 'x' } };
    expect(kinds(entry, 1)).toEqual([]);
    expect(kinds(entry, 2)).toEqual([]);
    expect(kinds(entry, 3)).toEqual(['unknown-role message.role']);
  });

  it('knows firstKeptEntryIndex in version 1 only', () => {
    const entry = { type: 'compaction', summary: 's', firstKeptEntryIndex: 4 };
    expect(kinds(entry, 1)).toEqual([]);
    expect(kinds({ ...entry, firstKeptEntryIndex: '4' }, 1)).toEqual(['odd-shape firstKeptEntryIndex']);
    expect(kinds({ ...entry, ...envelope }, 2)).toEqual(['odd-shape ']);
  });

  it('looks at a header except for what other rules judge', () => {
    expect(
      kinds({
        type: 'session',
        version: 3,
        id: 's',
        timestamp: 'x',
        cwd: 'C:\\work',
        title: 't',
        additionalDirectories: [],
      }),
    ).toEqual([]);
    expect(kinds({ type: 'session', id: 4, version: 'x', cwd: 4, previousSessionFiles: 'f' })).toEqual([
      'bad-cwd cwd',
      'odd-shape previousSessionFiles',
    ]);
    expect(kinds({ type: 'session' }, 1)).toEqual([]);
  });

  it('looks at a title slot', () => {
    expect(kinds({ type: 'title', v: 1, title: 't', source: 'auto', updatedAt: 'x', pad: '  ' })).toEqual([]);
    expect(kinds({ type: 'title', v: '1', title: 't' })).toEqual(['odd-shape v', 'odd-shape pad']);
  });

  it('does not walk deep JSON that it has no opinion about', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(kinds({ type: 'custom', ...envelope, customType: 'x', data: deep })).toEqual([]);
    expect(
      kinds({
        type: 'message',
        ...envelope,
        message: { role: 'user', content: [{ type: 'toolCall', id: 't', name: 'n', arguments: { deep } }] },
      }),
    ).toEqual([]);
  });

  it('gives an answer for any JSON object, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...knownEntryTypes, 'session', 'title', 'else'),
        fc.dictionary(
          fc.constantFrom('id', 'parentId', 'message', 'content', 'model', 'usage', '__proto__', 'summary'),
          fc.jsonValue(),
        ),
        fc.constantFrom<KnownVersion>(1, 2, 3),
        (type, fields, version) => {
          for (const issue of checkShape({ ...fields, type }, version)) {
            expect(issue.message).toMatch(/^(expected .+, found .+|unknown .+)$/s);
          }
        },
      ),
      settings(300),
    );
  });
});
