import { versionOf } from '../entries/envelope-check.ts';
import { stableId } from '../entries/migrate/mint.ts';
import { type FixedLine, type InnerMend, type Mend, type NewLine, type NewMember, newMend, type Unit } from './region.ts';
import { Flag, type Survey } from './survey.ts';

/** What each of the entries has in its bytes, as a digest: asked for only where ids repeat. */
export type Digests = (ranges: readonly { readonly offset: number; readonly length: number }[]) => Promise<readonly string[]>;

export interface PlanOptions {
  /** The input, for messages. */
  readonly name: string;
  readonly wants: (rule: string) => boolean;
  readonly digests: Digests;
  readonly settleTools: boolean;
  readonly settleLeaf: boolean;
}

/** The log under repair: what the survey saw and what is decided so far. */
export class Patient {
  readonly survey: Survey;
  readonly options: PlanOptions;
  /** By entry. */
  readonly mends = new Map<number, Mend>();
  version: 1 | 2 | 3 = 3;
  headerId = '';
  /** By entry, where it changes: the number of its new id. */
  readonly newIds = new Map<number, number>();
  /** The header where it is put in front of everything else. */
  front: NewLine | undefined;
  /** Entries that get an id, and those that need a new parent, with the rule that says so. */
  readonly idless = new Set<number>();
  readonly orphans = new Map<number, string>();

  constructor(survey: Survey, options: PlanOptions) {
    this.survey = survey;
    this.options = options;
    const [header] = survey.headers;
    if (header) this.version = versionOf(header.value).version;
    else this.version = survey.firstEntry?.hasId === false ? 1 : 3;
  }

  /** For a line that is put in. */
  get newline(): string {
    return this.survey.firstNewline || '\n';
  }

  has(entry: number, flag: number): boolean {
    return (this.survey.flags.at(entry) & flag) !== 0;
  }

  isDropped(entry: number): boolean {
    return this.mends.get(entry)?.drop !== undefined;
  }

  mendOf(unit: Unit): Mend | undefined {
    return typeof unit === 'number' ? this.mends.get(unit) : unit.mend;
  }

  /** False where the rule is not wanted or the line stays as it is. */
  mayMend(unit: Unit, rule: string): boolean {
    const frozen = typeof unit === 'number' ? this.has(unit, Flag.frozen) : unit.frozen;
    return !frozen && this.options.wants(rule);
  }

  drop(unit: Unit, rule: string, words: string): void {
    this.#mend(unit).drop = { rule, words };
  }

  move(header: FixedLine, moved: NonNullable<Mend['moved']>): void {
    this.#mend(header).moved = moved;
  }

  /** A member that is set twice keeps its first reason and gets its last value. */
  setMember(unit: Unit, member: NewMember): void {
    const { members } = this.#mend(unit);
    const earlier = members.find((one) => one.key === member.key);
    if (!earlier) {
      members.push(member);
      return;
    }
    earlier.json = member.json;
    earlier.words = member.words;
    earlier.idAfter = member.idAfter;
  }

  mendInside(entry: number, mend: InnerMend): void {
    this.#mend(entry).inner.push(mend);
  }

  insertAfter(unit: Unit, line: NewLine): void {
    this.#mend(unit).after.push(line);
  }

  /** The id that an entry will have, or undefined where it has none. */
  idOf(entry: number): string | undefined {
    const symbol = this.newIds.get(entry) ?? this.survey.ids.at(entry);
    return symbol < 0 ? undefined : this.survey.symbols.text(symbol);
  }

  /** A new id, which is the same in every run and is named nowhere in the file. */
  mint(position: number): string {
    const { symbols } = this.survey;
    for (let attempt = 0; ; attempt++) {
      const id = stableId(this.headerId, position, attempt);
      if (id === this.headerId || symbols.find(id) >= 0) continue;
      symbols.intern(id);
      return id;
    }
  }

  #mend(unit: Unit): Mend {
    if (typeof unit !== 'number') {
      unit.mend ??= newMend();
      return unit.mend;
    }
    let mend = this.mends.get(unit);
    if (!mend) {
      mend = newMend();
      this.mends.set(unit, mend);
    }
    return mend;
  }
}
