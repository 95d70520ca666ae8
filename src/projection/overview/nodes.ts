import { Children } from '../../tree/children.ts';
import { pathTo } from '../../tree/path.ts';
import type { Session } from '../../tree/session.ts';
import { oneLine } from './entry-text.ts';
import { type Marks, overviewRecord } from './marks.ts';
import { topDown } from './shape.ts';

const LONGEST_TEXT = 200;

/** Every entry as a node of the tree, in file order. */
export async function* nodeRecords(session: Session, marks: Marks): AsyncGenerator<Record<string, unknown>, void, void> {
  const { index } = session;
  const children = new Children(index);
  const depth = new Uint32Array(index.size);
  const roots = new Set(children.roots);
  for (const at of topDown(index, children)) if (!roots.has(at)) depth[at] = (depth[index.parentOf(at)] as number) + 1;
  const onPath = new Uint8Array(index.size);
  if (marks.leaf >= 0) for (const at of pathTo(index, marks.leaf)) onPath[at] = 1;
  const all = function* (): Generator<number, void, void> {
    for (let at = 0; at < index.size; at++) yield at;
  };
  for await (const entry of session.entries(all())) {
    const { position } = entry;
    yield {
      ...overviewRecord(entry, marks),
      depth: depth[position],
      children: children.count(position),
      onPath: onPath[position] === 1,
      isLeaf: position === marks.leaf,
      text: oneLine(entry.value, LONGEST_TEXT).slice(0, LONGEST_TEXT),
    };
  }
}
