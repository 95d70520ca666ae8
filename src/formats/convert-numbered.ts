import type { JsonObject } from '../json/value.ts';
import { countingSource } from './counting-source.ts';
import { DamageBuffer } from './damage-buffer.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink, OnDamage, SourceRecord } from './format.ts';
import { type HeaderFacts, NativeWriter } from './native-writer.ts';
import { inSequence, type SequencePass } from './sequence.ts';

interface NumberedConversion {
  readonly facts: HeaderFacts;
  /** A conversion back restores the whole log. */
  readonly isExact: boolean;
  handle(record: SourceRecord): Promise<void> | void;
  end(): Promise<void> | void;
}

export interface NumberedSource {
  readonly idOf: (first: JsonObject) => string;
  readonly begin: (
    writer: NativeWriter,
    options: ConversionOptions,
    id: string,
    source: LogSource,
  ) => NumberedConversion;
}

/** Converts a log whose records are numbered, in the order of the numbers. */
export async function convertNumbered(
  numbered: NumberedSource,
  format: LogFormat,
  source: LogSource,
  sink: NativeSink,
  options: ConversionOptions,
): Promise<void> {
  const convertOnce = async (pass: SequencePass): Promise<void> => {
    const counted = countingSource(source);
    const damage = new DamageBuffer();
    const begin = (first: JsonObject) => {
      const id = numbered.idOf(first);
      const writer = damage.attach(new NativeWriter(format, source, sink, options, id));
      return { writer, conversion: numbered.begin(writer, options, id, source) };
    };
    let begun: ReturnType<typeof begin> | undefined;
    let isWhole = true;
    const onDamage: OnDamage = (...one) => {
      isWhole = false;
      damage.onDamage(...one);
    };
    for await (const record of pass.records(source, counted.chunks, onDamage)) {
      begun ??= begin(record.value);
      await begun.conversion.handle(record);
    }
    const { writer, conversion } = begun ?? begin({});
    await conversion.end();
    const isExact = isWhole && conversion.isExact && !pass.isReordered;
    writer.end(conversion.facts, counted.facts(), isExact ? 'exact' : 'semantic');
  };
  await inSequence(sink, convertOnce);
}
