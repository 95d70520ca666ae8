import { defineRule } from './rule.ts';

export const danglingLabel = defineRule('dangling-label', 'warning', 'references', {
  summary: 'a label names an entry that is not in the file',
  why: 'The label is not shown anywhere.',
  arises: 'The entry was lost or removed, or the label was copied from another session.',
  advice: 'Harmless; repair does not change it.',
  example: '{"type":"label","id":"e5f6a7b8",…,"targetId":"deadbeef","label":"start"}',
  end: (log, report) => {
    for (const { kind, position, id } of log.references) {
      if (kind === 'label' && log.index.find(id) < 0)
        report(log.placeOf(position, 'targetId'), `the label's target '${id}' is not in this file`);
    }
  },
});
