import { ABSENT, Flag, REFERENCES } from './repair-index.ts';
import { LOST, type RepairState, ROOT, UNRESOLVED } from './repair-state.ts';

/** Which entry an id means at a place of the file: the nearest definition before it, else the first after it. */
export class Definitions {
  readonly #repair: RepairState;
  /** By id: the first entry that has it, or -1. */
  readonly first: Int32Array;
  /** By id: the last entry so far. */
  readonly #current: Int32Array;
  /** By entry that has the id of another one: what it holds. */
  readonly #digests = new Map<number, string>();
  /** What the entries with an id that repeats hold, by id and digest. */
  readonly #originals = new Map<string, number>();

  constructor(repair: RepairState) {
    this.#repair = repair;
    this.first = new Int32Array(repair.index.symbols.size).fill(-1);
    this.#current = new Int32Array(repair.index.symbols.size).fill(-1);
    this.#findFirst();
  }

  #findFirst(): void {
    const { index } = this.#repair;
    for (let entry = index.size - 1; entry >= 0; entry--) if (this.has(entry)) this.first[index.ids.at(entry)] = entry;
  }

  /** Whether the entry stays and has an id of its own. */
  has(entry: number): boolean {
    return this.#repair.index.ids.at(entry) >= 0 && !this.#repair.idless.has(entry) && !this.#repair.isDropped(entry);
  }

  /** Reads what the entries hold whose ids repeat: only an exact copy may leave. */
  async findCopies(): Promise<void> {
    const { index, settings } = this.#repair;
    const repeated = new Set<number>();
    for (let entry = 0; entry < index.size; entry++) {
      const first = this.has(entry) ? (this.first[index.ids.at(entry)] as number) : entry;
      if (first === entry) continue;
      repeated.add(first);
      repeated.add(entry);
    }
    if (repeated.size === 0) return;
    const entries = [...repeated].sort((a, b) => a - b);
    const ranges = entries.map((entry) => ({ offset: index.offsets.at(entry), length: index.lengths.at(entry) }));
    const digests = await settings.digests(ranges);
    entries.forEach((entry, at) => {
      this.#digests.set(entry, digests[at] ?? '');
    });
    this.#dropBehindMark(entries);
  }

  /** Agents cannot read an entry behind a byte order mark, so it is the copy, and the healthy one later in the file stays. */
  #dropBehindMark([first, ...others]: readonly number[]): void {
    const { index } = this.#repair;
    if (first !== 0 || !index.keepsMark || index.lines.at(0) !== 1 || this.#repair.has(0, Flag.inRegion)) return;
    const key = this.#keyOf(0);
    const healthy = others.find((entry) => this.#keyOf(entry) === key && !this.#repair.has(entry, Flag.frozen));
    if (healthy === undefined || !this.#repair.settings.wants('duplicate-id')) return;
    dropCopy(this.#repair, 0, healthy);
    this.#findFirst();
  }

  #keyOf(entry: number): string | undefined {
    const digest = this.#digests.get(entry);
    return digest === undefined ? undefined : `${this.#repair.index.ids.at(entry)} ${digest}`;
  }

  /** The entry before this one, with the same id, of which it is an exact copy; -1 where there is none. */
  original(entry: number): number {
    const key = this.#keyOf(entry);
    if (key === undefined) return -1;
    const original = this.#originals.get(key);
    if (original === undefined || this.isWorse(original, entry)) this.#originals.set(key, entry);
    return original ?? -1;
  }

  /** Whether the line of one of two copies stays damaged, and that of the other is healthy. */
  isWorse(one: number, other: number): boolean {
    return this.#repair.has(one, Flag.frozen) && !this.#repair.has(other, Flag.frozen);
  }

  /** The entry that an id means for whoever names it next. */
  resolve(id: number): number {
    const current = this.#current[id] ?? -1;
    return current >= 0 ? current : (this.first[id] ?? -1);
  }

  isTaken(id: number): boolean {
    return (this.#current[id] ?? -1) >= 0;
  }

  define(id: number, entry: number): void {
    if (id < this.#current.length) this.#current[id] = entry;
  }
}

/**
 * Goes through the file once: an exact copy of an entry leaves, new ids where they repeat or lack, and whoever names such an
 * entry follows. Finds the parent of each entry on the way.
 */
export async function assignIds(repair: RepairState): Promise<void> {
  const { index, idless, parents } = repair;
  const definitions = new Definitions(repair);
  repair.definitions = definitions;
  await definitions.findCopies();
  let position = 0;
  let reference = 0;
  let last = ROOT;
  for (let entry = 0; entry < index.size; entry++) {
    const firstReference = reference;
    while (reference < index.referenceEntries.size && index.referenceEntries.at(reference) === entry) reference++;
    if (repair.isDropped(entry)) continue;
    const original = definitions.has(entry) ? definitions.original(entry) : -1;
    const copy = original >= 0 && definitions.isWorse(original, entry) ? original : entry;
    if (original >= 0 && repair.mayFix(copy, 'duplicate-id')) {
      dropCopy(repair, copy, original);
      definitions.define(index.ids.at(entry), original);
      continue;
    }
    position++;
    parents[entry] = parentOf(repair, definitions, entry, last);
    for (let at = firstReference; at < reference; at++) {
      const key = REFERENCES[index.referenceKeys.at(at)] as string;
      followRenamed(repair, entry, key, index.referenceIds.at(at), definitions.resolve(index.referenceIds.at(at)));
    }
    if (idless.has(entry)) {
      const rule = index.ids.at(entry) === ABSENT ? 'missing-field' : 'wrong-type';
      rename(repair, entry, position, rule, 'gave the entry');
    } else if (definitions.has(entry)) nameOnce(repair, definitions, entry, position, original >= 0);
    last = entry;
  }
}

function dropCopy(repair: RepairState, copy: number, original: number): void {
  repair.drop(copy, 'duplicate-id', `moved an exact copy of line ${repair.index.lines.at(original)} to quarantine`);
}

function nameOnce(
  repair: RepairState,
  definitions: Definitions,
  entry: number,
  position: number,
  isCopy: boolean,
): void {
  const symbol = repair.index.ids.at(entry);
  if (definitions.isTaken(symbol) && !isCopy && repair.mayFix(entry, 'duplicate-id')) {
    const idBefore = repair.index.symbols.text(symbol);
    rename(repair, entry, position, 'duplicate-id', `gave the second entry with the id '${idBefore}'`, idBefore);
  }
  definitions.define(symbol, entry);
}

function rename(
  repair: RepairState,
  entry: number,
  position: number,
  rule: string,
  what: string,
  idBefore?: string,
): void {
  const id = repair.mint(position);
  repair.newIds.set(entry, repair.index.symbols.find(id));
  repair.setMember(entry, {
    key: 'id',
    json: JSON.stringify(id),
    rule,
    words: `${what} the id '${id}'`,
    idBefore,
    idAfter: id,
  });
}

function parentOf(repair: RepairState, definitions: Definitions, entry: number, last: number): number {
  if (repair.orphans.has(entry)) return LOST;
  const symbol = repair.index.parents.at(entry);
  // In version 1 the order of the lines is the tree where nothing else is said.
  if (symbol === ABSENT && repair.version === 1) return last;
  if (symbol < 0) return ROOT;
  const parent = definitions.resolve(symbol);
  if (parent < 0) return UNRESOLVED;
  followRenamed(repair, entry, 'parentId', symbol, parent);
  return parent;
}

function followRenamed(repair: RepairState, entry: number, key: string, symbol: number, target: number): void {
  if (target < 0 || target === entry || !repair.newIds.has(target) || repair.has(entry, Flag.frozen)) return;
  const idBefore = repair.index.symbols.text(symbol);
  const idAfter = repair.idOf(target);
  const words = `updated ${key} to '${idAfter}'`;
  repair.setMember(entry, { key, json: JSON.stringify(idAfter), rule: 'duplicate-id', words, idBefore, idAfter });
}
