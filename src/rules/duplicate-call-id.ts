import { messageOf } from '../entries/envelope-check.ts';
import { isObject } from '../json/value.ts';
import { renameCalls } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

export const duplicateCallId = defineRule('duplicate-call-id', 'warning', 'tools', {
  summary: 'two tool calls have the same id: in one message, or in Claude Code and Codex in one file',
  why: 'Results cannot be matched to their calls, and providers reject the request.',
  arises: 'A provider or a proxy sent no ids, and the ones that the agent generated were not unique.',
  advice:
    "In a log of pi or omp no command fixes it; in one of Claude Code or Codex 'sessionctl repair' gives the later call an id of its own, with its result.",
  example:
    '{"type":"message",…,"content":[{"type":"toolCall","id":"toolu_01",…},{"type":"toolCall","id":"toolu_01",…}],…}}',
  looksAt: 'values',
  object: (object, _log, report) => {
    const content = object.kind === 'entry' ? messageOf(object.value)?.['content'] : undefined;
    if (!Array.isArray(content) || content.length < 2) return;
    const seen = new Set<string>();
    content.forEach((block: unknown, at) => {
      if (!isObject(block) || block['type'] !== 'toolCall' || typeof block['id'] !== 'string') return;
      if (seen.has(block['id']))
        report(placeOf(object, `message.content[${at}].id`), `call id '${block['id']}' is used twice in this message`);
      seen.add(block['id']);
    });
  },
  recordsEnd: (log, report) => {
    for (const [call, [first, ...others]] of log.calls) {
      for (const { position, path } of others) {
        const line = first ? log.lineOf(first.position) : 0;
        report(log.placeOf(position, path), `call id '${log.callIds.text(call)}' was already used on line ${line}`);
      }
    }
  },
  fix: { records: renameCalls },
});
