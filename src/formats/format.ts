import type { Dialect } from '../entries/entry-type.ts';
import { isObject, type JsonObject, parseJson } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import type { Activity, ActivityReader } from './activity.ts';
import type { SourceFacts } from './counting-source.ts';
import type { CutLines, Cutting, OddLine } from './cut-lines.ts';
import type { Environment } from './folders.ts';
import type { RecordChecks } from './record-checks.ts';

export * from './record-checks.ts';

export type DatabaseValue = number | bigint | string | Uint8Array | null;
export type DatabaseRow = Readonly<Record<string, DatabaseValue>>;

/** A database with sessions, open for reading. */
export interface LogDatabase {
  /**
   * The rows of a query, in batches: they may not fit into memory. The SQL function `unzstd` unpacks a blob; it gives
   * null where that fails.
   */
  rows(sql: string, ...params: readonly DatabaseValue[]): AsyncGenerator<readonly DatabaseRow[]>;
}

/** The columns of a table; undefined where the file is no database, or has no such table. */
export function tableColumns(head: Head, table: string): readonly unknown[] | undefined {
  const database = head.first?.['sqlite'];
  const tables = isObject(database) ? database['tables'] : undefined;
  const columns = isObject(tables) && Object.hasOwn(tables, table) ? tables[table] : undefined;
  return Array.isArray(columns) ? columns : undefined;
}

/** The bytes of a log, which can be read again. */
export interface LogSource {
  /** The name in messages. */
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
  /** The same for a look at the start, which the progress does not count. */
  start(): AsyncIterable<Uint8Array>;
  /** Tells the progress that all of it will be read so many times, not once. */
  readonly willRead?: ((times: number) => void) | undefined;
  /** Fills the buffer from a position; fewer bytes only at the end. */
  readAt(buffer: Buffer, position: number): Promise<number>;
  readonly random: (bytes: number) => Uint8Array;
  readonly scanner?: ScannerKind | undefined;
  /** Nothing is written: exact digits of numbers and the digest are not needed. */
  readonly isOnlyRead?: boolean | undefined;
  /** Its lines, cut and counted by another thread, where that is faster. */
  readonly readAhead?: ((cutting: Cutting) => Promise<CountedLines | undefined>) | undefined;
  /** The sorted paths of the files in a folder and, unless `deep` is false, below it, relative to the log's folder. */
  list(folder: string, deep?: boolean): Promise<readonly string[]>;
  /**
   * Opens a file beside the log; undefined where there is none, as for a log from a pipe. With `within` only a plain
   * file inside this folder, after links are resolved.
   */
  open(path: string, within?: string): Promise<LogSource | undefined>;
  /** Set for a database; its bytes are one line of JSON that names its tables and their columns. */
  readonly database?: LogDatabase | undefined;
  close(): Promise<void>;
}

/** A record of a log: a line of JSONL, or an element of a document. */
export interface SourceRecord {
  readonly value: JsonObject;
  readonly line: number;
  /** Where it is in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** How many long texts were cut before it. */
  readonly textsBefore: number;
  /** The record as JSON without white space, where that is known. */
  readonly json?: string | undefined;
}

/** A record that is not a line of JSONL. */
export function sourceRecord(value: JsonObject, line: number): SourceRecord {
  return { value, line, offset: 0, length: 0, textsBefore: 0 };
}

/** Called with a damaged line and the number of records in it. */
export type OnDamage = (line: number, damage: string, records: number) => void;

/** The lines of a log that is read once; the counts are in `facts` at the end. */
export interface CountedLines {
  readonly lines: AsyncIterable<CutLines | OddLine>;
  facts(): SourceFacts;
}

/** Access to the files beside a log. */
export interface NearLog extends Pick<LogSource, 'name' | 'list'> {
  open(path: string, within?: string): Promise<Pick<LogSource, 'chunks' | 'readAt' | 'close'> | undefined>;
}

