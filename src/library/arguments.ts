/** A log as bytes, in one piece or in pieces of any size; a stream of Node or the web is such a thing. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array;

/** A log whose bytes can be read again: held in memory, or a function that gives them anew with each call. */
export type RereadableBytes = Uint8Array | readonly Uint8Array[] | (() => Bytes);

/** 8 random bytes for tables that no log shall be able to aim at. */
export type Random = (bytes: number) => Uint8Array;

export function systemRandom(bytes: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

/** The bytes of a log, piece by piece. Wrong arguments throw at once, wrong pieces when they come. */
export function chunksOf(caller: string, source: Bytes): AsyncIterable<Buffer> {
  if (typeof source === 'string')
    throw new TypeError(`${caller}: the log must be bytes, not a string; for a file, pass createReadStream(path)`);
  const isIterable =
    typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isIterable)
    throw new TypeError(`${caller}: the log must be an async iterable of Uint8Array, not ${described(source)}`);
  return pieces(caller, source instanceof Uint8Array ? [source] : source);
}

async function* pieces(
  caller: string,
  source: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<Buffer, void, void> {
  for await (const piece of source) {
    if (!(piece instanceof Uint8Array)) {
      const hint = typeof piece === 'string' ? '; do not set an encoding on the stream' : '';
      throw new TypeError(`${caller}: every chunk of the log must be a Uint8Array, not ${described(piece)}${hint}`);
    }
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  }
}

export interface LogReader {
  /** Gives the bytes of the log, with each call if it can be read again. */
  readonly read: () => AsyncIterable<Buffer>;
  readonly rereadable: boolean;
}

export function readerOf(caller: string, source: Bytes | RereadableBytes): LogReader {
  if (typeof source === 'function') return { read: () => chunksOf(caller, source()), rereadable: true };
  const chunks = chunksOf(caller, source);
  const rereadable = source instanceof Uint8Array || Array.isArray(source);
  return { read: rereadable ? () => chunksOf(caller, source) : () => chunks, rereadable };
}

/** A function that gives the bytes of a log with each call. */
export function rereader(caller: string, source: RereadableBytes): () => AsyncIterable<Buffer> {
  const { read, rereadable } = readerOf(caller, source);
  if (rereadable) return read;
  throw new TypeError(
    `${caller}: the log is read more than once; pass a Uint8Array or a function that reopens it, such as () => createReadStream(path)`,
  );
}

const isString = (value: unknown): boolean => typeof value === 'string';

function isZone(value: unknown): boolean {
  try {
    return isString(value) && new Intl.DateTimeFormat('en', { timeZone: String(value) }) !== undefined;
  } catch {
    return false;
  }
}

/** What an option has to be, in words, and whether it is. */
const CHECKS = {
  string: ['a string', isString],
  boolean: ['a boolean', (value: unknown) => typeof value === 'boolean'],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  bytes: ['a positive integer', (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0],
  strings: ['an array of strings', (value: unknown) => Array.isArray(value) && value.every(isString)],
  rev: ["a string such as '@'", isString],
  zone: ["a time zone such as 'Europe/Berlin'", isZone],
  'checked later': ['', () => true],
} as const;

/** One of these, or one of some values. */
type OptionCheck = keyof typeof CHECKS | readonly (string | number)[];

/** The options, which may be left out but may not be anything else than an object with known members. */
export function optionsOf<Options extends object>(
  caller: string,
  options: Options | undefined,
  checks: Readonly<Record<keyof Options & string, OptionCheck>>,
): Options {
  if (options === undefined) return {} as Options;
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${caller}: options must be an object, not ${described(options)}`);
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(checks, key));
  if (unknown !== undefined) {
    const known = Object.keys(checks).join(', ');
    throw new TypeError(`${caller}: unknown option '${unknown}'; the options are ${known}`);
  }
  for (const [option, check] of Object.entries<OptionCheck>(checks))
    requireOption(caller, option, options[option as keyof Options], check);
  return options;
}

export function requireOption(caller: string, option: string, value: unknown, check: OptionCheck): void {
  const [expected, isRight] =
    typeof check === 'object'
      ? [`one of ${check.join(', ')}`, (one: unknown) => check.some((known) => known === one)]
      : CHECKS[check];
  if (value === undefined || isRight(value)) return;
  throw new TypeError(`${caller}: ${option} must be ${expected}, not ${described(value)}`);
}

/** A time that has to be given, because the library reads no clock. */
export function requireTime(caller: string, timestamp: unknown): asserts timestamp is string {
  if (typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp))) return;
  const example = 'such as 2026-01-31T12:00:00.000Z';
  throw new TypeError(`${caller}: timestamp must be a time ${example}, not ${described(timestamp)}`);
}

export function described(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}...` : value}'`;
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
