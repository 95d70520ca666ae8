import { defineRule } from './rule.ts';

export const headerAsParent = defineRule('header-as-parent', 'warning', 'tree', {
  summary: "an entry's parent is the header",
  why: 'Agents treat the entry as a root, because the header is not an entry.',
  arises: 'OpenClaw and other early writers attach the first entry to the header.',
  advice: "Harmless; 'sessionctl migrate' sets it to null in a version 1 file.",
  example:
    '{"type":"session",…,"id":"7d9c2f5e-0c1a-4f63-9d0e-3b5a6c7d8e9f",…}\n{"type":"message","id":"a1b2c3d4","parentId":"7d9c2f5e-0c1a-4f63-9d0e-3b5a6c7d8e9f",…}',
  end: (log, report) => {
    for (const { position } of log.headerChildren)
      report(log.placeOf(position, 'parentId'), 'the parent is the header; agents treat the entry as a root');
  },
});
