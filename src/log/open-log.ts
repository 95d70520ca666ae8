import { stringOf } from '../entries/entry-type.ts';
import { versionOf } from '../entries/envelope-check.ts';
import type { Cutting } from '../formats/cut-lines.ts';
import type { CountedLines, LogFormat, LogSource } from '../formats/format.ts';
import { Detection, type Identity, identifyDocument, probably, requireFit, requireReadable } from '../formats/index.ts';
import { isNamed } from '../formats/sessions.ts';
import type { JsonObject } from '../json/value.ts';
import { readBlocks, readLines } from '../lines/reader.ts';
import { type ScannerKind, WORTH_A_SCANNER } from '../scanner/layout.ts';
import { LogError } from '../util/errors.ts';
import { shortJson } from '../util/to-json.ts';
import { type ByteStore, closedOnError, documentStart, type Scratch } from './byte-store.ts';
import { IndexBuilder } from './index-builder.ts';
import { Log } from './log.ts';
import type { NativeForm } from './native-form.ts';

/** The files beside a log, by paths from its folder. */
export interface NearFiles {
  list(folder: string, deep?: boolean): Promise<readonly string[]>;
  open(path: string, within?: string): Promise<ByteStore | undefined>;
  /** What messages call such a file. */
  nameOf(path: string): string;
}

export interface OpenLogOptions {
  /** What messages call the log. */
  readonly name: string;
  readonly random: (bytes: number) => Uint8Array;
  /** Gets what the user has to know; `where` is the name, with the line where it concerns one. */
  readonly onWarning: (where: string, message: string) => void;
  /** The bytes of one more pass over the store, counted for the progress. */
  readonly chunks?: (store: ByteStore) => AsyncIterable<Buffer>;
  /** The same in another thread, where that is worth it. */
  readonly readAhead?: (store: ByteStore, cutting: Cutting) => Promise<CountedLines | undefined>;
  readonly scanner?: ScannerKind | undefined;
  /** Hears what is done from now on, and how many bytes that reads until the log is open, as far as that is known. */
  readonly onPhase?: (phase: 'indexing' | 'converting', bytes: number) => void;
  /** Hears of bytes that are read beyond those. */
  readonly onMorePasses?: (bytes: number) => void;
  /** Where a log of another format or version is kept in its native form. */
  readonly scratch: () => Scratch;
  /** None where the log does not come from a file. */
  readonly near?: NearFiles | undefined;
  /** The format that the user says it has; else the one that it shows. */
  readonly from?: string | undefined;
  /** The session that is wanted of a log that has several. */
  readonly session?: string | undefined;
  /** Changes a line of the native form, one character per byte, before anybody reads it; lines stay lines. */
  readonly change?: ((raw: string) => string) | undefined;
}

/** A log of ours as it is. */
const asItIs: Required<Pick<LogFormat, 'toNative'>> = {
  toNative: async ({ chunks }, sink) => {
    for await (const line of readLines(chunks())) {
      if (line.oversize > 0) sink.leftOut(line.number, 'oversize-line');
      else sink.line(line.raw, line.number);
    }
  },
};

/**
 * Opens the log in a store: one pass finds what is where, and entries are read when they are asked for. What is not a
 * session log is refused; damaged lines are left out and are in `damage`. The log closes the store.
 */
export async function openLog(store: ByteStore, options: OpenLogOptions): Promise<Log> {
  return await closedOnError(store, () => opened(store, options));
}

async function opened(store: ByteStore, options: OpenLogOptions): Promise<Log> {
  const { name, onWarning } = options;
  const start = await documentStart(store);
  const document = start && identifyDocument(name, start, options.from);
  if (document) return await foreignLog(store, document, options);
  const passes = 1 + (await passesAfterIndex(store, options));
  let pass = await indexed(store, options, passes, false);
  if (pass.identity) return await foreignLog(store, pass.identity, options);
  // Perhaps the parent is in a line whose envelope could be read although the line is damaged.
  if (pass.builder.index.missingParents > 0) pass = await indexed(store, options, passes, true);
  const { builder } = pass;
  const { index, header } = builder;
  const { version, known } = header
    ? versionOf(header)
    : ({ version: index.size > 0 && !index.hasId(0) ? 1 : 3, known: true } as const);
  if (!known) onWarning(name, `version ${shortJson(header?.['version'])} is unknown; reading it as version 3`);
  requireSession(name, header, options.session);
  if (version === 3 && !options.change) return new Log(name, store, builder, version);
  const { olderVersion } = await import('../formats/native/migration.ts');
  return await converted(
    store,
    version === 3 ? asItIs : olderVersion(version),
    { ...options, session: undefined },
    version,
    builder.endsWithNewline,
  );
}

/** A log of ours has one session. */
function requireSession(name: string, header: JsonObject | undefined, wanted: string | undefined): void {
  if (wanted === undefined) return;
  const id = stringOf(header?.['id']);
  if (!isNamed({ id }, wanted)) throw new LogError(name, `has no session '${wanted}'; it has ${id || 'none'}`);
}

