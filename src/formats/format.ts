import type { Dialect } from '../entries/entry-type.ts';
import { isObject, type JsonObject, parseJson } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import type { Activity, ActivityReader } from './activity.ts';
import type { SourceFacts } from './counting-source.ts';
import type { CutLines, Cutting, OddLine } from './cut-lines.ts';
import type { RecordChecks } from './record-checks.ts';

export * from './record-checks.ts';

export type DatabaseValue = number | bigint | string | Uint8Array | null;
export type DatabaseRow = Readonly<Record<string, DatabaseValue>>;

/** A database that has sessions in its tables. It cannot be changed. */
export interface LogDatabase {
  /**
   * What a query finds, some rows at a time: a table may have more of them than fit into memory. The function `unzstd`
   * unpacks a blob; it gives null where that fails.
   */
  rows(sql: string, ...params: readonly DatabaseValue[]): AsyncGenerator<readonly DatabaseRow[]>;
}

/** The columns of a table in the database that a file is; undefined where it is none, or has no such table. */
export function tableColumns(head: Head, table: string): readonly unknown[] | undefined {
  const database = head.first?.['sqlite'];
  const tables = isObject(database) ? database['tables'] : undefined;
  const columns = isObject(tables) && Object.hasOwn(tables, table) ? tables[table] : undefined;
  return Array.isArray(columns) ? columns : undefined;
}

