import { stringOf } from '../../entries/entry-type.ts';
import { asString, isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { hashUuid } from '../../util/uuid.ts';
import { countingSource } from '../counting-source.ts';
import { DamageBuffer } from '../damage-buffer.ts';
import { readDocument } from '../document.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink, OnDamage, SourceRecord } from '../format.ts';
import { LongTexts } from '../long-texts.ts';
import { NativeWriter } from '../native-writer.ts';
import { countedRecords, readRecords } from '../records.ts';
import { CodexConversion } from './conversion.ts';
import type { Meta } from './envelope.ts';
import { findRollout, titleFromIndex } from './near.ts';

/** Texts that are copied without parsing, but for their start: results of tools, and encrypted content. */
const UNPARSED_TEXTS = /"(?:encrypted_content|output|aggregated_output|formatted_output|stdout|stderr)":$/;

/** Converts a rollout of any version, in one pass. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const texts = new LongTexts(source, UNPARSED_TEXTS);
  const damage = new DamageBuffer();
  const begin = (first: JsonObject, line = 0) => {
    const meta = metaOf(first);
    // Without its header a session is known by its first record.
    const id = meta?.id ?? (line > 0 ? hashUuid(texts.wholeJson(JSON.stringify(first))) : '');
    const writer = damage.attach(new NativeWriter(format, source, sink, options, id, texts));
    if (!meta) writer.loss('HEADER_MISSING', 'damaged', line);
    return {
      id,
      meta,
      writer,
      conversion: new CodexConversion(writer, options, meta, (id) => findRollout(source, id)),
    };
  };
  let begun: ReturnType<typeof begin> | undefined;
  let started: string | undefined;
  const input = await inputOf(source, damage.onDamage, texts);
  for await (const records of input.batches) {
    for (const record of records) {
      if (!begun) {
        begun = begin(record.value, record.line);
        const base = begun.meta?.payload['history_base'];
        if (isObject(base)) await inherit(source, base, { ...begun, seen: new Set([begun.meta?.id ?? '']) });
      }
      started ??= asString(record.value['timestamp']);
      const pending = begun.conversion.handle(record);
      if (pending) await pending;
    }
  }
  const { id, meta, writer, conversion } = begun ?? begin({});
  conversion.end();
  const payload: JsonObject = meta?.payload ?? {};
  const { title, cwd } = conversion.facts;
  const startedBy = stringOf(payload['parent_thread_id']) || undefined;
  const named = id === '' ? undefined : await titleFromIndex(source, id);
  writer.end(
    {
      id,
      time: stringOf(payload['timestamp']) || started,
      cwd,
      title: named ?? title,
      parent: stringOf(payload['forked_from_id']) || startedBy,
      subagentOf: startedBy,
      formatVersion: stringOf(payload['cli_version']) || undefined,
    },
    input.facts(),
  );
}

/** The session in the first record: in an envelope, or bare in older versions. */
function metaOf(record: JsonObject): Meta | undefined {
  const { type, payload, id, timestamp } = record;
  const own = type === 'session_meta' && isObject(payload) ? payload : type === undefined && id ? record : undefined;
  if (!own || typeof own['id'] !== 'string') return undefined;
  return { id: own['id'], payload: own, time: stringOf(own['timestamp']) || stringOf(timestamp) || undefined };
}

interface Inheritance {
  readonly conversion: CodexConversion;
  readonly writer: NativeWriter;
  readonly seen: Set<string>;
}

/** Reads the rollout that a fork continues, up to the fork. */
async function inherit(source: LogSource, base: JsonObject, to: Inheritance): Promise<void> {
  const id = stringOf(base['thread_id']);
  const path = to.seen.has(id) ? undefined : await findRollout(source, id);
  const file = path === undefined ? undefined : await source.open(path);
  if (!file) {
    to.writer.loss('MISSING_BASE', 'damaged', 1, id);
    return;
  }
  to.seen.add(id);
  const { end_ordinal_exclusive: lastOrdinal, end_byte_offset: lastByte } = base;
  const isBeyond = ({ value, offset }: SourceRecord): boolean =>
    (typeof lastByte === 'number' && offset >= lastByte) ||
    (typeof lastOrdinal === 'number' && typeof value['ordinal'] === 'number' && value['ordinal'] >= lastOrdinal);
  const damaged = (line: number): void => to.writer.loss('DAMAGED_BASE', 'damaged', 1, `${id}:${line}`);
  try {
    let isFirst = true;
    for await (const records of readRecords(file.chunks(), damaged)) {
      for (const record of records) {
        const own = isFirst ? metaOf(record.value)?.payload['history_base'] : undefined;
        isFirst = false;
        if (isObject(own)) await inherit(file, own, to);
        if (isBeyond(record)) return;
        to.conversion.inherits = true;
        await to.conversion.handle(record);
      }
    }
  } finally {
    to.conversion.settle();
    to.conversion.inherits = false;
    await file.close();
  }
}

/** The records of a rollout; the first versions wrote one JSON document with a list of items. */
async function inputOf(
  source: LogSource,
  onDamage: OnDamage,
  texts: LongTexts,
): Promise<ReturnType<typeof countedRecords>> {
  const start = Buffer.alloc(256);
  const head = start.toString('latin1', 0, await source.readAt(start, 0));
  if (!/^\s*\{\s*(?:$|"(?:session|items)"\s*:)/.test(head)) return countedRecords(source, onDamage, texts);
  const { chunks, facts } = countingSource(source);
  return { batches: documentRecords(source, chunks, onDamage), facts };
}

async function* documentRecords(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
): AsyncGenerator<Iterable<SourceRecord>> {
  let isFirst = true;
  for await (const records of readDocument(source, chunks, 'items', onDamage)) {
    if (isFirst) yield [...records].map((one) => ({ ...one, value: objectOf(one.value['session']) }));
    else yield records;
    isFirst = false;
  }
}
