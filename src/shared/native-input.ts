import { Spool } from '../files/spool.ts';
import { isDatabase, openUnpacked, unpacked } from '../files/unpack.ts';
import { canRepair, type Identity, probably, requireFit, requireReadable } from '../formats/index.ts';
import { type ByteStore, closedOnError } from '../log/byte-store.ts';
import { detect } from '../log/detect.ts';
import { type NativeForm, nativeForm } from '../log/native-form.ts';
import { logSource } from '../log/open-log.ts';
import { UnsupportedLog } from '../util/errors.ts';
import { type Io, noteDamage } from './command.ts';
import { logOptions } from './open-session.ts';
import type { RewriteInput } from './rewrite.ts';

/** The input of a rewrite; where it is another agent's log, its native form. */
export interface NativeInput extends RewriteInput {
  /** The line of the file that a line of the input is made from. */
  readonly lineOf: (line: number) => number;
  close(): Promise<void>;
}

interface NativeInputOptions {
  readonly from: string | undefined;
  /** The file itself is to be changed, which only a native log may be. */
  readonly inPlace: boolean;
}

/** Looks at the start of the input. A native log is read on as it is; any other is converted to a private place. */
export async function nativeInput(input: RewriteInput, options: NativeInputOptions, io: Io): Promise<NativeInput> {
  const start = new Peeked(unpacked(input.name, input.read()));
  const database = await databaseIn(input, start, io);
  return await closedOnError(database, () => inputFrom(input, database, start, options, io));
}

/** Opens what turns out to be a database. */
async function databaseIn({ name, path, rereadable }: RewriteInput, start: Peeked, io: Io) {
  const { value } = await start.peek().next();
  if (!value || !isDatabase(value)) return undefined;
  const { openDatabase } = await import('../files/sqlite.ts');
  return await openDatabase(name, rereadable && path !== undefined ? { path } : { chunks: start.chunks() }, io.signal);
}

async function inputFrom(
  input: RewriteInput,
  database: ByteStore | undefined,
  start: Peeked,
  options: NativeInputOptions,
  io: Io,
): Promise<NativeInput> {
  const { name, path, rereadable } = input;
  const head = database ? new Peeked(generated(database.chunks())) : start;
  const identity = await identityOf(name, head, options.from);
  if (!identity) return { ...input, read: () => start.chunks(), lineOf: (line) => line, close: () => start.close() };
  if (options.inPlace) {
    const { title } = requireReadable(name, identity.format);
    throw new UnsupportedLog(
      name,
      `not a pi or omp session log (looks like ${title}); write a native one elsewhere with -o`,
    );
  }
  const store = database ?? (rereadable && path !== undefined ? await openUnpacked(path, io) : spooled(start, io));
  try {
    const form = await formOf(name, store, identity, options.from, io);
    noteDamage(name, form.damage, 'was left out', io, {
      canRepair: canRepair(identity.format),
      unit: database ? 'row' : 'line',
    });
    if (form.damage.length > 0) input.raiseExitCode(1);
    const { store: native, lineOf } = form;
    return { ...input, read: () => generated(native.chunks()), lineOf, close: () => native.close() };
  } finally {
    await store.close();
    await start.close();
  }
}

async function identityOf(name: string, start: Peeked, from: string | undefined): Promise<Identity | undefined> {
  const detection = await detect(name, { chunks: () => start.peek() }, { from });
  // The reader that follows detects it.
  if (start.isTooMuch && !detection.foreign) return undefined;
  detection.end();
  return detection.identity;
}

async function formOf(name: string, store: ByteStore, identity: Identity, from: string | undefined, io: Io) {
  const options = logOptions(name, io);
  const { scratch, onWarning } = options;
  const { certainty } = identity;
  const format = requireReadable(name, identity.format);
  if (certainty === 'probable' && from === undefined) onWarning(name, probably(format));
  // Of the two agents only omp reads refs to blobs.
  const conversion = { dialect: 'omp', keep: 'meta', scratch, onWarning } as const;
  const form: NativeForm = await nativeForm(logSource(store, options), format, conversion);
  await closedOnError(form.store, async () => requireFit(name, identity, form.report));
  return form;
}

const MOST_PEEKED = 64 * 1024 * 1024;

/** Chunks of which the first can be peeked at before all of them are read. */
class Peeked {
  readonly #source: AsyncGenerator<Buffer, void>;
  readonly #held: Buffer[] = [];
  #bytes = 0;

  constructor(source: AsyncGenerator<Buffer, void>) {
    this.#source = source;
  }

  get isTooMuch(): boolean {
    return this.#bytes > MOST_PEEKED;
  }

  /** The first chunks, which stay. To stop here does not end the source. */
  async *peek(): AsyncGenerator<Buffer> {
    yield* [...this.#held];
    while (!this.isTooMuch) {
      const { value, done } = await this.#source.next();
      if (done) return;
      // Its memory is used again for the next one.
      const chunk = Buffer.from(value);
      this.#held.push(chunk);
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  /** All of them, once. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let chunk = this.#held.shift(); chunk; chunk = this.#held.shift()) yield chunk;
    yield* this.#source;
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }
}

function spooled(start: Peeked, io: Io): ByteStore {
  const spool = new Spool(io.random, io.signal);
  spool.source = start.chunks();
  return spool;
}

async function* generated(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}