/** The bytes of a log, to be read as often as need be. */
export interface LogSource {
  /** What messages call it. */
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
  /** Tells the progress that all of it will be read so many times, not once. */
  readonly willRead?: ((times: number) => void) | undefined;
  /** Fills the buffer from a position on; fewer bytes only at the end. */
  readAt(buffer: Buffer, position: number): Promise<number>;
  readonly random: (bytes: number) => Uint8Array;
  readonly scanner?: ScannerKind | undefined;
  /** Nothing of it is written: the digits of its numbers and its digest are not needed. */
  readonly isOnlyRead?: boolean | undefined;
  /** Its lines, cut and counted by another thread, where that is worth it. */
  readonly readAhead?: ((cutting: Cutting) => Promise<CountedLines | undefined>) | undefined;
  /** The paths of the files in a folder and, unless told, the folders in it, by a path from the log's own folder, sorted. */
  list(folder: string, deep?: boolean): Promise<readonly string[]>;
  /**
   * One of them as a source; undefined where there is none, as for a log that comes from a pipe. With `within` only a
   * plain file that is in this folder, whatever links it goes through.
   */
  open(path: string, within?: string): Promise<LogSource | undefined>;
  /** Of a log that is a database; its bytes are one line of JSON that names its tables and their columns. */
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

/** The lines of a log that is read once; what was counted of it is in `facts` at the end. */
export interface CountedLines {
  readonly lines: AsyncIterable<CutLines | OddLine>;
  facts(): SourceFacts;
}

/** A log of which no more is asked than what is beside it. */
export interface NearLog extends Pick<LogSource, 'name' | 'list'> {
  open(path: string, within?: string): Promise<Pick<LogSource, 'chunks' | 'readAt' | 'close'> | undefined>;
}

/** What becomes of a log in its native form, line by line. */
export interface NativeSink {
  /** The lines before all others, which may be known last. */
  head(raws: readonly string[]): void;
  /**
   * A header or an entry of version 3, one character per byte, without a newline; and the line it is made from. Only the
   * last one may be open: no newline follows.
   */
  line(raw: string, sourceLine: number, isOpen?: boolean): void;
  /** The same in pieces, of text and of bytes. */
  pieces(pieces: readonly (string | Buffer)[], sourceLine: number): void;
  /** The same as an object, in the place of `pieces`, for whoever looks only at what was said. */
  value?(entry: JsonObject, sourceLine: number): void;
  /** A line of the file that is damaged and was left out. */
  leftOut(sourceLine: number, rule: string): void;
  /** Something that could not be carried over as it was meant; line 0 is the whole file. */
  warn(sourceLine: number, message: string): void;
  /** What was given so far is void: the conversion starts again, for it has met what changes the start. */
  restart(): void;
  /** An entry, by its id, that repeats what the log of another session has. */
  replayed?(id: string): void;
  /** What became of the records, at the end. */
  report(report: ConversionReport): void;
}

/** What becomes of records without a native counterpart: kept with up to 4 KB of their JSON, with all of it, or counted. */
export const KEEP = ['meta', 'raw', 'none'] as const;

export interface ConversionOptions {
  readonly dialect: Dialect;
  readonly keep: (typeof KEEP)[number];
  /** Which session of the source, by an id from its report; the main one by default, or the newest. */
  readonly session?: string | undefined;
}

/** An entry of a session that is written in another format. */
export interface SessionEntry {
  readonly line: number;
  /** Numbers that JavaScript would change are marked, and leave with their digits. */
  readonly value: JsonObject;
}

/** What a format gets to write: one path of a session, in its native form. */
export interface NativeSession {
  readonly header: JsonObject;
  readonly title: string | undefined;
  /** Who wrote the log: the name of its format, and the version that it says. */
  readonly agent: { readonly name: string; readonly version: string };
  /** From the root to the leaf, each read when its turn comes. May be asked for again, last for all of them. */
  entries(): AsyncIterable<SessionEntry>;
  /** All lines of the log, with those of other branches, as they are; without their newlines. */
  lines(): AsyncIterable<string>;
  /** Whether the last of them has a newline. */
  readonly endsWithNewline: boolean;
}

/** Where a session in another format goes, and who hears what became of its entries: each has one fate. */
export interface SessionSink {
  /** A record of a format that has one JSON object per line. */
  line(record: JsonObject): Promise<void>;
  /** A piece of a format that has not. */
  text(text: string): Promise<void>;
  /** Keeps bytes in a file beside the output and gives its path from there; absent where the output is no file. */
  readonly asset?: (bytes: Buffer, extension: string) => string;
  count(fate: Fate): void;
  loss(code: string, severity: LossSeverity, line: number, id?: string): void;
}

export interface WriteOptions {
  /** Keep the log itself in the output, from which the way back restores it. */
  readonly embed: boolean;
}

/** `info` changes nothing that the model saw. */
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
  /** The source's own id of it. */
  readonly id: string;
  /** The id that it has in its native form. */
  readonly nativeId: string;
  /** The file that has it, as `open` takes it; the log itself where undefined. */
  readonly path?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly toolCallId?: string;
  /** It stands beside the one that was converted, and is no part of its work. */
  readonly isSibling?: true;
  /** It is part of its work, and in the log itself. */
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
  readonly counts: Readonly<Record<'records' | Fate, number>>;
  readonly losses: readonly Loss[];
  /** What a conversion back would give. */
  readonly roundtrip: 'exact' | 'semantic' | 'text-only';
  readonly sessions: readonly RelatedSession[];
}

/** A session in a database, as the native lines that its rows are. */
export interface NativeRows {
  readonly id: string;
  /** The id that it has in its native form. */
  readonly nativeId?: string | undefined;
  lines(): AsyncGenerator<Buffer>;
}

/** Every record of a log becomes an entry or part of one, or is kept as a custom entry, or is dropped and counted. */
export type Fate = 'mapped' | 'merged' | 'custom' | 'dropped';

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

/** No other known format looks like this; or another might, and what must not guess asks for `--from`. */
export type Certainty = 'certain' | 'probable';

