import { DialectDetector, dialectOf } from '../entries/dialect.ts';
import { stringOf } from '../entries/entry-type.ts';
import {
  type ConversionOutcome,
  type ConversionReport,
  type LogFormat,
  type Loss,
  type NativeSession,
  type SessionEntry,
  type SessionSink,
  STAMP,
  type WriteOptions,
} from '../formats/format.ts';
import { foreignFormats } from '../formats/index.ts';
import { Losses, totalCounts } from '../formats/losses.ts';
import { exactJson, parseExact } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { Reserve } from '../shared/reserve.ts';
import { sessionTitle } from '../tree/labels.ts';
import { cutPath, leaves, pathTo } from '../tree/path.ts';
import { LogError } from '../util/errors.ts';
import type { Progress } from '../util/io.ts';
import { toJson } from '../util/to-json.ts';

/** A format that sessions are written in. */
export type Target = LogFormat & Required<Pick<LogFormat, 'fromNative'>>;

/** What `--to` names; undefined for a native session. */
export function targetOf(to: string | undefined): Target | undefined {
  return foreignFormats.find((format): format is Target => format.id === to && format.fromNative !== undefined);
}

/** A session on its way into another format. */
export interface Outgoing {
  readonly log: Log;
  /** The bytes of the log, in its native form. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** For the report on a native log; that of another agent's log is in its conversion. */
  readonly bytes: Pick<ConversionReport['source'], 'sha256' | 'bytes'>;
  /** Number of damaged lines that the index has found. */
  readonly damaged: number;
  /** Each leaf is written to a file of its own. */
  readonly allLeaves: boolean;
}

/** Where it goes. */
interface PathOutput extends WriteOptions {
  readonly out: ByteWriter;
  readonly asset: SessionSink['asset'];
  /**
   * Called with the number of bytes to read, each time that the format reads the path; gives what to call at the end.
   */
  readonly onReading?: (bytes: number) => () => void;
}

/** Writes the path to a leaf and reports what became of the entries; those of other branches count as dropped. */
export async function writePath(
  session: Outgoing,
  leaf: number,
  target: Target,
  { out, asset, embed, onReading }: PathOutput,
): Promise<ConversionReport> {
  const { log } = session;
  const { header } = log;
  if (!header) throw new LogError(log.name, "has no header; run 'sessionctl repair' first");
  if (embed && log.fileVersion !== log.version)
    throw new LogError(log.name, `is of version ${log.fileVersion}; run 'sessionctl migrate' first to embed it`);
  const account = new Account(session, leaf);
  const sink: SessionSink = {
    line: (record) => out.put(`${exactJson(toJson(record))}\n`),
    text: (text) => out.put(text),
    ...(asset ? { asset } : {}),
    count: (outcome) => account.count(outcome),
    loss: (...loss) => account.losses.add(...loss),
  };
  const native: NativeSession = {
    header,
    title: await sessionTitle(log),
    agent: await agentOf(log, header, leaf),
    entries: () => account.entries(onReading),
    lines: () => linesOf(session.chunks()),
    endsWithNewline: log.endsWithNewline,
  };
  return account.report(await target.fromNative(native, sink, { embed }));
}

/** The agent that wrote the session, also where it was converted before. */
async function agentOf(log: Log, header: JsonObject, leaf: number): Promise<NativeSession['agent']> {
  const native = { name: log.titleSlot ? 'omp' : (dialectOf(header) ?? 'pi'), version: String(log.fileVersion) };
  for await (const { value } of log.entries(pathTo(log.index, leaf).subarray(0, 1))) {
    const { customType, data } = value;
    if (customType !== STAMP || !isObject(data)) continue;
    return { name: stringOf(data['format']) || native.name, version: stringOf(data['formatVersion']) || 'unknown' };
  }
  return native;
}

