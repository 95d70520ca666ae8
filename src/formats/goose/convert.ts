import type { ConversionOptions, LogFormat, LogSource, NativeSink } from '../format.ts';
import { NativeWriter } from '../native-writer.ts';
import { visibilityOf } from './blocks.ts';
import { GooseConversion } from './conversion.ts';
import { type GooseSession, openSession } from './store.ts';

export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const session = await openSession(source, options.session);
  const start = await firstVisible(session);
  const id = session.id || start.id;
  const writer = new NativeWriter(format, source, sink, options, id);
  const conversion = new GooseConversion(writer, start);
  const onDamage = (...damage: Parameters<NativeWriter['damaged']>): void => writer.damaged(...damage);
  for await (const records of session.records(onDamage)) for (const record of records) conversion.add(record);
  conversion.end();
  for (const other of session.others) writer.sibling(other);
  writer.end({ id, formatVersion: session.version, ...conversion.facts }, session.facts());
}

/** The first message that the model sees, which shows whether messages before it were compacted. */
export interface GooseStart {
  readonly id: string;
  /** The index of the summary, -1 where there is none; Infinity where the model sees no message at all. */
  readonly summary: number;
}

/** A compaction hides all messages from the model, and adds a summary that the user does not see. */
async function firstVisible(session: GooseSession): Promise<GooseStart> {
  let id = '';
  let at = 0;
  for await (const records of session.records(() => {})) {
    for (const { value } of records) {
      if (value['role'] === undefined) {
        id = typeof value['id'] === 'string' ? value['id'] : id;
        continue;
      }
      const { toAgent, toUser } = visibilityOf(value);
      if (toAgent) return { id, summary: at > 0 && !toUser ? at : -1 };
      at++;
    }
  }
  return { id, summary: Number.POSITIVE_INFINITY };
}
