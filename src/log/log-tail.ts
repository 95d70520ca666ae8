import { BYTE_ORDER_MARK, readContent } from '../entries/damage.ts';
import { type Dialect, DialectDetector } from '../entries/dialect.ts';
import { isHeader, isTitleSlot, versionOf } from '../entries/envelope-check.ts';
import { type Body, entryLine, misfit } from '../entries/new-entry.ts';
import type { Detection } from '../formats/index.ts';
import { freeId, randomId } from '../formats/native/ids.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { readLineBatches } from '../lines/reader.ts';
import { LogError } from '../util/errors.ts';
import { NONE, Symbols } from '../util/symbols.ts';
import { shortJson } from '../util/to-json.ts';

/** An entry with its place in the tree, one character per byte. */
export interface AddedEntry {
  readonly id: string;
  readonly raw: string;
}

/**
 * What must be known of a log to add to it: its version and dialect, its last entry, and which ids are taken. Fed with
 * all lines in order; a log that nothing may be added to is refused as soon as that shows.
 */
export class LogTail {
  /** Lines seen so far. */
  lines = 0;
  /** Bytes seen so far. */
  bytes = 0;
  /** Undefined as long as there was no header. */
  version: 2 | 3 | undefined;
  readonly #name: string;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #watch = new DialectDetector();
  readonly #ids: Symbols;
  #lastId: string | null | undefined = null;
  #lastLine = 0;

  constructor(name: string, random: (bytes: number) => Uint8Array) {
    this.#name = name;
    this.#random = random;
    this.#ids = new Symbols(random(8));
  }

  get dialect(): Dialect | undefined {
    return this.#watch.dialect;
  }

  /** The id of the last entry, null where there is no entry yet. */
  get leaf(): string | null {
    if (this.#lastId !== undefined) return this.#lastId;
    throw this.#damage(`the last entry, line ${this.#lastLine}, has no id that the next one could use as its parent`);
  }

  /** A new entry with its line; a string says why an agent would reject it. */
  newEntry(body: Body, parentId: string | null, timestamp: string): AddedEntry | string {
    const envelope = { id: this.newId(), parentId, timestamp };
    const wrong = misfit(body, envelope, this.version ?? 3, this.dialect);
    return wrong ?? { id: envelope.id, raw: entryLine(body, envelope) };
  }

  /** An id that is not in the log. */
  newId(): string {
    const isTaken = (id: string): boolean => this.#ids.find(id) !== NONE;
    const id = freeId(() => randomId(this.#random), isTaken);
    this.#ids.intern(id);
    return id;
  }

  /** Sees all lines of a log. */
  async read(chunks: AsyncIterable<Uint8Array>, detection: Detection): Promise<void> {
    for await (const lines of readLineBatches(chunks)) for (const line of detection.pass(lines)) this.see(line);
    for (const line of detection.end()) this.see(line);
    this.end();
  }

  see(line: Line): void {
    this.lines = line.number;
    this.bytes = line.offset + line.length + (line.terminated ? 1 : 0);
    const { damage, objects } = readContent(line, this.version);
    if (line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK))
      throw this.#damage('starts with a byte order mark, which agents cannot read');
    if (damage) throw this.#damage(`line ${line.number} is damaged (${damage})`);
    if (!line.terminated)
      throw this.#damage('the last line has no newline, so the next entry would land on the same line');
    const value = objects[0]?.value;
    if (!value) return;
    this.#watch.add(value);
    if (isTitleSlot(value)) return;
    if (isHeader(value)) {
      this.version ??= this.#readVersion(value);
      return;
    }
    if (this.version === undefined) throw this.#damage('an entry comes before the header');
    const id = value['id'];
    this.#lastId = typeof id === 'string' && id !== '' ? id : undefined;
    this.#lastLine = line.number;
    if (typeof id === 'string') this.#ids.intern(id);
  }

  /** All lines were seen. */
  end(): void {
    if (this.lines > 0 && this.version === undefined) throw this.#damage('has no header');
  }

  #readVersion(header: JsonObject): 2 | 3 {
    const { version, known } = versionOf(header);
    const found = shortJson(header['version']);
    if (!known)
      throw this.#refusal(`version ${found} is unknown; entries can only be added to logs of version 2 and 3`);
    if (version === 1)
      throw this.#refusal("is a version 1 log, which has no tree; upgrade it with 'sessionctl migrate -i' first");
    return version;
  }

  #damage(what: string): LogError {
    return new LogError(this.#name, `${what}; run 'sessionctl repair' first`, 'DAMAGED');
  }

  #refusal(what: string): LogError {
    return new LogError(this.#name, what);
  }
}