/** Receives the native form of a log, line by line. */
export interface NativeSink {
  /** The first lines, which may be known last. */
  head(raws: readonly string[]): void;
  /**
   * A header or an entry of version 3, one character per byte, without a newline; and the line it is made from. Only
   * the last one may be open, without a newline in the file.
   */
  line(raw: string, sourceLine: number, isOpen?: boolean): void;
  /** The same in pieces, of text and of bytes. */
  pieces(pieces: readonly (string | Buffer)[], sourceLine: number): void;
  /** Called instead of `pieces`, with an object, where nothing is written. */
  value?(entry: JsonObject, sourceLine: number): void;
  /** A damaged line of the file, which was left out. */
  leftOut(sourceLine: number, rule: string): void;
  /** Something that could not be converted as it was meant; line 0 is the whole file. */
  warn(sourceLine: number, message: string): void;
  /** Discard all lines: the conversion starts again, because it has found what changes the start. */
  restart(): void;
  /** The lines are of this file, not of the one that was opened. */
  file?(name: string): void;
  /** The id of an entry that repeats one of another session's log. */
  replayed?(id: string): void;
  /** What became of the records, at the end. */
  report(report: ConversionReport): void;
}

/** How records without a native counterpart are kept: with up to 4 KB of their JSON, all of it, or only counted. */
export const KEEP = ['meta', 'raw', 'none'] as const;

export interface ConversionOptions {
  readonly dialect: Dialect;
  readonly keep: (typeof KEEP)[number];
  /** The id of a session, as in the report; by default the main one, or the newest. */
  readonly session?: string | undefined;
}

/** An entry of a session that is written in another format. */
export interface SessionEntry {
  readonly line: number;
  /** Numbers that JavaScript would change are marked, and written with their digits. */
  readonly value: JsonObject;
}

/** The input of `fromNative`: one path of a session, in its native form. */
export interface NativeSession {
  readonly header: JsonObject;
  readonly title: string | undefined;
  /** The name of the log's format, and its version. */
  readonly agent: { readonly name: string; readonly version: string };
  /** From the root to the leaf, each read on demand. May be called again; the last pass has to read all. */
  entries(): AsyncIterable<SessionEntry>;
  /** All lines of the log, those of other branches too, without their newlines. */
  lines(): AsyncIterable<string>;
  /** Whether the last of them has a newline. */
  readonly endsWithNewline: boolean;
}

/** Receives a session in another format, and counts what became of each entry. */
export interface SessionSink {
  /** A record of a format that has one JSON object per line. */
  line(record: JsonObject): Promise<void>;
  /** A piece of any other format. */
  text(text: string): Promise<void>;
  /** Writes bytes to a file beside the output and gives its relative path; undefined where the output is no file. */
  readonly asset?: (bytes: Buffer, extension: string) => string;
  count(outcome: ConversionOutcome): void;
  loss(code: string, severity: LossSeverity, line: number, id?: string): void;
}

export interface WriteOptions {
  /** Keep the log itself in the output, so that a conversion back restores it. */
  readonly embed: boolean;
}

/** `info` does not change what the model sees. */
export type LossSeverity = 'info' | 'lossy' | 'ambiguous' | 'damaged';

export interface Loss {
  readonly code: string;
  /** `info` only where all of them are. */
  severity: LossSeverity;
  count: number;
  readonly examples: { readonly line: number; readonly id?: string }[];
}

/** Another session that a source has, such as one of a subagent. */
export interface RelatedSession {
  readonly id: string;
  /** The id that it has in its native form. */
  readonly nativeId: string;
  /** The file that has it, as `open` takes it; the log itself where undefined. */
  readonly path?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly toolCallId?: string;
  /** It is another session of the source, not part of the one that was converted. */
  readonly isSibling?: true;
  /** It is part of the one that was converted, and in the same log. */
  readonly isInside?: true;
}

