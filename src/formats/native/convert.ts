import { hash } from 'node:crypto';
import { BYTE_ORDER_MARK, readContent } from '../../entries/damage.ts';
import { DialectDetector } from '../../entries/dialect.ts';
import { stringOf } from '../../entries/entry-type.ts';
import { isHeader, isTitleSlot } from '../../entries/envelope-check.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import { changeMembers, findMember, skipSpace } from '../../json/text.ts';
import { type JsonObject, parseObject } from '../../json/value.ts';
import { decodeUtf8, Line } from '../../lines/line.ts';
import { readLineBatches } from '../../lines/reader.ts';
import { LogError } from '../../util/errors.ts';
import { countingSource } from '../counting-source.ts';
import type { ConversionOptions, ConversionOutcome, LogFormat, LogSource, NativeSink } from '../format.ts';
import { Losses, totalCounts } from '../losses.ts';
import { inDialect } from './dialects.ts';
import { type Migration, migrationFor, versionIn } from './migration.ts';
import { fromSeed000 } from './seed-000.ts';

/** A name of the session: its JSON text, and the string. */
interface Title {
  readonly text: string;
  readonly value: string;
}

/** Converts between the dialects of pi and omp. What both write alike stays byte for byte. */
export const nativeLog: Required<Pick<LogFormat, 'toNative'>> = {
  toNative: async (source, sink, options) => {
    const version = await versionIn(source.start());
    const conversion = new DialectConversion(source, sink, options);
    const onDamage = (line: Line): void => conversion.damaged(line);
    const migration = version < 3 ? await migrationFor(source, version, sink, { onDamage }) : undefined;
    const { chunks, facts } = countingSource(source);
    for await (const lines of readLineBatches(chunks)) {
      for (const line of lines) if (!line.blank) conversion.line(line, migration);
    }
    conversion.end(version, facts());
  },
};

class DialectConversion {
  readonly #source: LogSource;
  readonly #sink: NativeSink;
  readonly #options: ConversionOptions;
  readonly #counts: Record<ConversionOutcome, number> = { mapped: 0, merged: 0, custom: 0, dropped: 0 };
  readonly #losses = new Losses();
  readonly #watch = new DialectDetector();
  #header: { readonly raw: string; readonly value: JsonObject } | undefined;
  #slot: { readonly raw: string; readonly title: Title | undefined } | undefined;
  /** The name in the last entry that has one. */
  #named: Title | undefined;
  #isNamedByPi = false;
  #last: { readonly value: JsonObject; readonly line: number } | undefined;
  #isChanged = false;

  constructor(source: LogSource, sink: NativeSink, options: ConversionOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
  }

  line(original: Line, migration: Migration | undefined): void {
    const line = original.number === 1 ? unmarked(original) : original;
    const isReadable = line.oversize === 0 && line.wellFormed;
    // The migration reports damaged lines itself.
    const found = migration ? migration.line(line) : line.raw;
    const spelled = isReadable ? parseObject(found) : undefined;
    const raw = spelled ? fromSeed000(found, spelled) : found;
    const value = raw === found ? spelled : parseObject(raw);
    if (!value) {
      if (!migration) this.damaged(line);
      return;
    }
    this.#watch.add(value);
    if (isTitleSlot(value) && !this.#slot && !this.#header) this.#slot = { raw, title: titleIn(raw, value, 'title') };
    else if (isHeader(value) && !this.#header) this.#header = { raw, value };
    else this.#entry(raw, value, line.number);
  }

  damaged(line: Line): void {
    const { damage = 'not-json', objects } = readContent(line, undefined);
    this.#sink.leftOut(line.number, damage);
    this.#counts.dropped += Math.max(1, objects.length);
    this.#losses.add('DAMAGED_LINE', 'damaged', line.number);
  }

  #entry(raw: string, value: JsonObject, line: number): void {
    const { raw: converted, outcome, losses } = inDialect(raw, value, line, this.#options);
    for (const [code, severity] of losses) this.#losses.add(code, severity, line, decodeUtf8(String(value['id'])));
    this.#counts[outcome]++;
    this.#isChanged ||= outcome === 'custom' || losses.length > 0;
    this.#sink.line(converted, line);
    const key = entryTypeOf(value['type'])?.titleKey;
    if (key !== undefined) {
      this.#named = titleIn(raw, value, key) ?? { text: '""', value: '' };
      this.#isNamedByPi = value['type'] === 'session_info';
    }
    this.#last = { value, line };
  }

  /** Writes the head, and the name as a last entry where pi expects it. */
  end(version: number, source: { readonly sha256: string; readonly bytes: number }): void {
    if (!this.#header) {
      const isEmpty = totalCounts(this.#counts).records === 0;
      const what = isEmpty ? 'is empty; there is nothing to convert' : "has no header; run 'sessionctl repair' first";
      throw new LogError(this.#source.name, what);
    }
    const head = this.#options.dialect === 'pi' ? this.#headOfPi(this.#header) : this.#headOfOmp(this.#header);
    this.#sink.head(head);
    this.#sink.report({
      source: { format: this.#watch.dialect ?? 'native', version: String(version), ...source },
      session: stringOf(this.#header.value['id']),
      counts: totalCounts(this.#counts),
      losses: this.#losses.list,
      roundtrip: this.#isChanged ? 'semantic' : 'exact',
      sessions: [],
    });
  }

  #headOfPi({ raw, value }: { readonly raw: string; readonly value: JsonObject }): string[] {
    this.#counts.mapped++;
    if (this.#slot) this.#counts.merged++;
    const title = this.#slot?.title ?? (this.#named === undefined ? titleIn(raw, value, 'title') : undefined);
    if (title && title.value !== this.#named?.value) this.#name(title, value);
    const removed = ['title', 'titleSource'].filter((key) => Object.hasOwn(value, key));
    return [changeMembers(raw, value, new Map(removed.map((key) => [key, undefined])))];
  }

  #headOfOmp({ raw, value }: { readonly raw: string; readonly value: JsonObject }): string[] {
    this.#counts.mapped += this.#slot ? 2 : 1;
    const named = this.#isNamedByPi ? this.#named : undefined;
    const isNew = named && named.value !== value['title'];
    const title = isNew ? new Map([['title', named.text]]) : new Map();
    return [...(this.#slot ? [this.#slot.raw] : []), changeMembers(raw, value, title)];
  }

  /** For pi the last session_info has the name. */
  #name({ text }: Title, header: JsonObject): void {
    const { value, line } = this.#last ?? { value: header, line: 1 };
    const parentId = this.#last ? value['id'] : null;
    const key = ['session_info', header['id'], parentId].map(String).join('\0');
    const id = hash('sha256', key, 'hex').slice(0, 16);
    const envelope = { type: 'session_info', id, parentId, timestamp: value['timestamp'] };
    this.#sink.line(`${JSON.stringify(envelope).slice(0, -1)},"name":${text}}`, line);
  }
}

function unmarked(line: Line): Line {
  const { number, offset, raw, terminated, encoding, oversize } = line;
  if (!raw.startsWith(BYTE_ORDER_MARK)) return line;
  return new Line(number, offset, raw.slice(BYTE_ORDER_MARK.length), terminated, encoding, oversize);
}

function titleIn(raw: string, value: JsonObject, key: string): Title | undefined {
  const title = value[key];
  if (typeof title !== 'string' || title === '') return undefined;
  const member = findMember(raw, skipSpace(raw, 0), key);
  return member && { text: raw.slice(member.valueStart, member.valueEnd), value: title };
}
