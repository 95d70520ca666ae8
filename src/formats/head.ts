import { isObject, type JsonObject, parseJson } from '../json/value.ts';
import type { Line } from '../lines/line.ts';

/** Beyond this the start of a file is not joined to be read as one document. */
const LONGEST_DOCUMENT = 16 * 1024 * 1024;

/** The start of a file, as the formats look at it. */
export class Head {
  /** The first bytes, one to a character. */
  readonly bytes: string;
  /** The first lines that are not blank, as JSON; undefined where a line is none. */
  readonly values: readonly unknown[];
  /** Those of them that are objects. */
  readonly objects: readonly JsonObject[];
  readonly firstText: string;
  /** The whole file where it is one JSON value, on one line or on many. */
  readonly document: unknown;
  readonly #text: string;

  constructor(lines: readonly Line[]) {
    const filled = lines.filter((line) => !line.blank);
    this.bytes = (lines[0]?.raw ?? '').slice(0, 4096);
    this.values = filled.map((line) => parseJson(line.text));
    this.objects = this.values.filter(isObject);
    this.firstText = filled[0]?.text ?? '';
    const size = filled.reduce((sum, line) => sum + line.length, 0);
    this.#text =
      size <= LONGEST_DOCUMENT ? filled.map((line) => line.text).join('\n') : this.firstText.slice(0, LONGEST_DOCUMENT);
    this.document =
      filled.length === 1 ? this.values[0] : /^\s*[[{]/.test(this.firstText) ? parseJson(this.#text) : undefined;
  }

  /** All of it, as far as it was looked at. */
  get text(): string {
    return this.#text;
  }

  get first(): JsonObject | undefined {
    const first = this.values[0];
    return isObject(first) ? first : undefined;
  }

  /** Starts as one JSON value that goes on over the lines. */
  get isDocument(): boolean {
    if (this.document !== undefined) return true;
    return /^\s*[[{]\s*("([^"\\]|\\.)*"\s*(:.*)?)?$/s.test(this.firstText) && this.values[0] === undefined;
  }

  /** Whether the document has all of these keys. Of one that is too long to be read whole, the start is searched for them. */
  documentHas(...keys: readonly string[]): boolean {
    const { document } = this;
    if (isObject(document)) return keys.every((key) => Object.hasOwn(document, key));
    return document === undefined && this.isDocument && keys.every((key) => this.#text.includes(`"${key}":`));
  }

  /** A member of the document, where it could be read whole. */
  documentValue(key: string): unknown {
    return isObject(this.document) ? this.document[key] : undefined;
  }
}
