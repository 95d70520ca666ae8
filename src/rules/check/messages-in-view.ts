import type { RecordFacts, ViewChange } from '../../formats/format.ts';

/** The messages that an agent resumes with, in a format whose records take messages back. */
export class MessagesInView {
  /** In order, and by id. */
  readonly #ids: string[] = [];
  readonly #known = new Map<string, { readonly at: number; readonly role: RecordFacts['role'] }>();
  /** How many of them the model sees. */
  #seen = 0;
  /** The record that took back all that the model saw; whether it lost an answer that no user meant to take back. */
  emptied: { readonly position: number; readonly isLoss: boolean } | undefined;

  has(id: string): boolean {
    return this.#known.has(id);
  }

  change({ takesAll, takesFrom, adds }: ViewChange, position: number): void {
    const from = takesFrom && this.#known.get(takesFrom.id)?.at;
    if (takesAll || takesFrom) this.#take(from ?? 0, position, from === undefined);
    for (const { id, role } of adds) {
      const { at, role: before } = this.#known.get(id) ?? { at: this.#ids.push(id) - 1, role: undefined };
      this.#known.set(id, { at, role });
      this.#seen += Number(role !== undefined) - Number(before !== undefined);
    }
    if (this.#seen > 0) this.emptied = undefined;
  }

  #take(from: number, position: number, isLoss: boolean): void {
    const taken = this.#ids.splice(from).map((id) => {
      const role = this.#known.get(id)?.role;
      this.#known.delete(id);
      return role;
    });
    const seen = taken.filter((role) => role !== undefined);
    this.#seen -= seen.length;
    if (seen.length === 0 || this.#seen > 0) return;
    this.emptied = { position, isLoss: isLoss && seen.includes('assistant') };
  }
}
