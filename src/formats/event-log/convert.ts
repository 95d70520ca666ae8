import type { JsonObject } from '../../json/value.ts';
import { countingSource } from '../counting-source.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink } from '../format.ts';
import { NativeWriter } from '../native-writer.ts';
import { inSequence, type SequencePass } from '../sequence.ts';
import { artifactText } from './artifacts.ts';
import { Conversion } from './conversion.ts';
import { seqOf, textOf } from './event.ts';

/** Gives an event log in its native form. Snapshots are not read: the events say what happened. */
export async function convertEventLog(
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
    const id = textOf(first['sessionId']);
    const writer = new NativeWriter(format, source, sink, options, id);
    for (const one of damage.splice(0)) writer.damaged(...one);
    return { writer, conversion: new Conversion(writer, options, id, (ref) => artifactText(source, ref, id)) };
  };
  let isExact = options.keep !== 'none';
  const onDamage = (...one: Parameters<NativeWriter['damaged']>): void => {
    isExact = false;
    if (begun) begun.writer.damaged(...one);
    else damage.push(one);
  };
  for await (const record of pass.records(source, counted.chunks, onDamage)) {
    begun ??= begin(record.value);
    const pending = begun.conversion.handle(record);
    if (pending) await pending;
  }
  const { writer, conversion } = begun ?? begin({});
  await conversion.end();
  writer.end(
    conversion.facts,
    counted.facts(),
    isExact && conversion.isExact && !pass.isReordered ? 'exact' : 'semantic',
  );
}
