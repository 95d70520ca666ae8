import { defineRule } from './rule.ts';

export const forwardParent = defineRule('forward-parent', 'warning', 'tree', {
  summary: "an entry's parent comes later in the file",
  why: 'Agents read the whole file first, so they can handle it; readers that stream cannot.',
  arises: 'Lines were sorted or merged.',
  advice: 'Harmless for agents, unless the parent is the last entry (see stale-leaf); repair does not change it.',
  example:
    '{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4",…}\n{"type":"message","id":"a1b2c3d4","parentId":null,…}',
  end: (log, report) => {
    for (const { position, parent, parentId } of log.forwardParents) {
      const message = `parent '${parentId}' comes later, on line ${log.index.lineOf(parent)}`;
      report(log.placeOf(position, 'parentId'), message);
    }
  },
  recordsEnd: (log, report) => {
    const inCycle = new Set(log.cycles().flatMap(({ members }) => members));
    for (let position = 0; position < log.size; position++) {
      const parent = log.parentOf(position);
      if (parent <= position || inCycle.has(position)) continue;
      const message = `parent '${log.parentIdOf(position)}' comes later, on line ${log.lineOf(parent)}`;
      report(log.placeOf(position), message);
    }
  },
});
