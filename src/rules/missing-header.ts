import { hashUuid } from '../util/uuid.ts';
import { writeHeader } from './fix/record-fixes.ts';
import { defineRule, WHOLE_FILE } from './rule.ts';

export const missingHeader = defineRule('missing-header', 'error', 'header', {
  summary: 'no line of the file is a header',
  why: 'Agents do not recognize the file as a session: they do not list it, or they start a new session in its place and overwrite all of it.',
  arises: 'The first line was truncated, or the file was made with tail or split.',
  advice: "'sessionctl repair' writes a header made from the first complete entry.",
  example: '{"type":"message","id":"a1b2c3d4","parentId":null,…}',
  end: (log, report) => {
    const isEmpty = log.lines === 0;
    const message = isEmpty ? 'the file is empty' : 'no line is a header (type "session")';
    if (log.headers === 0) report(WHOLE_FILE, message, undefined, !isEmpty);
  },
  recordsEnd: (log, report) => {
    const message = log.size === 0 ? 'the file has no record' : 'no line is a header';
    if (!log.header) report(WHOLE_FILE, message, undefined, log.canRebuildHeader);
  },
  fix: {
    records: writeHeader,
    end: (repair) => {
      const { headers, firstEntry, cwd } = repair.index;
      if (headers.length > 0 || !repair.shouldFix('missing-header')) return;
      repair.headerId = hashUuid(firstEntry?.bytes ?? '');
      const header = {
        type: 'session',
        ...(repair.version === 1 ? {} : { version: 3 }),
        id: repair.headerId,
        // An empty log has no time.
        timestamp: firstEntry?.timestamp ?? '1970-01-01T00:00:00.000Z',
        cwd: cwd ?? '',
        rebuiltBy: 'sessionctl',
      };
      const text = JSON.stringify(header);
      repair.insertInFront({ text, rule: 'missing-header', words: 'added a new header', idAfter: repair.headerId });
    },
  },
});
