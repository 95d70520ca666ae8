import { BYTE_ORDER_MARK, type Damage, type LineContent, readContent } from '../../entries/damage.ts';
import { isHeader, isTitleSlot, versionOf } from '../../entries/envelope-check.ts';
import { LineEdit } from '../../json/line-edit.ts';
import { type JsonObject, parseObject } from '../../json/value.ts';
import type { Line } from '../../lines/line.ts';
import { AppError } from '../../util/errors.ts';
import type { Symbols } from '../../util/symbols.ts';
import { shortJson } from '../../util/to-json.ts';
import { IdMint, type IdScheme } from './mint.ts';
import { type MigrateWarning, Version1To2 } from './v1-to-v2.ts';
import { entryToVersion3 } from './v2-to-v3.ts';

export type TargetVersion = 2 | 3;

export interface MigrateOptions {
  /** What messages call the log. */
  readonly name: string;
  /** 3 unless told. */
  readonly to?: TargetVersion;
  /** `stable` unless told. */
  readonly ids?: IdScheme;
  /** For random ids, and for the tables of ids. */
  readonly random: (bytes: number) => Uint8Array;
  /** The ids of the whole log, from `skimIds`. Without them a log that has both ids and entries without one may be refused half-way. */
  readonly taken?: Symbols;
  readonly onWarning?: (warning: MigrateWarning) => void;
  /**
   * For readers: a damaged line is told here and passes as it came, and the log goes on; without this it is refused. The
   * line still counts for what it must have held, so that a firstKeptEntryIndex behind it finds its entry.
   */
  readonly onDamage?: (line: Line, damage: Damage | 'byte-order-mark') => void;
  /** For readers: the version of a log whose header is lost; without this such a log is refused. */
  readonly headerless?: 1 | 2 | 3;
}

/** The number of entries that a damaged line stood for. */
function lostEntries(content: LineContent): number {
  if (content.damage === 'not-json' || content.damage === 'not-an-object') return 0;
  return Math.max(1, content.objects.length);
}

/** Takes the lines of a log one by one, in order, and gives each as the newer version has it. */
export class Migration {
  readonly #options: MigrateOptions;
  readonly #to: TargetVersion;
  #from: 1 | 2 | 3 | undefined;
  #toVersion2: Version1To2 | undefined;
  #ending: '\n' | '\r\n' = '\n';
  #isTerminated = true;

  constructor(options: MigrateOptions) {
    this.#options = options;
    this.#to = options.to ?? 3;
  }

  /** The log's own version, once its header was seen. */
  get from(): 1 | 2 | 3 | undefined {
    return this.#from;
  }

  /** Whether the log is of an older version than wanted. */
  get isNeeded(): boolean {
    return this.#from !== undefined && this.#from < this.#to;
  }

  /** Whether a line that is too long to be held may pass as it is: an entry that needs an id may not. */
  get passesOversize(): boolean {
    return this.#from !== undefined && this.#toVersion2 === undefined;
  }

  /** The line's new bytes, without its newline; the same string where nothing changes. An oversize line has none. */
  line(line: Line): string {
    this.#isTerminated = line.terminated;
    if (line.terminated) this.#ending = line.ending === '\r\n' ? '\r\n' : '\n';
    const { raw } = line;
    const value = parseObject(raw);
    if (!value || !line.wellFormed) return this.#unreadable(line);
    if (isTitleSlot(value)) return raw;
    if (isHeader(value)) return this.#header(line, value);
    if (this.#from === undefined) this.#beginWithoutHeader(true);
    if (!this.isNeeded) return raw;
    const edit = new LineEdit(raw, value);
    this.#toVersion2?.entry(edit, line);
    if (this.#to >= 3) entryToVersion3(edit);
    return edit.finish();
  }

  /** What has to follow the last line: a migrated log ends with a newline. */
  end(): '' | '\n' | '\r\n' {
    if (this.#from === undefined) throw this.#refusal(`has no header; run 'sessionctl repair' first`);
    this.#toVersion2?.end();
    return this.isNeeded && !this.#isTerminated ? this.#ending : '';
  }

  #header(line: Line, value: JsonObject): string {
    if (this.#from === undefined) this.#begin(value);
    if (!this.isNeeded) return line.raw;
    this.#toVersion2?.header(line.encoding === 'ascii' ? value : (JSON.parse(line.text) as JsonObject));
    const edit = new LineEdit(line.raw, value);
    if (value['version'] !== this.#to) edit.set('version', String(this.#to));
    return edit.finish();
  }

  #begin(header: JsonObject): void {
    const { version, known } = versionOf(header);
    if (!known) {
      throw this.#refusal(
        `has version ${shortJson(header['version'])}; only versions 1, 2 and 3 are known, so nothing was migrated`,
      );
    }
    if (version > this.#to)
      throw this.#refusal(`already has version ${version}; it cannot be downgraded to version ${this.#to}`);
    this.#from = version;
    if (version !== 1 || !this.isNeeded) return;
    this.#toVersion2 = new Version1To2({
      mint: new IdMint(this.#options.ids ?? 'stable', this.#options.random, this.#options.taken),
      random: this.#options.random,
      onWarning: this.#options.onWarning ?? (() => {}),
      onConflict: (number, id) => {
        throw this.#refusal(
          `line ${number} has the id '${id}', which was just assigned to an earlier entry; try another --ids`,
        );
      },
    });
  }

  /** The header still counts as the first line of the log; where a damaged line stands in its place, that line does. */
  #beginWithoutHeader(isLost: boolean): void {
    const version = this.#options.headerless;
    if (version === undefined)
      throw this.#refusal(`has no header before its first entry; run 'sessionctl repair' first`);
    this.#begin({ version });
    if (isLost) this.#toVersion2?.header({});
  }

  #unreadable(line: Line): string {
    if (line.oversize > 0) return this.#oversize(line);
    if (line.blank) return line.raw;
    const content = readContent(line, this.#from);
    const damage =
      line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? 'byte-order-mark' : (content.damage ?? 'not-json');
    if (!this.#options.onDamage)
      throw this.#refusal(`line ${line.number} is damaged (${damage}); run 'sessionctl repair' first`);
    this.#options.onDamage(line, damage);
    const header = this.#from === undefined ? content.objects.find(({ value }) => isHeader(value))?.value : undefined;
    if (header) this.#begin(header);
    else if (this.#from === undefined && this.#options.headerless !== undefined) this.#beginWithoutHeader(false);
    if (header) this.#toVersion2?.header(header);
    this.#toVersion2?.lost(lostEntries(content) - (header ? 1 : 0));
    return line.raw;
  }

  #oversize(line: Line): string {
    if (this.#options.onDamage) {
      this.#options.onDamage(line, 'oversize-line');
      this.#toVersion2?.lost(1);
      return '';
    }
    if (this.#from === undefined)
      throw this.#refusal(`line ${line.number} has ${line.oversize} bytes and comes before the header`);
    if (this.#toVersion2)
      throw this.#refusal(
        `line ${line.number} has ${line.oversize} bytes, which is too long for an entry that needs an id`,
      );
    if (this.isNeeded)
      this.#options.onWarning?.({
        line: line.number,
        message: `has ${line.oversize} bytes and was passed through unread`,
      });
    return '';
  }

  #refusal(what: string): AppError {
    return new AppError(`${this.#options.name}: ${what}`);
  }
}
