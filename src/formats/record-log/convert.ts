import type { JsonObject } from '../../json/value.ts';
import { countingSource } from '../counting-source.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink } from '../format.ts';
import { NativeWriter } from '../native-writer.ts';
import { inSequence, type SequencePass } from '../sequence.ts';
import { Conversion, seqOf } from './conversion.ts';

/** Gives a record log in its native form. */
export async function convertRecordLog(
  format: LogFormat,
  source: LogSource,
  sink: NativeSink,
  options: ConversionOptions,
): Promise<void> {
  await inSequence(seqOf, sink, (pass) => convertOnce(format, source, sink, options, pass));
}

async function convertOnce(
  format: LogFormat,
  source: LogSource,
  sink: NativeSink,
  options: ConversionOptions,
  pass: SequencePass,
): Promise<void> {
  const counted = countingSource(source);
  const damage: Parameters<NativeWriter['damaged']>[] = [];
  let begun: { readonly writer: NativeWriter; readonly conversion: Conversion } | undefined;
  const begin = (first: JsonObject) => {
    const id = typeof first['session_id'] === 'string' ? first['session_id'] : '';
    const writer = new NativeWriter(format, source, sink, options, id);
    for (const one of damage.splice(0)) writer.damaged(...one);
    return { writer, conversion: new Conversion(writer, options, id) };
  };
  const onDamage = (...one: Parameters<NativeWriter['damaged']>): void => {
    if (begun) begun.writer.damaged(...one);
    else damage.push(one);
  };
  let isExact = true;
  for await (const record of pass.records(source, counted.chunks, (...one) => {
    isExact = false;
    onDamage(...one);
  })) {
    begun ??= begin(record.value);
    begun.conversion.handle(record);
  }
  const { writer, conversion } = begun ?? begin({});
  conversion.end();
  writer.end(
    conversion.facts,
    counted.facts(),
    isExact && conversion.isExact && !pass.isReordered ? 'exact' : 'semantic',
  );
}
