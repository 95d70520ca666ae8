import { Flag } from '../rules/fix/repair-index.ts';
import type { RepairState } from '../rules/fix/repair-state.ts';
import { partitionPoint } from '../util/search.ts';

/**
 * In version 1 a compaction counts to the first entry that it keeps, and whoever wrote it counted entries that are lost
 * now: each number is set to where the entry stands that was meant. A header counts as the first; a rebuilt one takes
 * the place of the line that was lost.
 */
export function fixKeptIndexes(repair: RepairState): void {
  const { index } = repair;
  if (index.keptIndexes.size === 0) return;
  const lost = lostBefore(repair);
  if (lost.length === 0 && !anyDropped(repair)) return;
  const counts = new Counts(repair, lost);
  for (const [entry, kept] of index.keptIndexes) {
    if (repair.isDropped(entry) || repair.has(entry, Flag.frozen)) continue;
    const meant = counts.meant(kept, entry);
    if (meant < 0) continue;
    const corrected = counts.outputPosition(meant);
    if (corrected === kept) continue;
    // A kept part never starts with a result: whoever wrote this number had not counted what was lost.
    const uncorrected = counts.atOutput(kept);
    const isResult = (one: number): boolean => one >= 0 && repair.has(one, Flag.toolResult);
    if (isResult(meant) && uncorrected >= 0 && uncorrected <= entry && !isResult(uncorrected)) continue;
    repair.setMember(entry, {
      key: 'firstKeptEntryIndex',
      json: String(corrected),
      rule: counts.cause(kept),
      words: `the first kept entry is now number ${corrected}, was ${kept} (assumed)`,
      assumed: true,
    });
  }
}

interface Lost {
  /** The number of entries before it. */
  readonly before: number;
  readonly rule: string;
}

/** What the writer counted and the output does not have, beside the entries that leave. */
function lostBefore(repair: RepairState): Lost[] {
  const { index } = repair;
  const lost: Lost[] = index.lostBefore.map(({ before, rule }) => ({ before, rule }));
  for (const header of index.headers.slice(1))
    if (header.edits?.drop) lost.push({ before: header.entry, rule: 'second-header' });
  lost.sort((a, b) => a.before - b.before);
  // Without a header, the first thing that is lost before all entries was the header.
  if (index.headers.length === 0 && lost[0]?.before === 0) lost.shift();
  return lost;
}

function anyDropped(repair: RepairState): boolean {
  for (const { drop } of repair.edits.values()) if (drop) return true;
  return false;
}

class Counts {
  readonly #repair: RepairState;
  readonly #lost: readonly Lost[];
  /** By entry: where it stands in the output, the header being 0. */
  readonly #output: Int32Array;
  /** By place in the output: the entry. */
  readonly #entries: Int32Array;
  readonly #drops: number[] = [];
  #size = 0;

  constructor(repair: RepairState, lost: readonly Lost[]) {
    this.#repair = repair;
    this.#lost = lost;
    const { size } = repair.index;
    this.#output = new Int32Array(size);
    this.#entries = new Int32Array(size + 1).fill(-1);
    for (let entry = 0; entry < size; entry++) {
      if (repair.isDropped(entry)) {
        this.#drops.push(entry);
        continue;
      }
      this.#size++;
      this.#output[entry] = this.#size;
      this.#entries[this.#size] = entry;
    }
  }

  /** The entry that the writer of an entry meant by a number, or the next one that stays; -1 where it meant none. */
  meant(index: number, by: number): number {
    if (!Number.isInteger(index) || index < 1 || index > this.#counted(by)) return -1;
    // The counts rise with the entries.
    let meant = partitionPoint(0, by, (entry) => this.#counted(entry) < index);
    while (meant < by && this.#repair.isDropped(meant)) meant++;
    return meant;
  }

  outputPosition(entry: number): number {
    return this.#output[entry] as number;
  }

  atOutput(position: number): number {
    return position <= this.#size ? (this.#entries[position] ?? -1) : -1;
  }

  /** The rule by which the first thing that the number counts along was lost. */
  cause(index: number): string {
    const [lost] = this.#lost;
    const [drop] = this.#drops;
    if (lost && (drop === undefined || lost.before <= drop) && lost.before < index) return lost.rule;
    return (drop === undefined ? undefined : this.#repair.edits.get(drop)?.drop?.rule) ?? lost?.rule ?? 'torn-line';
  }

  /** Where an entry stood for its writer, the header being 0. */
  #counted(entry: number): number {
    return 1 + entry + partitionPoint(0, this.#lost.length, (at) => (this.#lost[at]?.before ?? 0) <= entry);
  }
}
