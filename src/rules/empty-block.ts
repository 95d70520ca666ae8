import { placeOfRecord } from './check/checked-record.ts';
import { removeBlock } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const emptyBlock = defineRule('empty-block', 'error', 'content', {
  summary: 'a message has an empty text, or no content at all',
  why: 'Providers reject an empty text, so the session cannot continue; agents leave out those of the assistant, but send those of the user.',
  arises: 'A hook, a plugin or a script wrote the message, or a text was removed from it.',
  advice: "'sessionctl repair' removes the block and keeps the old line in quarantine.",
  example: '{…,"type":"user","message":{"role":"user","content":[{"type":"text","text":""},…]},…}',
  record: (record, _log, report) => {
    const { blocks, role } = record.facts;
    for (const { kind, path, isEmpty } of blocks)
      if (kind === 'text' && isEmpty)
        report(placeOfRecord(record, path), 'there is no text', role === 'assistant' ? 'warning' : undefined);
  },
  fix: { records: removeBlock },
});
