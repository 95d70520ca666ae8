import { countingSource } from '../../src/formats/counting-source.ts';
import type { LogFormat } from '../../src/formats/format.ts';
import { foreignFormats } from '../../src/formats/index.ts';
import { NativeWriter } from '../../src/formats/native-writer.ts';
import { readRecords } from '../../src/formats/records.ts';

/**
 * A format for tests of what is around the formats. {"toy":1} starts a log, {"toy":2} one that is only probable; then
 * {"say":"..."} is a message, {"loss":"CODE","severity":"..."} a loss, {"other":"...","file":"..."} another session, in
 * a file or, without, the lines {"in":"...","say":"..."} of this one, {"meta":...} is kept.
 */
const toy: LogFormat = {
  id: 'toy',
  title: 'a toy log',
  noun: 'toy log',
  detect: ({ first }) => (first?.['toy'] === 1 ? 'certain' : first?.['toy'] === 2 ? 'probable' : undefined),
  toNative: async (source, sink, options) => {
    let text = '';
    for await (const chunk of source.chunks()) text += Buffer.from(chunk).toString();
    const session = text.includes(`"in":"${options.session}"`) ? options.session : undefined;
    let id = session ?? 'main';
    let title: string | undefined;
    const writer = new NativeWriter(toy, source, sink, options, id);
    const { chunks, facts } = countingSource(source);
    const onDamage = (line: number, damage: string, records: number): void => writer.damaged(line, damage, records);
    for await (const records of readRecords(chunks, onDamage)) {
      for (const { value, line } of records) {
        const { toy: version, say, loss, other, file, in: inside } = value;
        const place = { line, time: 1_700_000_000_000 + line };
        if (inside !== session && version === undefined) writer.count('merged');
        else if (say !== undefined) {
          writer.message({ role: 'user', content: say }, { ...place, id: `toy-${line}` });
          writer.count('mapped');
        } else if (loss !== undefined) {
          writer.loss(String(loss), value['severity'] as 'info', line);
          writer.count('dropped');
        } else if (other !== undefined) {
          writer.related({ id: String(other), ...(file === undefined ? {} : { path: String(file) }) }, place);
          writer.count('mapped');
        } else if (version !== undefined) {
          if (typeof value['id'] === 'string') id = value['id'];
          if (typeof value['title'] === 'string') title = value['title'];
          writer.count('merged');
        } else writer.keep('meta', value, place);
      }
    }
    writer.end({ id, time: 1_700_000_000_000, cwd: '/toy', title, formatVersion: '0.1' }, facts());
  },
};

/** To be called before the program is run for the first time. */
export function addToyFormat(): void {
  foreignFormats.unshift(toy);
}
