import { BYTE_ORDER_MARK, type Damage, type LineContent, readContent } from '../../entries/damage.ts';
import { isHeader, isTitleSlot, versionOf } from '../../entries/envelope-check.ts';
import { applySplices, changeMembers, findMember, type Member, skipSpace } from '../../json/text.ts';
import { isObject, type JsonObject, parseObject } from '../../json/value.ts';
import type { Line } from '../../lines/line.ts';
import { readLineBatches, readLines } from '../../lines/reader.ts';
import { LogError } from '../../util/errors.ts';
import type { Symbols } from '../../util/symbols.ts';
import { shortJson } from '../../util/to-json.ts';
import type { LogFormat, LogSource, NativeSink } from '../format.ts';
import type { Detection } from '../index.ts';
import { type IdScheme, skimIds } from './ids.ts';
import { type MemberChanges, Version1To2 } from './v1-to-v2.ts';

export type TargetVersion = 2 | 3;

/** Something that could not be migrated as it was meant. */
export interface MigrateWarning {
  readonly line: number;
  readonly message: string;
}

export interface MigrateOptions {
  /** The name of the log in messages. */
  readonly name: string;
  /** 3 by default. */
  readonly to?: TargetVersion;
  /** `stable` by default. */
  readonly ids?: IdScheme;
  /** For random ids, and for the tables of ids. */
  readonly random: (bytes: number) => Uint8Array;
  /** The ids in use, from `skimIds`. Without them a log in which only some entries have ids may be refused half-way. */
  readonly taken?: Symbols | undefined;
  readonly onWarning?: (warning: MigrateWarning) => void;
  /**
   * For readers: called with a damaged line, which stays as it is; without this it is refused. The line still counts
   * for the entries that it must have held, so that a later firstKeptEntryIndex finds its entry.
   */
  readonly onDamage?: (line: Line, damage: Damage | 'byte-order-mark') => void;
  /** For readers: the version of a log without a header; without this such a log is refused. */
  readonly headerless?: 1 | 2 | 3;
}

export class Migration {
  readonly #options: MigrateOptions;
  readonly #to: TargetVersion;
  /** The version in the header, once that is read. */
  #from: 1 | 2 | 3 | undefined;
  #toVersion2: Version1To2 | undefined;
  #ending: '\n' | '\r\n' = '\n';
  #isTerminated = true;

  constructor(options: MigrateOptions) {
    this.#options = options;
    this.#to = options.to ?? 3;
  }

