import type { LogIndex } from '../log/log-index.ts';
import { leaves, markPositions, pathTo } from '../tree/path.ts';

/** A branch, from where it leaves the branches before it. */
export interface Section {
  /** As in the revision `leaf:N`: 1 is the last leaf in the file. */
  readonly number: number;
  readonly leaf: number;
  /** The entry that it continues from, -1 where it starts at a root. */
  readonly from: number;
  /** Root first. */
  readonly positions: ArrayLike<number> & Iterable<number>;
}

export interface ExportPlan {
  readonly sections: readonly Section[];
  /** The sections that continue from an entry, except the one that the entry itself is in. */
  readonly forks: ReadonlyMap<number, readonly Section[]>;
  /** Which section an entry is in; undefined where it is not in the export. */
  sectionOf(position: number): Section | undefined;
}

/** Only the path to one entry. */
export function planPath(index: LogIndex, leaf: number): ExportPlan {
  const section: Section = { number: 1, leaf, from: -1, positions: pathTo(index, leaf) };
  const included = markPositions(index, section.positions);
  return { sections: [section], forks: new Map(), sectionOf: (position) => (included[position] ? section : undefined) };
}

/**
 * Every entry once: first the branch through the chosen entry, then the others, the last leaf in the file
 * first. Entries that only a cycle of parents holds come last. 4 bytes per entry, and 8 while the sections are there.
 */
export function planAll(index: LogIndex, chosen: number): ExportPlan {
  const ends = leaves(index).reverse();
  const owner = new Int32Array(index.size).fill(-1);
  const sections: Section[] = [];
  const forks = new Map<number, Section[]>();
  const numbers = new Map(ends.map((leaf, at) => [leaf, at + 1]));
  let next = ends.length + 1;
  const add = (leaf: number): void => {
    const positions: number[] = [];
    let at = leaf;
    for (; at >= 0 && owner[at] === -1; at = index.parentOf(at)) {
      owner[at] = sections.length;
      positions.push(at);
    }
    if (positions.length === 0) return;
    // A walk that meets itself went round a cycle, and starts nowhere else.
    const from = at >= 0 && owner[at] !== sections.length ? at : -1;
    const section: Section = { number: numbers.get(leaf) ?? next++, leaf, from, positions: positions.reverse() };
    sections.push(section);
    if (from < 0) return;
    const others = forks.get(from);
    if (others) others.push(section);
    else forks.set(from, [section]);
  };
  if (chosen >= 0) add(leafBelow(index, ends, chosen));
  for (const leaf of ends) add(leaf);
  for (let at = index.size - 1; at >= 0; at--) add(at);
  return { sections, forks, sectionOf: (position) => sections[owner[position] ?? -1] };
}

/** The last leaf in the file below an entry; the entry itself where a cycle leaves it without one. */
function leafBelow(index: LogIndex, ends: readonly number[], chosen: number): number {
  const seen = new Uint8Array(index.size);
  for (const leaf of ends) {
    for (let at = leaf; at >= 0 && seen[at] === 0; at = index.parentOf(at)) {
      if (at === chosen) return leaf;
      seen[at] = 1;
    }
  }
  return chosen;
}
