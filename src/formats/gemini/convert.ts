import { stringOf } from '../../entries/entry-type.ts';
import { objectOf } from '../../json/value.ts';
import { countingSource } from '../counting-source.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink } from '../format.ts';
import { NativeWriter } from '../native-writer.ts';
import { GeminiConversion } from './conversion.ts';
import { LateVersions } from './late.ts';
import { isDocument, recordsOf } from './records.ts';
import { GeminiSubagents } from './subagents.ts';

/** No real log needs more passes. */
const PASSES = 3;

export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const id = await idOf(source);
  const isOne = await isDocument(source);
  const subagents = await GeminiSubagents.near(source, id);
  const late = new LateVersions();
  for (let pass = 1; ; pass++) {
    late.grew = false;
    const counted = countingSource(source);
    const writer = new NativeWriter(format, source, sink, options, id);
    const conversion = new GeminiConversion(writer, options, late, new GeminiSubagents(subagents));
    let isHeader = isOne;
    for await (const records of recordsOf(source, counted.chunks, (...damage) => writer.damaged(...damage)))
      for (const record of records) {
        if (!isOne) conversion.handle(record);
        else if (isHeader) conversion.header(record.value);
        else conversion.add(record);
        isHeader = false;
      }
    conversion.end();
    if (!isOne && id === '') writer.loss('HEADER_MISSING', 'damaged', 1);
    if (!late.grew || pass === PASSES) {
      const { isChild, ...facts } = conversion.facts;
      // The log of a subagent is in a folder that has the id of its parent.
      const parent = isChild ? /([^\\/]+)[\\/][^\\/]+$/.exec(source.name)?.[1] : undefined;
      writer.end({ id, ...facts, parent, subagentOf: parent }, counted.facts());
      return;
    }
    sink.restart();
  }
}

/** The id in the first record that has one; a checkpoint has only the name that it was saved by. */
async function idOf(source: LogSource): Promise<string> {
  for await (const records of recordsOf(source, source.chunks(), () => {}))
    for (const { value } of records) {
      const id = stringOf(value['sessionId']) || stringOf(objectOf(value['$set'])['sessionId']);
      if (id !== '') return id;
    }
  return /checkpoint-([^\\/]+)\.json$/.exec(source.name)?.[1] ?? '';
}
