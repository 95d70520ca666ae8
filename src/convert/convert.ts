import { dirname, join, resolve } from 'node:path';
import { assetSaver, createFolder } from '../files/assets.ts';
import { requireOtherPlace } from '../files/disk.ts';
import { modeOf } from '../files/input.ts';
import { isFolderOutput, placeIn } from '../files/place.ts';
import { PRIVATE_MODE, type Sink, toFile, toStream, writeTo } from '../files/sink.ts';
import { countingSource } from '../formats/counting-source.ts';
import type {
  ConversionOptions,
  ConversionReport,
  LogSource,
  RelatedSession,
  WriteOptions,
} from '../formats/format.ts';
import { canRepair, requireFit } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { closedOnError, keptOpen } from '../log/byte-store.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { headerOf, type NativeForm, nativeForm, sessionForm } from '../log/native-form.ts';
import { openForm, openLog } from '../log/open-log.ts';
import { noteDamage } from '../shared/command.ts';
import { logOptions, noteSiblings } from '../shared/open-session.ts';
import type { Redaction } from '../shared/redaction.ts';
import { Reserve } from '../shared/reserve.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { leaves } from '../tree/path.ts';
import { AppError, UsageError, withExitCode } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { toJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';
import { bytesRead, countReadings, type Outgoing, type Target, writePath } from './outgoing.ts';
import { changesContext, reportLine } from './report.ts';
import { type Convertible, openConvertible } from './source.ts';

interface ConvertOptions extends ConversionOptions, WriteOptions {
  /** The format to write; undefined for a native session in the dialect. */
  readonly target?: Target | undefined;
  /** A file for each leaf. */
  readonly allLeaves: boolean;
  readonly from?: string | undefined;
  /** A file or a folder; standard output where undefined. */
  readonly output?: string | undefined;
  readonly report?: string | undefined;
  /** Removes secrets from all that is written. */
  readonly redaction?: Redaction | undefined;
}

/** Converts each FILE and gives the exit code. */
export async function convertLogs(names: readonly string[], options: ConvertOptions, io: Io): Promise<number> {
  const { output, report } = options;
  const folder = output !== undefined && (await isFolderOutput(output)) ? output : undefined;
  if (names.length > 1 && folder === undefined)
    throw new UsageError('several FILEs need -o with a folder; otherwise pass one');
  if (folder !== undefined && options.session !== undefined)
    throw new UsageError('--session is for one session; -o with a folder writes all of them');
  if (options.allLeaves && (folder === undefined || !options.target))
    throw new UsageError('--all-leaves is for a format without branches, and needs -o with a folder');
  const paths = (await Promise.all(names.map(placeIn))).map(({ path }) => path);
  const others = [...paths, ...(folder === undefined && output !== undefined ? [output] : [])].filter(
    (one) => one !== '-',
  );
  if (report !== undefined) requireOtherPlace(report, others, '--report');
  const conversion = new Conversion(options, folder, io);
  let code = 0;
  for (const name of names) {
    options.redaction?.startFile();
    try {
      const converted = await conversion.file(name, names.length > 1);
      code = Math.max(code, converted ?? 0);
      if (converted !== undefined) options.redaction?.report(name);
    } catch (error) {
      if (names.length === 1 || !(error instanceof AppError) || io.signal.aborted) throw error;
      // One bad file does not stop the others.
      io.note(error.message);
      code = 2;
    }
  }
  await conversion.writeReport();
  return code;
}

/** A session that was written. */
interface Written {
  readonly code: number;
  readonly id: unknown;
  /** The others that it names. */
  readonly sessions: readonly RelatedSession[];
}

/** Another session, and the file that has it; the log itself where that is undefined. */
interface Child {
  readonly session: RelatedSession;
  readonly path: string | undefined;
}

class Conversion {
  readonly #options: ConvertOptions;
  readonly #folder: string | undefined;
  readonly #io: Io;
  readonly #reports: JsonObject[] = [];
  /** The files in the folder by name, with what they were made from. */
  readonly #written = new Map<string, string>();
  /** By file: the session of it that is in the folder. That of a subagent may be named beside its parent. */
  readonly #done = new Map<string, unknown>();
  #mode = PRIVATE_MODE;
  /** The session that is wanted of a file, with what is part of its work; all of them where undefined. */
  #wanted: string | undefined;
  readonly #reserve: Reserve;

  constructor(options: ConvertOptions, folder: string | undefined, io: Io) {
    this.#options = options;
    this.#folder = folder;
    this.#io = io;
    this.#reserve = new Reserve(io.progress);
  }

  /** Converts a log; with an output folder, all sessions that it has. Undefined for one that was converted before. */
  async file(name: string, isOneOfMany: boolean): Promise<number | undefined> {
    const { path, session = this.#options.session } = await placeIn(name);
    this.#wanted = session;
    if (this.#folder !== undefined && session === undefined && this.#done.has(resolve(path))) return undefined;
    const log = await openConvertible(path, this.#options.from, this.#io);
    this.#mode = name === '-' ? PRIVATE_MODE : await modeOf(path);
    try {
      const prefix = isOneOfMany ? `${name}: ` : '';
      const { target } = this.#options;
      const isNative = log.identity === undefined;
      const main =
        target && isNative
          ? await this.#translate(target, await this.#ownLog(log), log.source, log, prefix)
          : await this.#put(await this.#form(log.source, log, session), log.source, log, prefix);
      if (this.#folder === undefined) return main.code;
      if (session === undefined) this.#done.set(resolve(path), main.id);
      return Math.max(main.code, await this.#related(log, main));
    } finally {
      await log.source.close();
    }
  }

  /** The reports, one JSON object per line: one for each session that was written. */
  async writeReport(): Promise<void> {
    const { report } = this.#options;
    if (report === undefined) return;
    const sink = toFile(report, { random: this.#io.random, signal: this.#io.signal, mode: this.#mode });
    await writeTo(sink, async (out) => {
      const { redaction } = this.#options;
      for (const one of this.#reports) {
        const json = toJson(one);
        await out.put(`${redaction ? decodeUtf8(redaction.change(encodeUtf8(json))) : json}\n`);
      }
    });
  }

  /** Sessions of subagents and their subagents, and other ones of the source, each once. */
  async #related(log: Convertible, main: Written): Promise<number> {
    const known = new Set([main.id]);
    const waiting = this.#others(main.sessions).map((session): Child => ({ session, path: session.path }));
    let code = 0;
    for (let child = waiting.shift(); child; child = waiting.shift()) {
      if (known.has(child.session.nativeId)) continue;
      known.add(child.session.nativeId);
      const { path } = child;
      const written = await this.#child(log, child);
      code = Math.max(code, written?.code ?? 0);
      for (const session of this.#others(written?.sessions)) waiting.push({ session, path: session.path ?? path });
    }
    return code;
  }

  #others(sessions: readonly RelatedSession[] = []): readonly RelatedSession[] {
    return this.#wanted === undefined ? sessions : sessions.filter(({ isSibling }) => !isSibling);
  }

  /** Converts a session from its own file, or from the one that names it; undefined where it is missing or done. */
  async #child(log: Convertible, { session, path }: Child): Promise<Written | undefined> {
    const source = path === undefined ? log.source : await log.source.open(path);
    try {
      if (source && this.#done.get(resolve(source.name)) === session.nativeId) return undefined;
      const written = source && (await this.#session(source, log, session, `${source.name}: `));
      if (written && session.path !== undefined) this.#done.set(resolve(source.name), written.id);
      if (!written) this.#io.note(`${log.source.name}: the session '${session.id}' was not found`);
      return written;
    } finally {
      if (source !== log.source) await source?.close();
    }
  }

  /** Converts a session and writes it; undefined where the source does not have the one that is wanted. */
  async #session(
    source: LogSource,
    log: Convertible,
    wanted: RelatedSession,
    prefix: string,
  ): Promise<Written | undefined> {
    const form = await this.#form(source, log, wanted.path === undefined ? wanted.id : undefined, nativeForm);
    if (headerOf(form)?.['id'] === wanted.nativeId) return await this.#put(form, source, log, prefix);
    await form.store.close();
    return undefined;
  }

  async #put(form: NativeForm, source: LogSource, log: Convertible, prefix: string): Promise<Written> {
    const { target } = this.#options;
    if (target) return await this.#translate(target, await this.#opened(form, source), source, log, prefix);
    try {
      const { damage, report } = form;
      const code = damage.length > 0 || (report && changesContext(report)) ? 1 : 0;
      const output = this.#place(headerOf(form), source.name);
      await this.#save(output, source.name, code, async (out) => {
        for await (const chunk of form.store.chunks()) {
          out.bytes(chunk);
          // Its memory is used again for the next one.
          await out.flush();
        }
      });
      this.#noteDamage(damage, form.name, log);
      if (report) this.#account(report, { name: form.name, log, output, prefix });
      return { code, id: headerOf(form)?.['id'], sessions: report?.sessions ?? [] };
    } finally {
      await form.store.close();
    }
  }

  #noteDamage(damage: readonly LeftOut[], name: string, log: Convertible): void {
    const unit = log.source.database ? 'row' : 'line';
    noteDamage(name, damage, 'was left out', this.#io, { canRepair: canRepair(log.identity?.format), unit });
  }

  /** Writes a session in another format, once for each leaf that is wanted. */
  async #translate(
    target: Target,
    session: Outgoing,
    source: LogSource,
    log: Convertible,
    prefix: string,
  ): Promise<Written> {
    const { allLeaves, embed } = this.#options;
    const { log: native } = session;
    try {
      const { header } = native;
      const ends = allLeaves ? leaves(native.index) : [await lastEntry(native)];
      const { progress } = this.#io;
      progress.phase('writing');
      const onReading = countReadings(native, progress, this.#reserve);
      const lengths = ends.map((leaf) => (progress.isShown ? bytesRead(native, leaf, target) : 0));
      let left = lengths.reduce((sum, bytes) => sum + bytes, 0);
      let code = 0;
      for (const [at, leaf] of ends.entries()) {
        this.#reserve.hold(left);
        left -= lengths[at] ?? 0;
        const leafId = allLeaves ? (await native.entry(leaf)).value['id'] : undefined;
        const output = this.#place(header, source.name, target.extension, leafId);
        const asset = output === undefined || output === '-' ? undefined : this.#assets(output);
        const report = await this.#save(output, source.name, 0, (out) =>
          writePath(session, leaf, target, { out, asset, embed, onReading }),
        );
        code = Math.max(code, native.damage.length > 0 || changesContext(report) ? 1 : 0);
        this.#account(report, { name: native.name, log, output, prefix });
      }
      this.#noteDamage(native.damage, native.name, log);
      return { code, id: header?.['id'], sessions: native.conversion?.sessions ?? [] };
    } finally {
      await native.close();
    }
  }

  /** A native log, which is written as it is and not in a dialect. */
  async #ownLog({ source, store }: Convertible): Promise<Outgoing> {
    const { from, session, allLeaves } = this.#options;
    const change = this.#options.redaction?.change;
    const readings = (this.#options.target?.readings ?? 1) * (store.size ?? 0);
    // It is indexed and hashed before it is written.
    this.#reserve.hold((store.size ?? 0) + readings);
    // The store is read again and closed by its source.
    const log = await openLog(keptOpen(store), { ...logOptions(source.name, this.#io), from, session, change });
    this.#reserve.hold(readings);
    const { chunks, facts } = countingSource(source);
    for await (const _chunk of chunks);
    return { log, chunks: () => store.chunks(), bytes: facts(), damaged: log.damage.length, allLeaves };
  }

  async #opened(form: NativeForm, source: LogSource): Promise<Outgoing> {
    this.#reserve.hold((this.#options.target?.readings ?? 1) * (form.store.size ?? 0));
    const log = await openForm(form, logOptions(source.name, this.#io));
    const bytes = form.report?.source ?? { sha256: '', bytes: 0 };
    return { log, chunks: () => form.store.chunks(), bytes, damaged: 0, allLeaves: this.#options.allLeaves };
  }

  /** Images go to a folder beside the output. */
  #assets(output: string): (bytes: Buffer, extension: string) => string {
    return assetSaver(join(dirname(output), 'images'), this.#mode & PRIVATE_MODE, output, this.#io);
  }

  async #form(
    source: LogSource,
    { format, identity, ...log }: Convertible,
    session: string | undefined,
    convert = sessionForm,
  ): Promise<NativeForm> {
    const { target } = this.#options;
    const size = source === log.source ? (log.store.size ?? 0) : 0;
    log.onPhase?.('converting', size);
    // Another format is written from the native form, which is indexed first.
    if (target) this.#reserve.hold((1 + (target.readings ?? 1)) * size);
    const { scratch, onWarning } = logOptions(source.name, this.#io);
    const { dialect, keep, redaction } = this.#options;
    const change = redaction?.change;
    const form = await convert(source, format, { dialect, keep, session, scratch, onWarning, change });
    if (identity) await closedOnError(form.store, async () => requireFit(source.name, identity, form.report));
    return form;
  }

  #account(
    report: ConversionReport,
    { name, log, output, prefix }: { name: string; log: Convertible; output: string | undefined; prefix: string },
  ): void {
    const others = this.#folder === undefined ? this.#others(report.sessions) : [];
    const left =
      others.length > 0 ? `; ${counted(others.length, 'other session')} not written (-o DIR/ writes all)` : '';
    this.#io.note(`${prefix}${reportLine(report)}${left}`);
    if (this.#wanted === undefined && this.#folder === undefined) noteSiblings(name, report, this.#io);
    const confidence = log.identity && (log.identity.certainty ?? 'forced');
    const known = { ...report.source, ...(confidence ? { confidence } : {}) };
    this.#reports.push({ file: name, ...(output === undefined ? {} : { output }), ...report, source: known });
  }

  /** Writes to standard output, or to a file that gets its name when all of it is written. */
  async #save<T>(
    path: string | undefined,
    input: string,
    code: number,
    write: (out: ByteWriter) => Promise<T>,
  ): Promise<T> {
    return await withExitCode(code, writeTo(this.#sink(path, input), write));
  }

  #sink(path: string | undefined, input: string): Sink {
    const { random, signal, stdout } = this.#io;
    if (path === undefined || path === '-') return toStream(terminalSafe(stdout));
    return toFile(path, { random, signal, input: input === '-' ? '/dev/stdin' : input, mode: this.#mode | 0o200 });
  }

  /** Where a session goes; in a folder it is named as the agents name theirs, by time and id. */
  #place(header: JsonObject | undefined, input: string, extension = 'jsonl', leaf?: unknown): string | undefined {
    const folder = this.#folder;
    if (folder === undefined) return this.#options.output;
    const words = [header?.['timestamp'], header?.['id'], leaf].filter((word) => typeof word === 'string');
    const name = `${
      words
        .join('_')
        .replace(/[^\w-]/g, '-')
        .slice(0, 200) || 'session'
    }.${extension}`;
    const before = this.#written.get(name);
    if (before !== undefined)
      throw new AppError(`${input}: has the same time and id as ${before}; write it to another folder`);
    if (this.#written.size === 0) createFolder(folder);
    this.#written.set(name, input);
    return join(folder, name);
  }
}