/** Bytes that are no UTF-8 have no place in the formats that are written; their lines are reported as damaged. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of readLineBatches(chunks)) {
    for (const line of lines) if (line.oversize === 0 && line.wellFormed) yield line.text;
  }
}

/** How many bytes of a log are read at most to write the path to a leaf. */
export function bytesRead(log: Log, leaf: number, { readings = 1 }: Target): number {
  return readings * lengthOf(log, pathTo(log.index, leaf));
}

/** Has the progress count what is read of a log; gives what hears of each reading of a path. */
export function countReadings(log: Log, progress: Progress, reserve: Reserve): NonNullable<PathOutput['onReading']> {
  let read = 0;
  log.onRead = (bytes) => {
    read += bytes;
    progress.read(bytes);
  };
  return (bytes) => {
    reserve.take(bytes);
    const end = read + bytes;
    // Some formats stop after the first entries.
    return () => progress.expect(read - end);
  };
}

function lengthOf({ index }: Log, path: Int32Array): number {
  return path.reduce((bytes, position) => bytes + index.lengthOf(position), 0);
}

class Account {
  readonly losses = new Losses();
  readonly #session: Outgoing;
  readonly #path: Int32Array;
  readonly #counts: Record<ConversionOutcome, number> = { mapped: 0, merged: 0, custom: 0, dropped: 0 };
  readonly #watch = new DialectDetector();
  /** Entries of the path that the last pass has read. */
  #read = 0;

  constructor(session: Outgoing, leaf: number) {
    const { log, allLeaves } = session;
    this.#session = session;
    this.#path = pathTo(log.index, leaf);
    if (log.header) this.#watch.add(log.header);
    const cut = cutPath(log.index, leaf);
    if (cut) this.losses.add('PATH_CUT', 'damaged', log.index.lineOf(cut.root));
    if (allLeaves) return;
    for (const end of leaves(log.index))
      if (end !== leaf) this.losses.add('BRANCH_DROPPED', 'info', log.index.lineOf(end));
  }

  async *entries(onReading: PathOutput['onReading']): AsyncGenerator<SessionEntry> {
    const { log } = this.#session;
    this.#read = 0;
    const onEnd = onReading?.(lengthOf(log, this.#path));
    try {
      for await (const { line, text, value } of log.entries(this.#path)) {
        this.#read++;
        this.#watch.add(value);
        yield { line, value: parseExact(text) ?? value };
      }
    } finally {
      onEnd?.();
    }
  }

  count(outcome: ConversionOutcome): void {
    this.#counts[outcome]++;
  }

  report(roundtrip: ConversionReport['roundtrip']): ConversionReport {
    const { log, allLeaves, bytes } = this.#session;
    const { conversion, fileVersion, index, damage } = log;
    const others = allLeaves ? 0 : index.size - this.#path.length;
    // Damaged lines of another agent's log are none of its entries, and among the losses of its conversion.
    const unread = this.#path.length - this.#read;
    const damaged = unread + (conversion || allLeaves ? 0 : this.#session.damaged);
    const dropped = this.#counts.dropped + others + damaged;
    if (!conversion) for (const { line } of damage) this.losses.add('DAMAGED_LINE', 'damaged', line);
    const source = { format: this.#watch.dialect ?? 'native', version: String(fileVersion), ...bytes };
    return {
      source: conversion?.source ?? source,
      session: conversion?.session ?? stringOf(log.header?.['id']),
      counts: totalCounts({ ...this.#counts, dropped }),
      losses: joined(conversion?.losses ?? [], this.losses.list),
      // Damaged lines cannot be restored.
      roundtrip: roundtrip === 'exact' && damage.length > 0 ? 'semantic' : roundtrip,
      sessions: conversion?.sessions ?? [],
    };
  }
}

/** The losses of two conversions in a row, by code. */
function joined(first: readonly Loss[], second: readonly Loss[]): Loss[] {
  const all = new Map(first.map((loss) => [loss.code, loss]));
  for (const loss of second) {
    const before = all.get(loss.code);
    all.set(loss.code, before ? { ...loss, count: before.count + loss.count, examples: before.examples } : loss);
  }
  return [...all.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}