interface Pass {
  readonly builder: IndexBuilder;
  /** What a log is that is not native; the index is then of no use. */
  readonly identity?: Identity;
}

/** For the progress: how often a log of ours is read once it is indexed, its native form among it. */
async function passesAfterIndex(store: ByteStore, { onPhase, change }: OpenLogOptions): Promise<number> {
  if (!onPhase || (store.size ?? 0) < WORTH_A_SCANNER) return 0;
  const { passesOf, versionIn } = await import('../formats/native/migration.ts');
  const version = await versionIn(store.chunks());
  return version < 3 || change ? passesOf(version) + 1 : 0;
}

async function indexed(store: ByteStore, options: OpenLogOptions, passes: number, careful: boolean): Promise<Pass> {
  const detection = new Detection(options.name, { named: false, from: options.from });
  options.onPhase?.('indexing', passes * (store.size ?? 0));
  const builder = new IndexBuilder({
    key: options.random(8),
    careful,
    look: (line) => {
      detection.pass([line]);
      return detection.foreign ? 'stop' : detection.open ? 'enough' : 'go on';
    },
  });
  await readAll(builder, store, options);
  detection.end();
  if (detection.identity) return { builder, identity: detection.identity };
  builder.index.finish();
  return { builder };
}

async function readAll(builder: IndexBuilder, store: ByteStore, options: OpenLogOptions): Promise<void> {
  for await (const piece of readBlocks(chunksOf(store, options))) {
    if (options.scanner !== 'off' && (store.size ?? piece.offset) > WORTH_A_SCANNER && !builder.scanner) {
      const { makeScanner } = await import('../scanner/scanner.ts');
      builder.scanner = makeScanner('compiled', options.random(8));
    }
    builder.take(piece);
    if (builder.isStopped) return;
  }
}

function chunksOf(store: ByteStore, options: OpenLogOptions): AsyncIterable<Buffer> {
  return options.chunks?.(store) ?? store.chunks();
}

/** A log of another format or version is read in its native form, from a copy; line numbers are those of the file. */
async function converted(
  store: ByteStore,
  format: Required<Pick<LogFormat, 'toNative'>>,
  options: OpenLogOptions,
  version = 3,
  endsWithNewline = true,
): Promise<Log> {
  const { onWarning, scratch, session, change } = options;
  // Until the length of the native form is known, it counts as long as the log.
  options.onPhase?.('converting', 2 * (store.size ?? 0));
  const { sessionForm } = await import('./native-form.ts');
  const form = await sessionForm(logSource(store, options), format, {
    ...{ dialect: 'pi', keep: 'meta', session, scratch, onWarning, change },
  });
  const log = await openForm(form, options, version, endsWithNewline);
  await store.close();
  return log;
}

/** Opens a log in its native form, which the log closes. */
export async function openForm(
  form: NativeForm,
  options: OpenLogOptions,
  version = 3,
  endsWithNewline = true,
): Promise<Log> {
  return await closedOnError(form.store, async () => {
    options.onPhase?.('indexing', form.store.size ?? 0);
    const builder = new IndexBuilder({ key: options.random(8), careful: false, lineOf: form.lineOf });
    await readAll(builder, form.store, options);
    builder.index.finish();
    for (const one of form.damage) builder.damage.push(one);
    builder.endsWithNewline = endsWithNewline;
    const log = new Log(form.name, form.store, builder, version);
    log.conversion = form.report;
    log.replayed = form.replayed;
    return log;
  });
}

/** A log of another agent. */
async function foreignLog(store: ByteStore, identity: Identity, options: OpenLogOptions): Promise<Log> {
  const { name, onWarning } = options;
  const { format, certainty } = identity;
  const log = await converted(store, requireReadable(name, format), options);
  await closedOnError(log, async () => requireFit(name, identity, log.conversion));
  if (certainty === 'probable' && options.from === undefined) onWarning(name, probably(format));
  log.format = format;
  if (store.database) log.unit = 'row';
  return log;
}

/** A store as the formats see it. */
export function logSource(
  store: ByteStore,
  options: Pick<OpenLogOptions, 'name' | 'random' | 'near' | 'chunks' | 'readAhead' | 'scanner' | 'onMorePasses'>,
): LogSource {
  const { name, random, near, scanner } = options;
  return {
    name,
    random,
    scanner,
    chunks: () => options.chunks?.(store) ?? store.chunks(),
    start: () => store.chunks(),
    willRead: (times) => options.onMorePasses?.((times - 1) * (store.size ?? 0)),
    readAt: (buffer, position) => store.readAt(buffer, position),
    database: store.database,
    readAhead: async (cutting) => await options.readAhead?.(store, cutting),
    list: async (folder, deep) => (await near?.list(folder, deep)) ?? [],
    open: async (path, within) => {
      const found = await near?.open(path, within);
      return near && found && logSource(found, { name: near.nameOf(path), random, near, scanner });
    },
    close: () => store.close(),
  };
}