/** What became of the records of a log. */
export interface ConversionReport {
  readonly source: {
    readonly format: string;
    readonly version?: string;
    readonly sha256: string;
    readonly bytes: number;
  };
  /** The source's own id of the session. */
  readonly session: string;
  /** The source's id of the session that started this one as its subagent. */
  readonly subagentOf?: string;
  readonly counts: Readonly<Record<'records' | ConversionOutcome, number>>;
  readonly losses: readonly Loss[];
  /** How much a conversion back restores. */
  readonly roundtrip: 'exact' | 'semantic' | 'text-only';
  readonly sessions: readonly RelatedSession[];
}

/** A session in a database whose rows are native lines. */
export interface NativeRows {
  readonly id: string;
  /** The id that it has in its native form. */
  readonly nativeId?: string | undefined;
  lines(): AsyncGenerator<Buffer>;
}

/** Every record of a log becomes an entry or part of one, or is kept as a custom entry, or is dropped and counted. */
export type ConversionOutcome = 'mapped' | 'merged' | 'custom' | 'dropped';

/** A session as its agent knows it. */
export interface ResumableSession {
  readonly id: string;
  /** The path of the log; '' where it comes from a pipe. */
  readonly file: string;
  /** The folder that the agent worked in; '' where it is unknown. */
  readonly cwd: string;
}

/** How an agent is started to go on with a session. */
export interface ResumeCommand {
  readonly argv: readonly string[];
  /** Where to run it, for an agent that only finds the sessions of the folder that it runs in. */
  readonly cwd?: string;
}

/** `probable` where another format may look like this: what must not guess asks for `--from`. */
export type Certainty = 'certain' | 'probable';

/** A log format: how to recognize it, and what its records mean. No other code knows its field names. */
export interface LogFormat {
  readonly id: string;
  /** What users call the agent, as in `claude:last`; the id where undefined. */
  readonly agent?: string;
  /** With an article: 'a Codex rollout'. */
  readonly title: string;
  /** For '4 Codex rollouts'. */
  readonly noun: string;
  /** The files that are read, for `formats`; JSONL where undefined. */
  readonly files?: string;
  /** The versions of the agent that the logs in fixtures are from, or whose behavior was tried, oldest first. */
  readonly versions?: readonly string[];
  /** Whether a file that starts like this has the format. */
  detect(head: Head): Certainty | undefined;
  readonly locations?: (env: Environment) => readonly string[];
  /** The file names of logs there; JSONL where undefined. */
  readonly logNames?: RegExp;
  /** The command of its agent that goes on with a session; absent where no agent does. */
  readonly resume?: (session: Pick<ResumableSession, 'id' | 'cwd'>) => ResumeCommand;
  /** Branches are made by rewinds of the user alone, so no branch is lost work. */
  readonly branchesAreRewinds?: true;
  /** A fork copies messages under new ids, with their content and times. */
  readonly forksHaveNewIds?: true;
  /** Whether a file that starts like this is a document or a database, not JSONL. */
  readonly isDocument?: (head: Head) => boolean;
  /** Agents keep sessions in such files, though no format of theirs fits this one. */
  readonly mayHaveSessions?: true;
  /**
   * Reads the records of such a file for the checks; `chunks` are the bytes of the source. In a database, those of the
   * given session, else of the newest.
   */
  readonly records?: (
    source: LogSource,
    chunks: AsyncIterable<Uint8Array>,
    onDamage: OnDamage,
    session?: string,
  ) => AsyncGenerator<Iterable<SourceRecord>>;
  /** The sessions of a database whose rows are native lines and checked as such; the newest last. */
  readonly nativeSessions?: (source: LogSource) => Promise<readonly NativeRows[]>;
  readonly checks?: () => Promise<RecordChecks>;
  /** The checks have an `edit`, by which `repair` writes its logs; known without loading them. */
  readonly isRepairable?: true;
  /** Reads from its lines what `stats` counts; without it `stats` reads the native form. */
  readonly activity?: () => Promise<(activity: Activity) => ActivityReader>;
  /** Converts the log for all readers; undefined for a format that is only recognized. */
  readonly toNative?: (source: LogSource, sink: NativeSink, options: ConversionOptions) => Promise<void>;
  /** Writes a session, and says how much a conversion back restores; undefined for a format that is only read. */
  readonly fromNative?: (
    session: NativeSession,
    sink: SessionSink,
    options: WriteOptions,
  ) => Promise<ConversionReport['roundtrip']>;
  /** How often `fromNative` reads the entries at most; once where undefined. */
  readonly readings?: number;
  /** The file extension, where it is not jsonl. */
  readonly extension?: string;
  /** It can embed the log itself, for `--embed`. */
  readonly embeds?: true;
}

