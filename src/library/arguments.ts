/** A log as bytes, in one piece or in pieces of any size; a stream of Node or the web is such a thing. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array;

/** A log whose bytes can be read again: held in memory, or a function that gives them anew with each call. */
export type RereadableBytes = Uint8Array | readonly Uint8Array[] | (() => Bytes);

/** 8 random bytes for tables that no log shall be able to aim at. */
export type Random = (bytes: number) => Uint8Array;

export function systemRandom(bytes: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

/** The bytes of a log, piece by piece. Wrong arguments are told at once, wrong pieces when they come. */
export function chunksOf(caller: string, source: Bytes): AsyncIterable<Buffer> {
  requireBytes(caller, source);
  return pieces(caller, source);
}

function requireBytes(caller: string, source: unknown): asserts source is Bytes {
  if (source instanceof Uint8Array) return;
  if (typeof source === 'string') {
    throw new TypeError(`${caller}: the log must be bytes, not a string; for a file, pass createReadStream(path)`);
  }
  const isIterable =
    typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isIterable)
    throw new TypeError(`${caller}: the log must be an async iterable of Uint8Array, not ${described(source)}`);
}

async function* pieces(caller: string, source: Bytes): AsyncGenerator<Buffer, void, void> {
  if (source instanceof Uint8Array) {
    yield asBuffer(source);
    return;
  }
  for await (const piece of source as AsyncIterable<unknown>) {
    if (!(piece instanceof Uint8Array)) {
      const hint = typeof piece === 'string' ? '; do not set an encoding on the stream' : '';
      throw new TypeError(`${caller}: every chunk of the log must be a Uint8Array, not ${described(piece)}${hint}`);
    }
    yield asBuffer(piece);
  }
}

/** A function that gives the bytes of a log with each call. */
export function rereader(caller: string, source: RereadableBytes): () => AsyncIterable<Buffer> {
  if (typeof source === 'function') return () => chunksOf(caller, source());
  if (source instanceof Uint8Array || Array.isArray(source)) return () => chunksOf(caller, source);
  throw new TypeError(
    `${caller}: the log is read more than once; pass a Uint8Array or a function that reopens it, such as () => createReadStream(path)`,
  );
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The options, which may be left out but may not be anything else than an object with known members. */
export function optionsOf<Options extends object>(
  caller: string,
  options: Options | undefined,
  known: readonly (keyof Options & string)[],
): Options {
  if (options === undefined) return {} as Options;
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${caller}: options must be an object, not ${described(options)}`);
  for (const key of Object.keys(options)) {
    if (!(known as readonly string[]).includes(key)) {
      throw new TypeError(`${caller}: unknown option '${key}'; the options are ${known.join(', ')}`);
    }
  }
  return options;
}

export function requireKind(
  caller: string,
  option: string,
  value: unknown,
  kind: 'string' | 'boolean' | 'function',
): void {
  if (value !== undefined && typeof value !== kind) {
    throw new TypeError(`${caller}: ${option} must be a ${kind}, not ${described(value)}`);
  }
}

export function requireOneOf(
  caller: string,
  option: string,
  value: unknown,
  choices: readonly (string | number)[],
): void {
  if (value === undefined || choices.some((one) => one === value)) return;
  throw new TypeError(`${caller}: ${option} must be one of ${choices.join(', ')}, not ${described(value)}`);
}

export function requireBytesLimit(caller: string, option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value > 0)) return;
  throw new TypeError(`${caller}: ${option} must be a positive integer, not ${described(value)}`);
}

export function described(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}...` : value}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined) return String(value);
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
