import fc from 'fast-check';
import type { PathEntry } from '../../src/context/types.ts';
import { chain } from './chain.ts';

/** Few ids, so that calls and results meet, repeat and miss each other; some that providers would refuse. */
const toolId = fc.constantFrom(
  't1',
  't2',
  't3',
  'call_a|fc_1',
  'call.a|fc_1',
  'x'.repeat(70),
  `${'x'.repeat(70)}y`,
  '',
  'é',
);
const words = fc.oneof(
  fc.constantFrom('', ' \n', 'hello', 'trailing \n', 'half \ud83d pair', '```\nfence\n```'),
  fc.string({ maxLength: 8 }),
);

const text = fc.record({ type: fc.constant('text'), text: words });
const image = fc.record({
  type: fc.constant('image'),
  data: fc.constantFrom('aGVsbG8=', 'blob:sha256:00', '', 'not base64!'),
  mimeType: fc.constantFrom('image/png', 'image/jpg', 'image/tiff', undefined),
});
const thinking = fc.record({
  type: fc.constant('thinking'),
  thinking: words,
  thinkingSignature: fc.constantFrom('sig', '', undefined),
});
const redacted = fc.record({ type: fc.constant('redactedThinking'), data: fc.constantFrom('d', '') });
const args = fc.oneof(
  fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  fc.constantFrom('{"a":"\ud83d"}', 'plain', null, undefined, 7, [1]),
);
const call = fc.record({
  type: fc.constant('toolCall'),
  id: toolId,
  name: fc.constantFrom('read', 'mcp.server/tool', '', 'n'.repeat(200)),
  arguments: args,
});
const odd = fc.constantFrom({ type: 'later' }, { type: 'fallback' }, null, 5, 'bare');

const block = fc.oneof({ weight: 4, arbitrary: text }, { weight: 2, arbitrary: image }, odd);
const content = fc.oneof(words, fc.array(block, { maxLength: 3 }), fc.constant(null));

const userMessage = fc.record({ role: fc.constant('user'), content, timestamp: fc.nat() });
const assistantMessage = fc.record({
  role: fc.constant('assistant'),
  content: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(fc.oneof(text, thinking, redacted, { weight: 2, arbitrary: call }, image, odd), {
        maxLength: 4,
      }),
    },
    words,
    fc.constant(null),
  ),
  provider: fc.constantFrom('anthropic', 'openai', undefined),
  model: fc.constantFrom('m', undefined),
  stopReason: fc.constantFrom('stop', 'toolUse', 'aborted', 'error'),
  retryRecovery: fc.constantFrom(true, { attempt: 1 }, {}, false, undefined),
});
const resultMessage = fc.record({
  role: fc.constant('toolResult'),
  toolCallId: toolId,
  toolName: words,
  content,
  isError: fc.boolean(),
});
const otherMessage = fc.oneof(
  fc.record({
    role: fc.constant('bashExecution'),
    command: words,
    output: words,
    excludeFromContext: fc.constantFrom(true, false, undefined),
  }),
  fc.record({
    role: fc.constantFrom('custom', 'developer', 'weird', 'hookMessage'),
    content,
    customType: fc.constant('interrupted-thinking'),
  }),
  fc.record({ role: fc.constant('system'), content, sections: fc.constantFrom({ p: 'section' }, undefined) }),
  fc.record({
    role: fc.constant('fileMention'),
    files: fc.array(fc.record({ path: words, content: words }), { maxLength: 2 }),
  }),
);
const message = fc
  .oneof(
    { weight: 3, arbitrary: userMessage },
    { weight: 5, arbitrary: assistantMessage },
    { weight: 5, arbitrary: resultMessage },
    { weight: 2, arbitrary: otherMessage },
  )
  .map((one) => ({ type: 'message', message: one }));
const place = fc.nat({ max: 12 }).map((number) => `e${number}`);
const other = fc.oneof(
  fc.record({
    type: fc.constant('custom_message'),
    content,
    customType: fc.constantFrom('x', 'interrupted-thinking', 'prewalk-plan'),
    display: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('compaction'),
    summary: words,
    firstKeptEntryId: place,
    systemMessage: fc.option(fc.constant({ role: 'system', content: 's' })),
  }),
  fc.record({ type: fc.constant('branch_summary'), summary: words, fromId: place }),
  fc.record({ type: fc.constant('context_edit'), targetId: place, replacement: fc.option(fc.record({ content })) }),
  fc.constantFrom({ type: 'reset_boundary' }, { type: 'label', targetId: 'e0' }, { type: 'message' }),
);

/** A path of everything that a log may hold, in any order. */
export const randomPath: fc.Arbitrary<PathEntry[]> = fc
  .array(fc.oneof({ weight: 8, arbitrary: message }, { weight: 2, arbitrary: other }), { maxLength: 14 })
  .map((bodies) => chain(...(JSON.parse(JSON.stringify(bodies)) as object[])));
