import { applySplices, type Member, objectMembers, type Splice, skipSpace } from './text.ts';
import type { JsonObject } from './value.ts';

/**
 * Changes of one line's object, collected first and made by splicing: what is not changed keeps its bytes. New members
 * go to the end of the object in the order they are set, without blanks, as JSON.stringify writes them.
 */
export class LineEdit {
  /** The line as its bytes, one character a byte. */
  readonly raw: string;
  /** What JSON.parse makes of `raw`; strings with other characters than ASCII are not decoded. */
  readonly value: JsonObject;
  #splices: Splice[] | undefined;
  #appended = '';
  #members: readonly Member[] | undefined;

  constructor(raw: string, value: JsonObject) {
    this.raw = raw;
    this.value = value;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.value, key);
  }

  /** Sets a member to a JSON text: in its place where there is one, else at the end. */
  set(key: string, json: string): void {
    if (this.has(key)) {
      const member = this.#last(key);
      if (member) {
        this.splice({ start: member.valueStart, end: member.valueEnd, text: json });
        return;
      }
    }
    this.#appended += `,${JSON.stringify(key)}:${json}`;
  }

  /** Takes a member away, with its comma; all of them where the key is repeated. */
  remove(key: string): void {
    const members = this.#all();
    let kept = false;
    for (const [index, member] of members.entries()) {
      const before = members[index - 1];
      const after = members[index + 1];
      if (member.key !== key) kept = true;
      else if (kept && before) this.splice({ start: before.valueEnd, end: member.valueEnd, text: '' });
      else this.splice({ start: member.start, end: after ? after.start : member.valueEnd, text: '' });
    }
  }

  splice(splice: Splice): void {
    this.#splices ??= [];
    this.#splices.push(splice);
  }

  /** Where the value of a top-level member stands. */
  valueStart(key: string): number | undefined {
    return this.#last(key)?.valueStart;
  }

  /** The line with all changes made; the very same string where there are none. */
  finish(): string {
    if (this.#appended === '') return this.#splices ? applySplices(this.raw, this.#splices) : this.raw;
    const end = contentEnd(this.raw);
    const isEmpty = this.raw.charCodeAt(end - 1) === 0x7b;
    const text = isEmpty ? this.#appended.slice(1) : this.#appended;
    if (!this.#splices) return this.raw.slice(0, end) + text + this.raw.slice(end);
    return applySplices(this.raw, [...this.#splices, { start: end, end, text }]);
  }

  #all(): readonly Member[] {
    this.#members ??= [...objectMembers(this.raw, skipSpace(this.raw, 0))];
    return this.#members;
  }

  #last(key: string): Member | undefined {
    return this.#all().findLast((member) => member.key === key);
  }
}

/** Behind the last thing inside the object that the line is: blanks and the closing brace are not looked at. */
function contentEnd(raw: string): number {
  let end = raw.lastIndexOf('}');
  while (end > 0 && isBlank(raw.charCodeAt(end - 1))) end--;
  return end;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
