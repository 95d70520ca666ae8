import { Readable } from 'node:stream';
import { refsOf } from '../blobs/images.ts';
import { BlobStore } from '../blobs/store.ts';
import { counting, fileChunks, readWhole, sizeOf } from '../files/input.ts';
import { Spool } from '../files/spool.ts';
import { isDatabase, isDatabaseFile, openUnpacked, unpacked } from '../files/unpack.ts';
import { isPacked } from '../files/zstd.ts';
import type { NearLog } from '../formats/format.ts';
import {
  Detection,
  type Identity,
  identify,
  identifyDocument,
  probably,
  unsupportedMessage,
} from '../formats/index.ts';
import { isObject } from '../json/value.ts';
import { encodeUtf8, Line } from '../lines/line.ts';
import { LineBlock, piecesOf, readBlocks } from '../lines/reader.ts';
import { type ByteStore, copyOf, documentStart } from '../log/byte-store.ts';
import { activeRules, LogCheck, type LogCheckOptions, makeMemory } from '../rules/check/check-log.ts';
import type { RecordCheck, RecordCheckOptions } from '../rules/check/check-records.ts';
import type { BlobLookup, Finding, Level } from '../rules/rule.ts';
import { type ScannerKind, WORTH_A_SCANNER_TO_PARSE } from '../scanner/layout.ts';
import { AppError, OutputError, UnsupportedLog } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { readMemory } from '../util/memory.ts';

/** What is the same for all logs of a run; plain data, so that other threads can have it. */
export interface CheckSettings {
  readonly maxLineBytes?: number;
  readonly levels: ReadonlyMap<string, Level>;
  /** Every warning is an error. */
  readonly strict?: boolean;
  /** The format that the user says all files have. */
  readonly from?: string | undefined;
  /** Which session of a database. */
  readonly session?: string | undefined;
  /** A blob store to check references against. */
  readonly blobs?: string | undefined;
  readonly scanner: ScannerKind;
}

export interface CheckHooks {
  readonly onFinding: (finding: Finding) => void;
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** The whole input is wanted, also of a file that is not checked. */
  readonly readsAll?: boolean;
  /** What the chunks turned out to be; it is closed at the end. */
  readonly database?: ByteStore | undefined;
}

/** A log was checked to its end, the file is none, or it could not be read. */
export type CheckResult =
  | { readonly entries: number; readonly note?: string }
  | { readonly foreign: { readonly noun: string; readonly reason: string } }
  | { readonly error: Error };

/** All that is to be said about one file. */
export interface FileCheck {
  readonly findings: readonly Finding[];
  readonly bytes: number;
  readonly result: CheckResult;
}

export interface ValidationSummary {
  /** No errors; warnings may be. */
  readonly ok: boolean;
  readonly errors: number;
  readonly warnings: number;
  /** How many entries the log has. */
  readonly entries: number;
  /** How often each rule had something to say. */
  readonly rules: Readonly<Record<string, number>>;
}

/** Checks logs, one after the other. */
export class LogChecker {
  readonly #settings: CheckSettings;
  readonly #random: (bytes: number) => Uint8Array;
  /** For files that are opened beside the log. */
  readonly #io: Pick<Io, 'stdin' | 'random' | 'signal' | 'note'>;
  #shared: Omit<LogCheckOptions, 'file' | 'onFinding'>;
  /** Counted until they are worth a scanner. */
  #checkedBytes = 0;
  /** For small files, one after the other. */
  readonly #memory = readMemory(1024 * 1024);