/** Longer starts of files are not parsed as one document. */
const LONGEST_DOCUMENT = 16 * 1024 * 1024;

/** The start of a file, for `detect`. */
export class Head {
  /** The first bytes, one character per byte. */
  readonly bytes: string;
  /** The first lines that are not blank, as JSON; undefined where a line is none. */
  readonly values: readonly unknown[];
  /** Those of them that are objects. */
  readonly objects: readonly JsonObject[];
  /** The first of them, where it is an object. */
  readonly first: JsonObject | undefined;
  readonly firstText: string;
  readonly #lines: readonly Line[];
  #text: string | undefined;
  #document: { readonly value: unknown } | undefined;

  /** Takes lines that are not blank. */
  constructor(lines: readonly Line[]) {
    this.bytes = (lines[0]?.raw ?? '').slice(0, 4096);
    this.values = lines.map((line) => line.json);
    this.objects = this.values.filter(isObject);
    this.first = isObject(this.values[0]) ? this.values[0] : undefined;
    this.firstText = lines[0]?.text ?? '';
    this.#lines = lines;
  }

  /** All lines, or the start of the first one where they are too long. */
  get text(): string {
    const isShort = this.#lines.reduce((sum, line) => sum + line.length, 0) <= LONGEST_DOCUMENT;
    this.#text ??= isShort
      ? this.#lines.map((line) => line.text).join('\n')
      : this.firstText.slice(0, LONGEST_DOCUMENT);
    return this.#text;
  }

  /** The whole file where it is one JSON value, on one line or on many. */
  get document(): unknown {
    if (this.#lines.length === 1) return this.values[0];
    // Several objects are not one value.
    const mayBeOne = this.first === undefined && /^\s*[[{]/.test(this.firstText);
    this.#document ??= { value: mayBeOne ? parseJson(this.text) : undefined };
    return this.#document.value;
  }

  /** Whether it is, or starts like, one JSON value on several lines. */
  get isDocument(): boolean {
    if (this.document !== undefined) return true;
    return /^\s*[[{]\s*("([^"\\]|\\.)*"\s*(:.*)?)?$/s.test(this.firstText) && this.values[0] === undefined;
  }

  /** Whether the document has all of these keys. A document that is too long is searched for them as text. */
  documentHas(...keys: readonly string[]): boolean {
    const { document } = this;
    if (isObject(document)) return keys.every((key) => Object.hasOwn(document, key));
    return document === undefined && this.isDocument && keys.every((key) => this.text.includes(`"${key}":`));
  }
}

/** Whether a value is an object with members of these kinds; `any` has to be present, `absent` must not. */
export function hasMembers(
  value: unknown,
  kinds: Readonly<Record<string, 'string' | 'number' | 'object' | 'array' | 'any' | 'absent'>>,
): value is JsonObject {
  if (!isObject(value)) return false;
  return Object.entries(kinds).every(([key, kind]) => {
    const member = value[key];
    if (kind === 'any' || kind === 'absent') return Object.hasOwn(value, key) === (kind === 'any');
    if (kind === 'array') return Array.isArray(member);
    return kind === 'object' ? isObject(member) : typeof member === kind;
  });
}

/** The type of the first entry of a converted session, which names its source, as in omp. */
export const STAMP = 'foreign_session_import';
