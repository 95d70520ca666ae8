import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { hasEnvelope, isHeader, isTitleSlot, messageOf, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import { skipSpace, skipValue } from '../json/text.ts';
import { isObject, type JsonObject, parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { shortJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';
import { hasMembers } from './format.ts';
import { isSdkHeader } from './recognized.ts';
import { isSessionTrace } from './sts/index.ts';

/** The agents with native logs, as `--from` names them. */
export const ORIGINS = ['pi', 'omp'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The agent that `--from` names, where it is one of these. */
export function originOf(from: string | undefined): Origin | undefined {
  return ORIGINS.find((one) => one === from);
}

/** After so many lines that are not blank a file is foreign. */
export const DETECTION_LINES = 256;

/** Decides by the first records of a file whether it is native, and whether it may be rewritten. */
export class FormatEvidence {
  /** Whether the file is native; undefined until that is known. */
  isNative: boolean | undefined;
  readonly #from: Origin | undefined;
  #records = 0;
  /** Records without headers of an unknown origin. */
  #considered = 0;
  #known = 0;
  /** The first header that may be native. */
  #header: JsonObject | undefined;
  /** The first line is the start of a header or a title slot: a crash while the file was made. */
  #isCut = false;

  constructor(from?: Origin) {
    this.#from = from;
  }

  /** Nothing that follows changes the answers. */
  get settled(): boolean {
    if (this.isNative === false || this.#isGiven) return true;
    return this.#records >= DETECTION_LINES || this.#known > DETECTION_LINES / 2;
  }

  get #isGiven(): boolean {
    return this.#from !== undefined && this.isNative === true;
  }

  /** Adds the next record. One that shares its line may be part of another object, and does not make a file foreign. */
  add(value: JsonObject, hasOwnLine: boolean): void {
    if (this.settled) return;
    const isFirst = this.#records++ === 0;
    if (isFirst && hasOwnLine && this.#from === undefined && isOtherKind(value)) {
      this.isNative = false;
      return;
    }
    if (isHeader(value) && isNative(value)) this.#header ??= value;
    const isKnown = this.#isKnown(value);
    if (isKnown) this.#known++;
    if (isKnown || !isHeader(value)) this.#considered++;
    if (isHeader(value) ? isKnown || (this.#from && isNative(value)) : isNative(value) || (this.#header && isKnown))
      this.isNative = true;
  }

  /** At the end of the file: a header that any tool may have written is native if it is alone. */
  end(): boolean {
    this.isNative ??= this.#records === 0 ? this.#isCut : this.#header !== undefined && this.#records === 1;
    return this.isNative;
  }

  /** Why a native file is not rewritten without `--from`. */
  refusal({ anyVersion }: { readonly anyVersion: boolean }): string | undefined {
    if (this.#isGiven) return undefined;
    const unless = "nothing was written; if it is a log of pi or omp, pass '--from pi' or '--from omp'";
    const isUnknown = this.#header !== undefined && !versionOf(this.#header).known;
    if (!anyVersion && isUnknown) return `unknown version ${shortJson(this.#header?.['version'])}; ${unless}`;
    if (this.#considered === 0 || this.#known * 2 > this.#considered) return undefined;
    return `only ${this.#known} of the first ${counted(this.#considered, 'record')} are known to pi or omp; ${unless}`;
  }

  /** Adds the first line where it has no record. */
  addStart(text: string): void {
    this.#isCut = CUT_HEADER.test(text);
  }

  /** Adds the record on a line, also between zeros or with invalid bytes in a string. */
  addLine(line: Line): void {
    if (line.blank || line.oversize > 0 || this.settled) return;
    const { json } = line;
    if (isObject(json)) {
      this.add(json, true);
      return;
    }
    const isMarked = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK);
    const unmarked = isMarked ? line.text.slice(line.encoding === 'invalid' ? BYTE_ORDER_MARK.length : 1) : line.text;
    const text = unmarked.includes('\0') ? unmarked.replace(/^[\0\s]+|[\0\s]+$/g, '') : unmarked;
    const whole = parseObject(text);
    const value = whole ?? parseObject(firstObject(text));
    if (value) this.add(value, whole !== undefined);
    else if (line.number === 1) this.addStart(text);
  }

  #isKnown(value: JsonObject): boolean {
    if (isHeader(value)) return isCertainHeader(value);
    if (isTitleSlot(value)) return isNative(value);
    if (entryTypeOf(value['type']) === undefined) return false;
    // After a native header the type of an entry is enough.
    if (this.#header && isCertainHeader(this.#header)) return true;
    // Version 1 has neither ids nor parents, and a damaged entry may lack its time.
    return typeof value['timestamp'] === 'string' || hasMembers(value, { id: 'any', parentId: 'any' });
  }
}

/** The object that a line starts with: a log that lost its line ends is damaged, but native. */
function firstObject(text: string): string {
  const start = skipSpace(text, 0);
  const end = text[start] === '{' ? skipValue(text, start) : -1;
  return end < 0 ? '' : text.slice(start, end);
}

/** A native header, title slot or entry: one is enough, so a log that lost its header is native too. */
function isNative(value: JsonObject): boolean {
  if (isHeader(value)) return !isSessionTrace(value) && HEADER_TEXTS.some((key) => typeof value[key] === 'string');
  if (isTitleSlot(value)) return hasMembers(value, { v: 'number', title: 'string' });
  if (!entryTypeOf(value['type']) || typeof value['timestamp'] !== 'string') return false;
  if (hasMembers(value, { id: 'any', parentId: 'any' })) return true;
  return value['type'] === 'message' && typeof messageOf(value)?.['role'] === 'string';
}

const HEADER_TEXTS = ['id', 'timestamp', 'cwd'];

/** As pi and omp begin a file; a header that goes on in the next line was pretty-printed. */
const CUT_HEADER = /^\{"type":"(?:session",(?:"version":\d,)?"id":"|title","v":\d,"title":")/;

/** A header that no other tool writes: it has a known version, or all members of version 1. */
function isCertainHeader(header: JsonObject): boolean {
  if (!isNative(header) || !versionOf(header).known) return false;
  return header['version'] !== undefined || HEADER_TEXTS.every((key) => typeof header[key] === 'string');
}

/** A record that no native log starts with, even without its header. */
function isOtherKind(value: JsonObject): boolean {
  if (isSdkHeader(value) || isSessionTrace(value)) return true;
  const { type } = value;
  if (typeof type !== 'string' || isHeader(value) || type === TITLE_TYPE || entryTypeOf(type)) return false;
  return !hasEnvelope(value, 3);
}
