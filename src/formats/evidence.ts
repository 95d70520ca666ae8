import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { hasEnvelope, isHeader, isTitleSlot, messageOf, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import { skipSpace, skipValue } from '../json/text.ts';
import { isObject, type JsonObject, parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { shortJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';
import { hasMembers } from './format.ts';

/** Whose format a file is said to have, whatever its records look like. */
export const ORIGINS = ['pi', 'omp'] as const;
export type Origin = (typeof ORIGINS)[number];

/** How many lines that are not blank are looked at before a file is called foreign. */
export const LINES_TO_LOOK_AT = 256;

/** What the first records of a file say about whose it is, and whether it may be rewritten. */
export class FormatEvidence {
  /** Whether the file is ours; undefined as long as what follows may show it. */
  ours: boolean | undefined;
  readonly #from: Origin | undefined;
  #records = 0;
  /** Without the headers that do not show whose they are. */
  #telling = 0;
  #known = 0;
  /** The first header, whoever wrote it. */
  #header: JsonObject | undefined;

  constructor(from?: Origin) {
    this.#from = from;
  }

  /** Nothing that follows changes the answers. */
  get settled(): boolean {
    if (this.ours === false || this.#isGiven) return true;
    return this.#records >= LINES_TO_LOOK_AT || this.#known > LINES_TO_LOOK_AT / 2;
  }

  get #isGiven(): boolean {
    return this.#from !== undefined && this.ours === true;
  }

  /** The next record. One that shares its line may be a piece of another object, and only speaks for the file. */
  see(value: JsonObject, hasOwnLine: boolean): void {
    if (this.settled) return;
    const isFirst = this.#records++ === 0;
    if (isFirst && hasOwnLine && this.#from === undefined && isOtherKind(value)) {
      this.ours = false;
      return;
    }
    if (isHeader(value) && isNative(value)) this.#header ??= value;
    const isKnown = this.#isKnown(value);
    if (isKnown) this.#known++;
    if (isKnown || !isHeader(value)) this.#telling++;
    if (isHeader(value) ? isKnown || (this.#from && isNative(value)) : isNative(value) || (this.#header && isKnown))
      this.ours = true;
  }

  /** No record follows: a header that any tool may have written is ours if nothing else is in the file. */
  end(): boolean {
    this.ours ??= this.#header !== undefined && this.#records === 1;
    return this.ours;
  }

  /** Why a file that is ours is not rewritten unasked. */
  refusal({ anyVersion }: { readonly anyVersion: boolean }): string | undefined {
    if (this.#isGiven) return undefined;
    const unless = "nothing was written; if it is a log of pi or omp, pass '--from pi' or '--from omp'";
    const isUnknown = this.#header !== undefined && !versionOf(this.#header).known;
    if (!anyVersion && isUnknown) return `unknown version ${shortJson(this.#header?.['version'])}; ${unless}`;
    if (this.#telling === 0 || this.#known * 2 > this.#telling) return undefined;
    return `only ${this.#known} of the first ${counted(this.#telling, 'record')} are known to pi or omp; ${unless}`;
  }

  #isKnown(value: JsonObject): boolean {
    if (isHeader(value)) return isCertainHeader(value);
    if (isTitleSlot(value)) return isNative(value);
    if (entryTypeOf(value['type']) === undefined) return false;
    // Below a header of ours an entry is known by its type, whatever it lacks.
    if (this.#header && isCertainHeader(this.#header)) return true;
    // Version 1 has neither ids nor parents, and a damaged entry may lack its time.
    return typeof value['timestamp'] === 'string' || hasMembers(value, { id: 'any', parentId: 'any' });
  }
}

/** Adds what a line holds. Damaged bytes inside of a string, or zeros around an object, do not change whose it is. */
export function seeLine(evidence: FormatEvidence, line: Line): void {
  if (line.blank || line.oversize > 0 || evidence.settled) return;
  const { json } = line;
  if (isObject(json)) {
    evidence.see(json, true);
    return;
  }
  const isMarked = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK);
  const unmarked = isMarked ? line.text.slice(line.encoding === 'invalid' ? BYTE_ORDER_MARK.length : 1) : line.text;
  const text = unmarked.includes('\0') ? unmarked.replace(/^[\0\s]+|[\0\s]+$/g, '') : unmarked;
  const whole = parseObject(text);
  const value = whole ?? parseObject(firstObject(text));
  if (value) evidence.see(value, whole !== undefined);
}

/** The object that a line starts with: a log that lost its line ends is damaged, but ours. */
function firstObject(text: string): string {
  const start = skipSpace(text, 0);
  const end = text[start] === '{' ? skipValue(text, start) : -1;
  return end < 0 ? '' : text.slice(start, end);
}

/** A native header, title slot or entry: one of them makes the file ours, so a log that lost its header is ours too. */
function isNative(value: JsonObject): boolean {
  if (isHeader(value)) return !isSessionTrace(value) && HEADER_TEXTS.some((key) => typeof value[key] === 'string');
  if (isTitleSlot(value)) return hasMembers(value, { v: 'number', title: 'string' });
  if (!entryTypeOf(value['type']) || typeof value['timestamp'] !== 'string') return false;
  if (hasMembers(value, { id: 'any', parentId: 'any' })) return true;
  return value['type'] === 'message' && typeof messageOf(value)?.['role'] === 'string';
}

const HEADER_TEXTS = ['id', 'timestamp', 'cwd'];

/** No other tool writes such a header: one of a known version, or all that version 1 has. */
function isCertainHeader(header: JsonObject): boolean {
  if (!isNative(header) || !versionOf(header).known) return false;
  return header['version'] !== undefined || HEADER_TEXTS.every((key) => typeof header[key] === 'string');
}

/** A whole record that no log of ours starts with, even if it lost its header. */
function isOtherKind(value: JsonObject): boolean {
  if (isSdkHeader(value) || isSessionTrace(value)) return true;
  const { type } = value;
  if (typeof type !== 'string' || isHeader(value) || type === TITLE_TYPE || entryTypeOf(type)) return false;
  return !hasEnvelope(value, 3);
}

/** pi's SDK, another format under the same name, starts with {"v":4,"kind":"header"}; older ones say "version". */
export function isSdkHeader(value: JsonObject): boolean {
  return value['kind'] === 'header' && (typeof value['v'] === 'number' || typeof value['version'] === 'number');
}

/** The first line of a Hugging Face session trace: a header by its type, but it names a harness and no folder. */
export function isSessionTrace(value: JsonObject): boolean {
  return isHeader(value) && typeof value['harness'] === 'string' && typeof value['cwd'] !== 'string';
}