/** A log format: how to recognize it, and what its records mean. Nobody else knows its field names. */
export interface LogFormat {
  readonly id: string;
  /** With an article, for 'looks like a Codex rollout'. */
  readonly title: string;
  /** What several of them are called with an s, for '4 Codex rollouts'. */
  readonly noun: string;
  /** What is read of it, for people; JSONL where undefined. */
  readonly files?: string;
  /** Whether a file that starts like this has the format. */
  detect(head: Head): Certainty | undefined;
  /** The folders where the program keeps its logs, given the variables of the environment. */
  readonly locations?: (env: Readonly<Record<string, string | undefined>>) => readonly string[];
  /** The names of the files there that are logs; those of JSONL where undefined. */
  readonly logNames?: RegExp;
  /** The command of its agent that goes on with a session; absent where no agent does. */
  readonly resume?: (session: Pick<ResumableSession, 'id' | 'cwd'>) => ResumeCommand;
  /** Only a user who takes turns back makes branches, so that none of them is work that was lost. */
  readonly takesBack?: true;
  /** A fork has its messages under new ids, as they were and at the times that they had. */
  readonly forksHaveNewIds?: true;
  /** Whether a file that starts like this is no JSONL, but a document or a database. */
  readonly isDocument?: (head: Head) => boolean;
  /**
   * How the records of such a file are read, so that they can be checked; `chunks` are the bytes of the source. Of a
   * database those of the session that is wanted, else of the newest.
   */
  readonly records?: (
    source: LogSource,
    chunks: AsyncIterable<Uint8Array>,
    onDamage: OnDamage,
    session?: string,
  ) => AsyncGenerator<Iterable<SourceRecord>>;
  /** The sessions of a database whose rows are native lines, which are checked as those are; the newest last. */
  readonly nativeSessions?: (source: LogSource) => Promise<readonly NativeRows[]>;
  /** How its records are checked and repaired; absent for a format that is not. */
  readonly checks?: () => Promise<RecordChecks>;
  /** Reads of its lines what `stats` counts; of a format without it, the native form is read. */
  readonly activity?: () => Promise<(activity: Activity) => ActivityReader>;
  /** Gives the log in its native form; absent for a format that is only recognized. Readers work on what it gives. */
  readonly toNative?: (source: LogSource, sink: NativeSink, options: ConversionOptions) => Promise<void>;
  /** Writes a session in this format, and says what a conversion back would give; absent for one that is only read. */
  readonly fromNative?: (
    session: NativeSession,
    sink: SessionSink,
    options: WriteOptions,
  ) => Promise<ConversionReport['roundtrip']>;
  /** How often `fromNative` reads the entries at most; once where undefined. */
  readonly readings?: number;
  /** How the names of its files end, where that is not jsonl. */
  readonly extension?: string;
  /** What it writes can hold the log itself, for `--embed`. */
  readonly embeds?: true;
}

/** Beyond this the start of a file is not joined to be read as one document. */
const LONGEST_DOCUMENT = 16 * 1024 * 1024;

/** The start of a file, as the formats look at it. */
export class Head {
  /** The first bytes, one to a character. */
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

  /** All of it, as far as it was looked at. */
  get text(): string {
    const isShort = this.#lines.reduce((sum, line) => sum + line.length, 0) <= LONGEST_DOCUMENT;
    this.#text ??= isShort
      ? this.#lines.map((line) => line.text).join('\n')
      : this.firstText.slice(0, LONGEST_DOCUMENT);
    return this.#text;
  }

  /** The whole file where it is one JSON value, on one line or on many. */
  get document(): unknown {
    // Two objects are no one value.
    const isOne = this.#lines.length === 1 || this.first === undefined;
    this.#document ??= { value: isOne ? this.#readDocument() : undefined };
    return this.#document.value;
  }

  #readDocument(): unknown {
    if (this.#lines.length === 1) return this.values[0];
    return /^\s*[[{]/.test(this.firstText) ? parseJson(this.text) : undefined;
  }

  /** Starts as one JSON value that goes on over the lines. */
  get isDocument(): boolean {
    if (this.document !== undefined) return true;
    return /^\s*[[{]\s*("([^"\\]|\\.)*"\s*(:.*)?)?$/s.test(this.firstText) && this.values[0] === undefined;
  }

  /** Whether the document has all of these keys. If it is too long to be read whole, its start is searched for them. */
  documentHas(...keys: readonly string[]): boolean {
    const { document } = this;
    if (isObject(document)) return keys.every((key) => Object.hasOwn(document, key));
    return document === undefined && this.isDocument && keys.every((key) => this.text.includes(`"${key}":`));
  }
}

/** Whether a value is an object with members of these kinds; `any` has to be there, `absent` must not. */
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

/** The type of the first entry of a converted session: it says what that was made from, as omp does. */
export const STAMP = 'foreign_session_import';
