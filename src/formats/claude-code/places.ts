import { float64Column } from '../../util/column.ts';
import { Cells, NONE, type Symbols } from '../../util/symbols.ts';

/** Where a record is in the file. */
export interface RecordSpan {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * The tree of the records, and the entry that each of them became. An entry has the id of its record where that is
 * free, so both are symbols of one table.
 */
export class Places {
  readonly #ids: Symbols;
  readonly #entry = new Cells();
  readonly #parent = new Cells();
  readonly #nextMessage = new Cells();
  readonly #nextSide = new Cells();
  readonly #message = new Cells();
  readonly #offset = new Cells(float64Column());
  readonly #length = new Cells();
  readonly #line = new Cells();
  /** By entry: what was written right behind it and says nothing to the model, or answers one of its calls. */
  readonly #behind = new Cells();
  /** By entry: the last text of the agent below it. */
  readonly #note = new Cells();
  /** By entry: whether somebody spoke below it. */
  readonly #isSpokenTo = new Cells();

  constructor(ids: Symbols) {
    this.#ids = ids;
  }

  /** Where a record was met first; undefined where it was not. */
  spanOf(uuid: string): RecordSpan | undefined {
    const symbol = this.#ids.intern(uuid);
    const offset = this.#offset.get(symbol);
    return offset === NONE ? undefined : { offset, length: this.#length.get(symbol), line: this.#line.get(symbol) };
  }

  isKnown(uuid: string): boolean {
    return this.#offset.get(this.#ids.find(uuid)) !== NONE;
  }

  /** A record of the tree. */
  add(uuid: string, parent: string | undefined, isMessage: boolean, { line, offset, length }: RecordSpan): void {
    const symbol = this.#ids.intern(uuid);
    if (isMessage) this.#message.set(symbol, 1);
    this.#offset.set(symbol, offset);
    this.#length.set(symbol, length);
    this.#line.set(symbol, line);
    if (parent !== undefined) this.#parent.set(symbol, this.#ids.intern(parent));
  }

  /** Makes a record the newest child of its parent: the one that a walk to the tip takes. */
  join(uuid: string, parent: string, isMessage: boolean): void {
    const above = this.#ids.intern(parent);
    const symbol = this.#ids.intern(uuid);
    if (above === symbol) return;
    (isMessage ? this.#nextMessage : this.#nextSide).set(above, symbol);
  }

  /** Whether somebody said it, or a tool. */
  isMessage(uuid: string): boolean {
    return this.#message.get(this.#ids.find(uuid)) === 1;
  }

  /** The record itself where somebody said it, else the nearest one above it. */
  spokenAbove(uuid: string): string {
    let at = this.#ids.find(uuid);
    for (let steps = 0; at !== NONE && steps < this.#ids.size; steps++) {
      if (this.#message.get(at) === 1) return this.#ids.text(at);
      at = this.#parent.get(at);
    }
    return uuid;
  }

  parentOf(uuid: string): string | undefined {
    const parent = this.#parent.get(this.#ids.find(uuid));
    return parent === NONE ? undefined : this.#ids.text(parent);
  }

  /** The record's entry. */
  put(uuid: string, entry: string): void {
    this.#entry.set(this.#ids.intern(uuid), this.#ids.intern(entry));
  }

  entryOf(uuid: string): string | undefined {
    const entry = this.#entry.get(this.#ids.find(uuid));
    return entry === NONE ? undefined : this.#ids.text(entry);
  }

  /** The entry that the next one below this one hangs from. */
  tip(entry: string): string {
    return this.#ids.text(this.#tip(this.#ids.intern(entry)));
  }

  /** The next ones below an entry hang from another, which was written right below it. */
  setBehind(entry: string, next: string): void {
    this.#behind.set(this.#ids.intern(entry), this.#ids.intern(next));
  }

  setNote(entry: string, note: string): void {
    this.#note.set(this.#ids.intern(entry), this.#ids.intern(note));
  }

  setSpokenTo(entry: string): void {
    this.#isSpokenTo.set(this.#ids.intern(entry), 1);
  }

  /** Where one more answer to the calls of an entry goes: below all that it has, unless somebody spoke since. */
  answerTip(entry: string): string | undefined {
    let at = this.#tip(this.#ids.intern(entry));
    for (let note = this.#note.get(at); note !== NONE; note = this.#note.get(at)) at = this.#tip(note);
    return this.#isSpokenTo.get(at) === NONE ? this.#ids.text(at) : undefined;
  }

  /** From a record to the newest one below it. What somebody said is preferred to what only stands beside it. */
  newestBelow(uuid: string): string {
    let at = this.#ids.intern(uuid);
    const met = new Set<number>();
    while (!met.has(at)) {
      met.add(at);
      const message = this.#nextMessage.get(at);
      const next = message === NONE ? this.#nextSide.get(at) : message;
      if (next === NONE) break;
      at = next;
    }
    return this.#ids.text(at);
  }

  #tip(entry: number): number {
    let at = entry;
    for (let next = this.#behind.get(at); next !== NONE; next = this.#behind.get(at)) at = next;
    // The next walk is short: a log may have thousands of entries that say nothing in a row.
    for (let from = entry; from !== at; ) {
      const next = this.#behind.get(from);
      this.#behind.set(from, at);
      from = next;
    }
    return at;
  }
}
