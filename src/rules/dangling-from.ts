import { defineRule } from './rule.ts';

export const danglingFrom = defineRule('dangling-from', 'warning', 'references', {
  summary: 'a branch summary names a branch that is not in the file',
  why: 'Agents cannot show what was summarized.',
  arises: 'The branch was lost, or the summary was copied from another session.',
  advice: 'Harmless; repair does not change it.',
  example: '{"type":"branch_summary","id":"b2c3d4e5",…,"fromId":"deadbeef","summary":"Tried another way."}',
  end: (log, report) => {
    // A fork does not contain the branches that its summaries mention.
    if (log.hasParentSession) return;
    for (const { kind, position, id } of log.references) {
      if (kind !== 'from' || id === 'root' || id === log.headerId || log.index.find(id) >= 0) continue;
      report(log.placeOf(position, 'fromId'), `the summary is of '${id}', which is not in this file`);
    }
  },
});