  get #isNeeded(): boolean {
    return this.#from !== undefined && this.#from < this.#to;
  }

  /** Whether a line that is too long to hold is copied as it is: it may not be an entry that needs an id. */
  get passesOversize(): boolean {
    return this.#from !== undefined && this.#toVersion2 === undefined;
  }

  /** The migrated line, without its newline; the same string where nothing changes. */
  line(line: Line): string {
    this.#isTerminated = line.terminated;
    if (line.terminated) this.#ending = line.ending === '\r\n' ? '\r\n' : '\n';
    if (line.oversize > 0) this.#oversize(line);
    if (line.oversize > 0 || line.blank) return line.raw;
    const value = line.wellFormed ? parseObject(line.raw) : undefined;
    if (!value) this.#damaged(line);
    if (!value || isTitleSlot(value)) return line.raw;
    if (this.#from === undefined) this.#begin(isHeader(value) ? value : undefined);
    if (!this.#isNeeded) return line.raw;
    const changes: MemberChanges = new Map();
    if (!isHeader(value)) {
      this.#toVersion2?.entry(value, line, changes);
      return changeMembers(this.#to >= 3 ? renamedRole(line.raw, value) : line.raw, value, changes);
    }
    this.#toVersion2?.header(line.encoding === 'ascii' ? value : (JSON.parse(line.text) as JsonObject));
    if (value['version'] !== this.#to) changes.set('version', String(this.#to));
    return changeMembers(line.raw, value, changes);
  }

  /** The missing newline at the end of a migrated log. */
  end(): '' | '\n' | '\r\n' {
    if (this.#from === undefined) throw this.#refusal(`has no header; run 'sessionctl repair' first`);
    this.#toVersion2?.end();
    return this.#isNeeded && !this.#isTerminated ? this.#ending : '';
  }

  /** A lost header still counts as the first line of the log, unless a damaged line is in its place. */
  #begin(header: JsonObject | undefined, isCounted = true): void {
    const { headerless } = this.#options;
    if (!header && headerless === undefined)
      throw this.#refusal(`has no header before its first entry; run 'sessionctl repair' first`);
    const { version, known } = versionOf(header ?? { version: headerless });
    if (!known)
      throw this.#refusal(
        `has version ${shortJson(header?.['version'])}; only versions 1, 2 and 3 are known, so nothing was migrated`,
      );
    if (version > this.#to)
      throw this.#refusal(`already has version ${version}; it cannot be downgraded to version ${this.#to}`);
    this.#from = version;
    if (version !== 1) return;
    this.#toVersion2 = new Version1To2(this.#options, (what) => this.#refusal(what));
    if (!header && isCounted) this.#toVersion2.header({});
  }

  #damaged(line: Line): void {
    const content = readContent(line, this.#from);
    const isMarked = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK);
    const damage = isMarked ? 'byte-order-mark' : (content.damage ?? 'not-json');
    const { onDamage, headerless } = this.#options;
    if (!onDamage) throw this.#refusal(`line ${line.number} is damaged (${damage}); run 'sessionctl repair' first`);
    onDamage(line, damage);
    const header = this.#from === undefined ? content.objects.find(({ value }) => isHeader(value))?.value : undefined;
    if (header || (this.#from === undefined && headerless !== undefined)) this.#begin(header, false);
    if (header) this.#toVersion2?.header(header);
    this.#toVersion2?.lost(lostEntries(content) - (header ? 1 : 0));
  }

  #oversize(line: Line): void {
    const { number } = line;
    const size = `has ${line.oversize} bytes`;
    if (this.#options.onDamage) {
      this.#options.onDamage(line, 'oversize-line');
      this.#toVersion2?.lost(1);
      return;
    }
    if (this.#from === undefined) throw this.#refusal(`line ${number} ${size} and comes before the header`);
    if (this.#toVersion2)
      throw this.#refusal(`line ${number} ${size}, which is too long for an entry that needs an id`);
    if (this.#isNeeded) this.#options.onWarning?.({ line: number, message: `${size} and was passed through unread` });
  }

  #refusal(what: string): LogError {
    return new LogError(this.#options.name, what, 'DAMAGED');
  }
}

/** The number of entries that a damaged line must have held. */
function lostEntries({ damage, objects }: LineContent): number {
  return damage === 'not-json' || damage === 'not-an-object' ? 0 : Math.max(1, objects.length);
}

/** Version 3 calls the role hookMessage custom; nothing else is new. */
function renamedRole(raw: string, { type, message }: JsonObject): string {
  if (type !== 'message' || !isObject(message) || message['role'] !== 'hookMessage') return raw;
  const open = findMember(raw, skipSpace(raw, 0), 'message')?.valueStart as number;
  const { valueStart: start, valueEnd: end } = findMember(raw, open, 'role') as Member;
  return applySplices(raw, [{ start, end, text: '"custom"' }]);
}

/** The version in the header, which is checked when the lines are migrated. */
export async function versionIn(chunks: AsyncIterable<Uint8Array>): Promise<1 | 2 | 3> {
  for await (const line of readLines(chunks)) {
    if (line.blank) continue;
    const value = parseObject(line.raw.replace(BYTE_ORDER_MARK, ''));
    if (value && isTitleSlot(value)) continue;
    return value !== undefined && isHeader(value) ? versionOf(value).version : 3;
  }
  return 3;
}

/**
 * The migrated bytes of a log, some lines at a time; before a refusal, the lines before it. A line that is too long to
 * hold is passed in pieces to `writeNow`, after the bytes before it; without `writeNow` it is held.
 */
export async function* migratedBytes(
  chunks: AsyncIterable<Uint8Array>,
  migration: Migration,
  detection: Pick<Detection, 'pass' | 'end'>,
  writeNow?: (bytes: Buffer) => Promise<void>,
): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  const write = writeNow ?? (async (bytes: Buffer): Promise<void> => void waiting.push(bytes));
  const onOversizePiece = async (piece: Buffer): Promise<void> => {
    for (const bytes of migrateLines(detection.end(), migration)) await write(bytes);
    if (migration.passesOversize) await write(Buffer.from(piece));
  };
  for await (const lines of readLineBatches(chunks, { onOversizePiece })) {
    yield* waiting;
    waiting = [];
    yield* migrateLines(detection.pass(lines), migration);
  }
  yield* waiting;
  yield* migrateLines(detection.end(), migration);
  yield Buffer.from(migration.end(), 'latin1');
}

function* migrateLines(lines: readonly Line[], migration: Migration): Generator<Buffer> {
  let raw = '';
  try {
    for (const line of lines) raw += migration.line(line) + (line.terminated ? '\n' : '');
  } finally {
    if (raw !== '') yield Buffer.from(raw, 'latin1');
  }
}

/** How often the migration reads a log: version 1 needs new ids, which must differ from those in the log. */
export function passesOf(version: 1 | 2 | 3): number {
  return version === 1 ? 2 : 1;
}

export async function migrationFor(
  { name, random, chunks, willRead }: LogSource,
  version: 1 | 2 | 3,
  sink: NativeSink,
  options: Pick<MigrateOptions, 'onDamage' | 'headerless'>,
): Promise<Migration> {
  willRead?.(passesOf(version));
  const onWarning = ({ line, message }: MigrateWarning): void => sink.warn(line, message);
  const taken = version === 1 ? await skimIds(chunks(), random(8)) : undefined;
  return new Migration({ name, random, taken, onWarning, ...options });
}

export function olderVersion(version: 1 | 2): Required<Pick<LogFormat, 'toNative'>> {
  return {
    toNative: async (source, sink) => {
      let damaged = 0;
      const onDamage: MigrateOptions['onDamage'] = (line, damage) => {
        damaged = line.number;
        sink.leftOut(line.number, damage);
      };
      const migration = await migrationFor(source, version, sink, { onDamage, headerless: version });
      for await (const line of readLines(source.chunks())) {
        const raw = migration.line(line);
        if (damaged !== line.number) sink.line(raw, line.number);
      }
    },
  };
}
