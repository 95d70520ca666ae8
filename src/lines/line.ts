import { isAscii, isUtf8 } from 'node:buffer';
import { parseJson } from '../json/value.ts';

export type Encoding = 'ascii' | 'utf8' | 'invalid';

/** A longer line is parsed again whenever it is asked for: many of them may be held. */
const LONGEST_KEPT = 64 * 1024;

/**
 * One line of the input. `raw` holds its bytes, one character per byte, without the newline but with a carriage return
 * where there was one; so offsets are exact, and what is not changed can leave as the bytes that came.
 */
export class Line {
  /** 1 for the first line of the input. */
  readonly number: number;
  /** Where the line starts, in bytes from the start of the input. */
  readonly offset: number;
  readonly raw: string;
  /** False only for a last line without a newline. */
  readonly terminated: boolean;
  /** The bytes of a line that is longer than the limit, whose `raw` is empty; else 0. */
  readonly oversize: number;
  /** Of the block that the line came from: most lines need no look of their own. */
  readonly #block: Encoding;
  #encoding: Encoding | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;

  constructor(number: number, offset: number, raw: string, terminated: boolean, block: Encoding, oversize = 0) {
    this.number = number;
    this.offset = offset;
    this.raw = raw;
    this.terminated = terminated;
    this.oversize = oversize;
    this.#block = block;
  }

  /** Bytes without the newline. */
  get length(): number {
    return this.oversize || this.raw.length;
  }

  /** The line end as it was: nothing on a last line that was not ended. */
  get ending(): '' | '\n' | '\r\n' {
    if (!this.terminated) return '';
    return this.raw.endsWith('\r') ? '\r\n' : '\n';
  }

  /** Whether the bytes are UTF-8, which is known without a look at the line where its whole block is. */
  get wellFormed(): boolean {
    return this.#block !== 'invalid' || this.encoding !== 'invalid';
  }

  get encoding(): Encoding {
    this.#encoding ??= this.#look();
    return this.#encoding;
  }

  /** The line as text. Ask `encoding` first: bytes that are no UTF-8 are handed out undecoded, never replaced. */
  get text(): string {
    this.#text ??= this.encoding === 'utf8' ? decodeUtf8(this.raw) : this.raw;
    return this.#text;
  }

  /** What the line stands for, behind a byte order mark at the start of the input; undefined where it is no JSON. */
  get json(): unknown {
    if (this.#json) return this.#json.value;
    const isFirst = this.number === 1 && this.offset === 0;
    const value = parseJson(isFirst ? this.text.replace(/^\ufeff/, '') : this.text);
    if (this.raw.length <= LONGEST_KEPT) this.#json = { value };
    return value;
  }

  /** White space only, as JSON counts it. */
  get blank(): boolean {
    return this.oversize === 0 && /^[ \t\r]*$/.test(this.raw);
  }

  #look(): Encoding {
    if (this.#block === 'ascii' || !/[\u0080-\u00ff]/.test(this.raw)) return 'ascii';
    // A block of whole lines that is valid consists of valid lines.
    return this.#block === 'utf8' ? 'utf8' : encodingOf(Buffer.from(this.raw, 'latin1'));
  }
}

export function encodingOf(bytes: Uint8Array): Encoding {
  if (isAscii(bytes)) return 'ascii';
  return isUtf8(bytes) ? 'utf8' : 'invalid';
}

/** Bytes of UTF-8 as text; most are ASCII, which is faster to read. */
export function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}

/** Bytes kept one to a character, read as UTF-8. */
export function decodeUtf8(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

/** Text as its UTF-8 bytes, one to a character. */
export function encodeUtf8(text: string): string {
  return /[^\u0000-\u007f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}
