import { float64Column } from '../../util/column.ts';
import { Cells, NONE, type Symbols } from '../../util/symbols.ts';

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
  /** By entry: the entry right after it that the model does not see, or that is a result of its calls. */
  readonly #follower = new Cells();
  /** By entry: the last text of the agent below it. */
  readonly #note = new Cells();
  /** By entry: whether it has a message as child. */
  readonly #hasMessageBelow = new Cells();

  constructor(ids: Symbols) {
    this.#ids = ids;
  }

  /** Where the first record with a uuid is; undefined where there was none. */
  spanOf(uuid: string): RecordSpan | undefined {
    const symbol = this.#ids.intern(uuid);
    const offset = this.#offset.get(symbol);
    return offset === NONE ? undefined : { offset, length: this.#length.get(symbol), line: this.#line.get(symbol) };
  }

  isKnown(uuid: string): boolean {
    return this.#offset.get(this.#ids.find(uuid)) !== NONE;
  }

  add(uuid: string, parent: string | undefined, isMessage: boolean, { line, offset, length }: RecordSpan): void {
    const symbol = this.#ids.intern(uuid);
    if (isMessage) this.#message.set(symbol, 1);
    this.#offset.set(symbol, offset);
    this.#length.set(symbol, length);
    this.#line.set(symbol, line);
    if (parent !== undefined) this.#parent.set(symbol, this.#ids.intern(parent));
  }

  /** Makes a record the newest child of its parent. */
  join(uuid: string, parent: string, isMessage: boolean): void {
    const above = this.#ids.intern(parent);
    const symbol = this.#ids.intern(uuid);
    if (above === symbol) return;
    (isMessage ? this.#nextMessage : this.#nextSide).set(above, symbol);
  }

  isMessage(uuid: string): boolean {
    return this.#message.get(this.#ids.find(uuid)) === 1;
  }

  /** The record itself if it is a message, else the nearest one above it. */
  messageAtOrAbove(uuid: string): string {
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

  put(uuid: string, entry: string): void {
    this.#entry.set(this.#ids.intern(uuid), this.#ids.intern(entry));
  }

  entryOf(uuid: string): string | undefined {
    const entry = this.#entry.get(this.#ids.find(uuid));
    return entry === NONE ? undefined : this.#ids.text(entry);
  }

  /** The parent for the next entry below this one. */
  tip(entry: string): string {
    return this.#ids.text(this.#tip(this.#ids.intern(entry)));
  }

  /** Makes `next` the parent of the next entries below an entry. */
  setFollower(entry: string, next: string): void {
    this.#follower.set(this.#ids.intern(entry), this.#ids.intern(next));
  }

  setNote(entry: string, note: string): void {
    this.#note.set(this.#ids.intern(entry), this.#ids.intern(note));
  }

  setMessageBelow(entry: string): void {
    this.#hasMessageBelow.set(this.#ids.intern(entry), 1);
  }

  /** The parent for one more result of an entry's calls; undefined if a message followed. */
  answerTip(entry: string): string | undefined {
    let at = this.#tip(this.#ids.intern(entry));
    for (let note = this.#note.get(at); note !== NONE; note = this.#note.get(at)) at = this.#tip(note);
    return this.#hasMessageBelow.get(at) === NONE ? this.#ids.text(at) : undefined;
  }

  /** Whether a record is in the conversation that goes on from another one, or from another result of the same answer. */
  isBelow(uuid: string, above: string): boolean {
    const tip = this.#tip(this.#entry.get(this.#ids.intern(above)));
    let at = this.#ids.find(uuid);
    for (let steps = 0; at !== NONE && steps < this.#ids.size; steps++) {
      const entry = this.#entry.get(at);
      if (entry !== NONE && this.#tip(entry) === tip) return true;
      at = this.#parent.get(at);
    }
    return false;
  }

  /** The newest record below a record, through messages where there are any. */
  newestBelow(uuid: string): string {
    let at = this.#ids.intern(uuid);
    const visited = new Set<number>();
    while (!visited.has(at)) {
      visited.add(at);
      const message = this.#nextMessage.get(at);
      const next = message === NONE ? this.#nextSide.get(at) : message;
      if (next === NONE) break;
      at = next;
    }
    return this.#ids.text(at);
  }

  #tip(entry: number): number {
    let at = entry;
    for (let next = this.#follower.get(at); next !== NONE; next = this.#follower.get(at)) at = next;
    // Path compression: a log may have thousands of such entries in a row.
    for (let from = entry; from !== at; ) {
      const next = this.#follower.get(from);
      this.#follower.set(from, at);
      from = next;
    }
    return at;
  }
}
