import { firstNot } from '../base/search.ts';
import type { Patient } from './patient.ts';
import { Flag } from './survey.ts';

/**
 * In version 1 a compaction counts to the first entry that it keeps, and whoever wrote it counted entries that are lost
 * now: each number is set to where the entry stands that was meant. A header counts as the first; a rebuilt one takes
 * the place of the line that was lost.
 */
export function mendKeptIndexes(patient: Patient): void {
  const { survey } = patient;
  if (survey.keptIndexes.size === 0) return;
  const lost = lostBefore(patient);
  if (lost.length === 0 && !anyDropped(patient)) return;
  const counts = new Counts(patient, lost);
  for (const [entry, index] of survey.keptIndexes) {
    if (patient.isDropped(entry) || patient.has(entry, Flag.frozen)) continue;
    const meant = counts.meant(index, entry);
    if (meant < 0) continue;
    const corrected = counts.outputPosition(meant);
    if (corrected === index) continue;
    // A kept part never starts with a result: whoever wrote this number had not counted what was lost.
    const uncorrected = counts.atOutput(index);
    const isResult = (one: number): boolean => one >= 0 && patient.has(one, Flag.toolResult);
    if (isResult(meant) && uncorrected >= 0 && uncorrected <= entry && !isResult(uncorrected)) continue;
    patient.setMember(entry, {
      key: 'firstKeptEntryIndex',
      json: String(corrected),
      rule: counts.cause(index),
      words: `the first kept entry is now number ${corrected}, was ${index} (assumed)`,
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
function lostBefore(patient: Patient): Lost[] {
  const { survey } = patient;
  const lost: Lost[] = survey.lostBefore.map(({ before, rule }) => ({ before, rule }));
  for (const header of survey.headers.slice(1)) if (header.mend?.drop) lost.push({ before: header.entry, rule: 'second-header' });
  lost.sort((a, b) => a.before - b.before);
  // Without a header, the first thing that is lost before all entries was the header.
  if (survey.headers.length === 0 && lost[0]?.before === 0) lost.shift();
  return lost;
}

function anyDropped(patient: Patient): boolean {
  for (const { drop } of patient.mends.values()) if (drop) return true;
  return false;
}

class Counts {
  readonly #patient: Patient;
  readonly #lost: readonly Lost[];
  /** By entry: where it stands in the output, the header being 0. */
  readonly #output: Int32Array;
  /** By place in the output: the entry. */
  readonly #entries: Int32Array;
  readonly #drops: number[] = [];
  #size = 0;

  constructor(patient: Patient, lost: readonly Lost[]) {
    this.#patient = patient;
    this.#lost = lost;
    const { size } = patient.survey;
    this.#output = new Int32Array(size);
    this.#entries = new Int32Array(size + 1).fill(-1);
    for (let entry = 0; entry < size; entry++) {
      if (patient.isDropped(entry)) {
        this.#drops.push(entry);
        continue;
      }
      this.#size++;
      this.#output[entry] = this.#size;
      this.#entries[this.#size] = entry;
    }
  }

  /** The entry that the writer of an entry meant by a number, or the next one that is left; -1 where it meant none. */
  meant(index: number, by: number): number {
    if (!Number.isInteger(index) || index < 1 || index > this.#counted(by)) return -1;
    // The counts rise with the entries.
    let meant = firstNot(0, by, (entry) => this.#counted(entry) < index);
    while (meant < by && this.#patient.isDropped(meant)) meant++;
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
    return (drop === undefined ? undefined : this.#patient.mends.get(drop)?.drop?.rule) ?? lost?.rule ?? 'torn-line';
  }

  /** Where an entry stood for its writer, the header being 0. */
  #counted(entry: number): number {
    return 1 + entry + firstNot(0, this.#lost.length, (at) => (this.#lost[at]?.before ?? 0) <= entry);
  }
}
