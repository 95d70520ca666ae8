import { BYTE_ORDER_MARK, readContent } from '../entries/damage.ts';
import { type Dialect, DialectWatch } from '../entries/dialect.ts';
import { isHeader, isTitleSlot, versionOf } from '../entries/envelope-check.ts';
import { IdMint } from '../formats/native/mint.ts';
import type { Line } from '../lines/line.ts';
import { AppError } from '../util/errors.ts';
import { shortJson } from '../util/to-json.ts';

/**
 * What must be known of a log to add to it: its version and dialect, its last entry, and which ids are taken. Fed with
 * all lines in order; a log that nothing may be added to is refused as soon as that shows.
 */
export class LogTail {
  readonly #name: string;
  readonly #watch = new DialectWatch();
  readonly #mint: IdMint;
  #version: 2 | 3 | undefined;
  #lines = 0;
  #bytes = 0;
  #lastId: string | null | undefined = null;
  #lastLine = 0;

  constructor(name: string, random: (bytes: number) => Uint8Array) {
    this.#name = name;
    this.#mint = new IdMint('random', random);
  }

  /** Lines seen so far. */
  get lines(): number {
    return this.#lines;
  }

  /** Bytes seen so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Undefined as long as there was no header. */
  get version(): 2 | 3 | undefined {
    return this.#version;
  }

  get dialect(): Dialect | undefined {
    return this.#watch.dialect;
  }

  /** The id of the last entry, null where there is no entry yet. */
  get leaf(): string | null {
    if (this.#lastId !== undefined) return this.#lastId;
    throw new AppError(
      `${this.#name}: the last entry, line ${this.#lastLine}, has no id that the next one could use as its parent; ${this.#mend()}`,
    );
  }

  /** An id that is not in the log. */
  newId(): string {
    return this.#mint.mint('', 0);
  }

  see(line: Line): void {
    this.#lines = line.number;
    this.#bytes = line.offset + line.length + (line.terminated ? 1 : 0);
    const { damage, objects } = readContent(line, this.#version);
    if (line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK)) {
      throw new AppError(`${this.#name}: starts with a byte order mark, which agents cannot read; ${this.#mend()}`);
    }
    if (damage) throw new AppError(`${this.#name}: line ${line.number} is damaged (${damage}); ${this.#mend()}`);
    if (!line.terminated)
      throw new AppError(
        `${this.#name}: the last line has no newline, so the next entry would land on the same line; ${this.#mend()}`,
      );
    const value = objects[0]?.value;
    if (!value) return;
    this.#watch.see(value);
    if (isHeader(value)) {
      this.#readVersion(value['version'], versionOf(value));
      return;
    }
    if (isTitleSlot(value)) return;
    if (this.#version === undefined)
      throw new AppError(`${this.#name}: an entry comes before the header; ${this.#mend()}`);
    const id = value['id'];
    this.#lastId = typeof id === 'string' && id !== '' ? id : undefined;
    this.#lastLine = line.number;
    if (typeof id === 'string') this.#mint.take(id);
  }

  /** All lines were seen. */
  end(): void {
    if (this.#lines > 0 && this.#version === undefined)
      throw new AppError(`${this.#name}: has no header; ${this.#mend()}`);
  }

  #readVersion(told: unknown, { version, known }: ReturnType<typeof versionOf>): void {
    if (this.#version !== undefined) return;
    if (!known)
      throw new AppError(
        `${this.#name}: version ${shortJson(told)} is unknown; entries can only be added to logs of version 2 and 3`,
      );
    if (version === 1) {
      throw new AppError(
        `${this.#name}: is a version 1 log, which has no tree; upgrade it with 'sessionctl migrate -i' first`,
      );
    }
    this.#version = version;
  }

  #mend(): string {
    return "run 'sessionctl repair' first";
  }
}
