import { hasEnvelope, isHeader, isTitleSlot, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import type { JsonObject } from '../json/value.ts';
import { shortJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';
import { isKnownEntry, isNative, isSessionTrace, LINES_TO_LOOK_AT } from './native/native.ts';
import { isSdkHeader } from './pi-sdk.ts';

/** Whose format a file is said to have, whatever its records look like. */
export const ORIGINS = ['pi', 'omp'] as const;
export type Origin = (typeof ORIGINS)[number];

/** What the first records of a file say about whose it is, and whether it may be rewritten. */
export class Evidence {
  readonly #from: Origin | undefined;
  #records = 0;
  /** Without the headers that do not show whose they are. */
  #telling = 0;
  #known = 0;
  #ours: boolean | undefined;
  /** The first header, whoever wrote it. */
  #header: JsonObject | undefined;
  #isCertain = false;

  constructor(from?: Origin) {
    this.#from = from;
  }

  /** Whether the file is ours; undefined as long as what follows may tell. */
  get ours(): boolean | undefined {
    return this.#ours;
  }

  /** Nothing that follows changes the answers. */
  get settled(): boolean {
    return (
      this.#ours === false ||
      this.#records >= LINES_TO_LOOK_AT ||
      this.#known > LINES_TO_LOOK_AT / 2 ||
      this.#isVouchedFor
    );
  }

  get #isVouchedFor(): boolean {
    return this.#from !== undefined && this.#ours === true;
  }

  /** The next record. One that shares its line may be a piece of another object, and only speaks for the file. */
  see(value: JsonObject, hasOwnLine: boolean): void {
    if (this.settled) return;
    const isFirst = this.#records++ === 0;
    if (isFirst && hasOwnLine && this.#from === undefined && isOtherKind(value)) {
      this.#ours = false;
      return;
    }
    if (isHeader(value) && isNative(value) && !this.#header) {
      this.#header = value;
      this.#isCertain = isCertainHeader(value);
    }
    const isKnown = this.#isKnown(value);
    if (isKnown) this.#known++;
    if (isKnown || !isHeader(value)) this.#telling++;
    if (this.#ours === undefined && this.#speaksForUs(value)) this.#ours = true;
  }

  /** No record follows: a header that any tool may have written is ours if nothing else is in the file. */
  end(): boolean {
    this.#ours ??= this.#header !== undefined && this.#records === 1;
    return this.#ours;
  }

  /** Why a file that is ours is not rewritten unasked. */
  refusal(wish: { readonly anyVersion: boolean }): string | undefined {
    if (this.#isVouchedFor) return undefined;
    const unless = "nothing was written; if it is a log of pi or omp, pass '--from pi' or '--from omp'";
    const isUnknown = this.#header !== undefined && !versionOf(this.#header).known;
    if (!wish.anyVersion && isUnknown) return `unknown version ${shortJson(this.#header?.['version'])}; ${unless}`;
    if (this.#telling === 0 || this.#known * 2 > this.#telling) return undefined;
    return `only ${this.#known} of the first ${counted(this.#telling, 'record')} are known to pi or omp; ${unless}`;
  }

  #speaksForUs(value: JsonObject): boolean {
    if (!isHeader(value)) return isNative(value) || (this.#header !== undefined && this.#isKnown(value));
    return isNative(value) && (this.#from !== undefined || isCertainHeader(value));
  }

  #isKnown(value: JsonObject): boolean {
    if (isHeader(value) || isTitleSlot(value)) return isNative(value) && (!isHeader(value) || isCertainHeader(value));
    // Below a header of ours an entry is known by its type, whatever it lacks.
    return this.#isCertain ? entryTypeOf(value['type']) !== undefined : isKnownEntry(value);
  }
}

/** No other tool writes such a header: one of a known version, or all that version 1 has. */
function isCertainHeader(header: JsonObject): boolean {
  if (!isNative(header) || !versionOf(header).known) return false;
  return header['version'] !== undefined || ['id', 'timestamp', 'cwd'].every((key) => typeof header[key] === 'string');
}

/** A whole record that no log of ours starts with, even if it lost its header. */
function isOtherKind(value: JsonObject): boolean {
  if (isSdkHeader(value) || isSessionTrace(value)) return true;
  const { type } = value;
  if (typeof type !== 'string' || isHeader(value) || type === TITLE_TYPE || entryTypeOf(type)) return false;
  return !hasEnvelope(value, 3);
}
