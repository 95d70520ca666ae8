import { placeOfRecord } from './check/checked-record.ts';
import { removeBlock } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const unsignedThinking = defineRule('unsigned-thinking', 'error', 'thinking', {
  summary: 'thinking has no signature, or a signature and no text',
  why: 'Providers take thinking back only as they have sent it: they reject this request and every later one.',
  arises:
    'The agent was interrupted while the model was thinking, a proxy dropped the signature, or the text was removed.',
  advice: "'sessionctl repair' removes the block, which providers allow, and keeps the old line in quarantine.",
  example:
    '{…,"type":"assistant",…,"content":[{"type":"thinking","thinking":"A question about ports.","signature":""}],…}',
  record: (record, _log, report) => {
    for (const { kind, path, isEmpty, isSigned } of record.facts.blocks) {
      if (kind !== 'thinking' || (isSigned && !isEmpty)) continue;
      report(
        placeOfRecord(record, path),
        isSigned ? 'the thinking has a signature but no text' : 'the thinking has no signature',
      );
    }
  },
  fix: { records: removeBlock },
});