  /** What is opened for a check is gone when the signal aborts. */
  constructor(
    settings: CheckSettings,
    random: (bytes: number) => Uint8Array,
    signal: AbortSignal = new AbortController().signal,
  ) {
    const { levels, scanner } = settings;
    this.#random = random;
    this.#io = {
      get stdin() {
        return Readable.from([]);
      },
      ...{ signal, random, note: () => {} },
    };
    this.#settings = settings;
    const blobs = settings.blobs === undefined ? undefined : blobLookup(settings.blobs);
    this.#shared = { rules: activeRules(levels), hashKey: random(8), blobs };
    if (scanner === 'always') this.#prepareScanner(WORTH_A_SCANNER_TO_PARSE);
  }

  /** Makes the scanner once there is enough to check. */
  #prepareScanner(bytes: number): void {
    if (this.#checkedBytes >= WORTH_A_SCANNER_TO_PARSE) return;
    this.#checkedBytes += bytes;
    if (this.#checkedBytes < WORTH_A_SCANNER_TO_PARSE) return;
    const { rules, blobs } = this.#shared;
    const memory = makeMemory(this.#settings.scanner, this.#random(8), rules, blobs !== undefined);
    this.#shared = { ...this.#shared, memory };
  }

  /** Checks a log piece by piece, for callers with work in between; without chunks, the file of that name. */
  async *check(
    name: string,
    chunks: AsyncIterable<Buffer> | undefined,
    { onFinding, onBytes, readsAll = false, database }: CheckHooks,
  ): AsyncGenerator<void, CheckResult, void> {
    const { maxLineBytes, from } = this.#settings;
    let made: LogCheck | undefined;
    /** Its tables are not made for a log of another agent. */
    const check = (): LogCheck => (made ??= new LogCheck({ ...this.#shared, file: name, onFinding }));
    const detection = new Detection(name, { named: false, from });
    const isFile = name !== '-' && (chunks === undefined || readsAll);
    let records: RecordCheck | undefined;
    /** The log, where it is held as a whole. */
    let input: Buffer | undefined;
    const recordCheck = (): Promise<RecordCheck | undefined> =>
      this.#recordCheck(detection, isFile, { file: name, input, onFinding });
    /** A document from a pipe, kept because it is read more than once. */
    let spool: Spool | undefined;
    const keep = (rest?: LineBlock | Line): void => {
      if (isFile || !detection.identity?.isDocument) return;
      spool ??= new Spool(this.#random, this.#io.signal);
      for (const line of [...detection.takeForeign(), ...(rest ? [rest] : [])]) spool.write(bytesOf(line));
    };
    const take = async (piece: LineBlock | Line): Promise<void> => {
      const rest = detection.identity ? piece : feed(piece, detection, check);
      keep(rest);
      records ??= await recordCheck();
      if (rest instanceof LineBlock) records?.block(rest);
      else if (rest) records?.line(rest);
    };
    try {
      // A small file is read and checked at once: for many of them, waiting would take as long as the checks.
      const whole = chunks ? undefined : readWhole(name, this.#memory);
      this.#prepareScanner(whole?.length ?? WORTH_A_SCANNER_TO_PARSE);
      if (database || (!chunks && (whole ? isDatabase(whole) : isDatabaseFile(name))))
        return yield* this.#checkDatabase(name, database, { onFinding, onBytes });
      if (this.#settings.session !== undefined)
        return { error: new AppError("is no database, from which '--session' could choose a session") };
      // What comes from a pipe can be read only once.
      const isLong = !whole && isFile && (await sizeOf(name)) > 0;
      const start = isLong ? await documentStart({ chunks: () => fileChunks(name) }) : undefined;
      const document = start && identifyDocument(name, start, from);
      if (document && !readsAll) return yield* this.#checkDocument(name, document, undefined, { onFinding, onBytes });
      if (whole && whole.length <= (maxLineBytes ?? whole.length) && !isPacked(whole)) {
        onBytes?.(whole.length);
        input = whole;
        for (const piece of piecesOf(whole)) await take(piece);
        yield;
      } else {
        const bytes = unpacked(name, counting(chunks ?? fileChunks(name), onBytes));
        for await (const piece of readBlocks(bytes, { maxLineBytes })) {
          await take(piece);
          yield;
          if (detection.foreign && !records && !spool && !readsAll) break;
        }
      }
      // What is not decided by now is decided by what there is.
      for (const line of detection.end()) check().line(line);
      keep();
      if (detection.identity?.isDocument)
        return yield* this.#checkDocument(name, detection.identity, spool, { onFinding, onBytes });
      records ??= await recordCheck();
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof OutputError) throw error;
      return { error };
    }
    const { identity } = detection;
    if (!identity) {
      check().end();
      return { entries: check().log.index.size };
    }
    const { format, certainty } = identity;
    if (!records) return { foreign: { noun: format.noun, reason: unsupportedMessage(format) } };
    if (isFile && records.log.files.length > 0) await records.lookAtFiles(await this.#nearLog(name));
    records.end();
    return { entries: records.log.size, ...(certainty === 'probable' && !from ? { note: probably(format) } : {}) };
  }

  /** For a log of another format, once that is known; it has seen all lines so far. */
  async #recordCheck(
    detection: Detection,
    isFile: boolean,
    about: Pick<RecordCheckOptions, 'file' | 'input' | 'onFinding'>,
  ): Promise<RecordCheck | undefined> {
    const { file } = about;
    const { identity } = detection;
    const checks = identity?.isDocument ? undefined : await identity?.format.checks?.();
    if (!checks) return undefined;
    const lines = detection.takeForeign();
    const record = lines.find(({ blank }) => !blank)?.json;
    const first = isObject(record) ? record : undefined;
    const isBeside = first !== undefined && isFile;
    const near = isBeside ? await checks.near?.(first, () => this.#nearLog(file)) : undefined;
    const snapshots = isBeside ? await checks.snapshots?.(first, await this.#nearLog(file)) : undefined;
    const { RecordCheck } = await import('../rules/check/check-records.ts');
    const { levels, strict } = this.#settings;
    const { hashKey, memory } = this.#shared;
    const { scanner } = memory ?? {};
    const beside = { first, near, snapshots };
    const check = new RecordCheck({ ...about, ...beside, checks, levels, strict, hashKey, scanner });
    for (const line of lines) check.line(line);
    return check;
  }

  /** Checks a database, by the line that names its tables; without a store, the file of that name. */
  async *#checkDatabase(
    name: string,
    store: ByteStore | undefined,
    hooks: CheckHooks,
  ): AsyncGenerator<void, CheckResult, void> {
    const database = store ?? (await openUnpacked(name, this.#io));
    try {
      const line = (await copyOf(database.chunks())).toString('latin1').trimEnd();
      const identity = identify(name, [new Line(1, 0, line, true, 'utf8')], this.#settings.from);
      return yield* this.#checkDocument(name, identity, database, hooks);
    } finally {
      await database.close();
    }
  }

  /** Checks what is not one record per line; without a store, the file of that name. */
  async *#checkDocument(
    name: string,
    identity: Identity,
    store: ByteStore | undefined,
    hooks: CheckHooks,
  ): AsyncGenerator<void, CheckResult, void> {
    const { levels, strict, from, session, maxLineBytes } = this.#settings;
    const { hashKey } = this.#shared;
    const { onFinding, onBytes } = hooks;
    const opened = store ?? (await openUnpacked(name, this.#io));
    if (identity.format.nativeSessions && opened.database) {
      const { checkSessions } = await import('./check-sessions.ts');
      const options = { ...this.#shared, file: name, session, maxLineBytes, onFinding, onBytes };
      return yield* checkSessions(identity.format.nativeSessions, opened, options, this.#random);
    }
    const { checkDocument } = await import('./check-document.ts');
    const options = { file: name, levels, strict, from, session, hashKey, onFinding, onBytes };
    return yield* checkDocument(identity, opened, options, this.#io);
  }

  async #nearLog(name: string): Promise<NearLog> {
    const { filesNear } = await import('../files/near.ts');
    return { name, ...filesNear(name, this.#io) };
  }
}

/**
 * Hands lines on one by one until the input is known to be a session log, and from then on whole blocks. Gives what is
 * left of a piece in which a log turns out to be another agent's.
 */
function feed(piece: LineBlock | Line, detection: Detection, check: () => LogCheck): LineBlock | undefined {
  const isHeldBack = (line: Line): boolean => {
    for (const one of detection.pass([line])) check().line(one);
    return !detection.open && !detection.foreign;
  };
  if (!(piece instanceof LineBlock)) {
    isHeldBack(piece);
    return undefined;
  }
  const rest = detection.open ? piece : piece.peel(isHeldBack);
  if (detection.foreign) return rest;
  if (rest) check().block(rest);
  return undefined;
}

function bytesOf(piece: LineBlock | Line): Buffer {
  if (piece instanceof LineBlock) return piece.bytes;
  return Buffer.from(piece.terminated ? `${piece.raw}\n` : piece.raw, 'latin1');
}

/** The findings of a log, for callers without files; returns the summary. What is no session log is thrown. */
export async function* findingsIn(
  name: string,
  chunks: AsyncIterable<Buffer>,
  settings: CheckSettings,
  random: (bytes: number) => Uint8Array,
): AsyncGenerator<Finding, ValidationSummary, void> {
  let waiting: Finding[] = [];
  const counts = { error: 0, warning: 0 };
  const byRule: Record<string, number> = {};
  const onFinding = (finding: Finding): void => {
    counts[finding.severity]++;
    byRule[finding.rule] = (byRule[finding.rule] ?? 0) + 1;
    waiting.push(finding);
  };
  const steps = new LogChecker(settings, random).check(name, chunks, { onFinding });
  for (;;) {
    const { done, value } = await steps.next();
    yield* waiting;
    waiting = [];
    if (!done) continue;
    if ('error' in value) throw value.error;
    if ('foreign' in value) throw new UnsupportedLog(name, value.foreign.reason);
    const { error: errors, warning: warnings } = counts;
    return { ok: errors === 0, errors, warnings, entries: value.entries, rules: byRule };
  }
}

/** Checks a file, and gives all that was found at its end. */
export async function checkFile(
  checker: Pick<LogChecker, 'check'>,
  name: string,
  pause?: () => Promise<void>,
): Promise<FileCheck> {
  const findings: Finding[] = [];
  let bytes = 0;
  const onBytes = (more: number): void => {
    bytes += more;
  };
  const onFinding = (finding: Finding): number => findings.push(finding);
  const result = await finish(checker.check(name, undefined, { onFinding, onBytes }), pause);
  return { findings, bytes, result };
}

/** Runs to the end, with a pause after every step, and gives what comes out of it. */
export async function finish<Result>(
  steps: AsyncGenerator<unknown, Result, void>,
  pause?: () => Promise<void>,
): Promise<Result> {
  for (;;) {
    const next = await steps.next();
    if (next.done) return next.value;
    await pause?.();
  }
}

/** What the blob rules ask of the store in a folder. */
function blobLookup(folder: string): BlobLookup {
  const store = new BlobStore(folder);
  store.folder.require();
  return (text) => refsOf(encodeUtf8(text)).map(({ ref, path }) => ({ ref, path, problem: store.check(ref) }));
}
