import { applySplices, removeMembers, type Splice, setMembers, skipSpace } from './text.ts';
import type { JsonObject } from './value.ts';

/** Changes of one line's object, collected first and made by splicing: what is not changed keeps its bytes. */
export class LineEdit {
  /** The line as its bytes, one character a byte. */
  readonly raw: string;
  /** What JSON.parse makes of `raw`; strings with other characters than ASCII are not decoded. */
  readonly value: JsonObject;
  readonly #set = new Map<string, string>();
  readonly #removed = new Set<string>();
  readonly #splices: Splice[] = [];

  constructor(raw: string, value: JsonObject) {
    this.raw = raw;
    this.value = value;
  }

  /** Sets a member to a JSON text: in its place where there is one, else at the end. */
  set(key: string, json: string): void {
    this.#set.set(key, json);
  }

  /** Takes a member away, with its comma; all of them where the key is repeated. */
  remove(key: string): void {
    this.#removed.add(key);
  }

  splice(splice: Splice): void {
    this.#splices.push(splice);
  }

  /** The line with all changes made; the very same string where there are none. */
  finish(): string {
    const { raw, value } = this;
    const open = skipSpace(raw, 0);
    const splices = [...this.#splices];
    if (this.#removed.size > 0) splices.push(...removeMembers(raw, open, (key) => this.#removed.has(key)));
    if ([...this.#set.keys()].some((key) => Object.hasOwn(value, key)))
      splices.push(...setMembers(raw, open, this.#set));
    else if (this.#set.size > 0) {
      // Nearly every entry of version 1: what is new goes to the end, and nothing has to be looked for.
      const end = raw.slice(0, raw.lastIndexOf('}')).trimEnd().length;
      const added = [...this.#set].map(([key, json]) => `,${JSON.stringify(key)}:${json}`).join('');
      splices.push({ start: end, end, text: end === open + 1 ? added.slice(1) : added });
    }
    return applySplices(raw, splices);
  }
}
