import { Flag, NO_PARENT } from '../rules/fix/repair-index.ts';
import { LOST, type RepairState, ROOT } from '../rules/fix/repair-state.ts';

/** Finds a new parent for those that lost theirs, in file order. */
export function reattachLost(repair: RepairState): void {
  const { orphans, parents } = repair;
  const lost = [...orphans.keys()].filter((entry) => parents[entry] === LOST).sort((a, b) => a - b);
  if (lost.length === 0) return;
  const tops = new Tops(parents);
  const before = new Before(repair);
  for (const entry of lost) {
    const chain = survivor(repair, entry);
    let parent = chain ?? before.last(entry);
    // Its own descendants cannot be above it; such an entry starts a tree.
    if (chain !== undefined && parent >= 0 && tops.of(parent) === entry) parent = before.last(entry);
    if (parent >= 0 && tops.of(parent) === entry) parent = ROOT;
    parents[entry] = parent;
    tops.attach(entry, parent);
    repair.reattach(entry, parent < 0 ? undefined : repair.idOf(parent), orphans.get(entry) ?? 'dangling-parent');
  }
}

/**
 * The nearest entry that survived along the chain of parents which damaged lines still show; -1 where the chain leads to a
 * root, undefined where nothing shows it.
 */
function survivor(repair: RepairState, entry: number): number | undefined {
  const { index, orphans } = repair;
  if (orphans.get(entry) !== 'dangling-parent') return undefined;
  const met = new Set<number>();
  let symbol = index.shown.get(index.parents.at(entry));
  while (symbol !== undefined && symbol !== NO_PARENT && !met.has(symbol)) {
    met.add(symbol);
    const found = nearest(repair, symbol, entry);
    if (found >= 0) return found;
    symbol = index.shown.get(symbol);
  }
  return symbol === NO_PARENT ? ROOT : undefined;
}

/** Only what stands before the entry: agents write a parent first. */
function nearest(repair: RepairState, symbol: number, entry: number): number {
  const { definitions } = repair;
  const last = definitions?.resolve(symbol) ?? -1;
  if (last < 0) return -1;
  if (last < entry) return last;
  const first = definitions?.first[symbol] ?? -1;
  if (first < 0 || first >= entry || repair.isDropped(first)) return -1;
  return first;
}

/** The last entry before a place that others can be attached to; asked for in file order. */
class Before {
  readonly #repair: RepairState;
  #seen = 0;
  #last = ROOT;

  constructor(repair: RepairState) {
    this.#repair = repair;
  }

  last(entry: number): number {
    for (; this.#seen < entry; this.#seen++) if (this.#isNamed(this.#seen)) this.#last = this.#seen;
    return this.#last;
  }

  #isNamed(entry: number): boolean {
    const { index, newIds } = this.#repair;
    if (this.#repair.isDropped(entry)) return false;
    return newIds.has(entry) || (index.ids.at(entry) >= 0 && !this.#repair.has(entry, Flag.emptyId));
  }
}

/** The top of the tree that an entry is in, while trees are attached to each other. */
class Tops {
  readonly #up: Int32Array;

  constructor(parents: Int32Array) {
    this.#up = Int32Array.from(parents, (parent, entry) => (parent >= 0 ? parent : entry));
  }

  of(entry: number): number {
    const up = this.#up;
    let top = entry;
    while (up[top] !== top) top = up[top] as number;
    for (let at = entry; at !== top; ) {
      const next = up[at] as number;
      up[at] = top;
      at = next;
    }
    return top;
  }

  attach(entry: number, parent: number): void {
    if (parent >= 0) this.#up[entry] = parent;
  }
}
