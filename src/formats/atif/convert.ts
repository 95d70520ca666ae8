import { stringOf } from '../../entries/entry-type.ts';
import { isHeader } from '../../entries/envelope-check.ts';
import { isObject, type JsonObject, objectsIn, parseObject } from '../../json/value.ts';
import { encodeUtf8 } from '../../lines/line.ts';
import { countingSource } from '../counting-source.ts';
import { DamageBuffer } from '../damage-buffer.ts';
import { readDocument } from '../document.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink } from '../format.ts';
import { NativeWriter } from '../native-writer.ts';
import { chooseSession } from '../sessions.ts';
import { AtifConversion, idOf } from './conversion.ts';

/** Gives a trajectory in its native form: the log that is embedded in it, or what its steps say. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const { chunks, facts } = countingSource(source);
  const damage = new DamageBuffer();
  let root: JsonObject = {};
  let inside: ReturnType<typeof embeddedIn>;
  let conversion: AtifConversion | undefined;
  let steps = 0;
  for await (const records of readDocument(source, chunks, 'steps', damage.onDamage)) {
    for (const record of records) {
      if (conversion) {
        steps++;
        if (!inside) await conversion.step(record);
        continue;
      }
      root = record.value;
      inside = embeddedIn(root, options.session, source.name);
      const trajectory = inside?.trajectory ?? root;
      const writer = damage.attach(new NativeWriter(format, source, sink, options, idOf(trajectory)));
      conversion = new AtifConversion(writer, source, trajectory, inside?.parent);
      for (const [at, value] of objectsIn(inside?.trajectory['steps']).entries())
        await conversion.step({ value, line: at + 1 });
    }
  }
  const embedded = inside ? undefined : embeddedLog(root);
  if (embedded?.steps === steps) {
    const { sha256, bytes } = facts();
    restore(embedded, sink);
    sink.report({
      source: { format: format.id, version: stringOf(root['schema_version']), sha256, bytes },
      session: idOf(root),
      counts: { records: steps + 1, mapped: 1, merged: steps, custom: 0, dropped: 0 },
      losses: [],
      roundtrip: 'exact',
      sessions: [],
    });
    return;
  }
  if (embedded) conversion?.writer.loss('EMBED_STALE', 'ambiguous', 0);
  conversion?.end(facts());
}

/** An embedded log, as `convert --embed` writes it. */
interface Embedded {
  readonly lines: readonly string[];
  readonly steps: unknown;
  readonly endsWithNewline: boolean;
}

/** Writes the embedded log in place of the converted steps. */
function restore({ lines, endsWithNewline }: Embedded, sink: NativeSink): void {
  sink.restart();
  const first = lines.findIndex((line) => isHeader(parseObject(line) ?? {})) + 1;
  const raw = lines.map(encodeUtf8);
  sink.head(raw.slice(0, first));
  const body = raw.slice(first);
  for (const [at, line] of body.entries()) sink.line(line, 1, !endsWithNewline && at === body.length - 1);
}

function embeddedLog({ extra }: JsonObject): Embedded | undefined {
  const own = isObject(extra) ? extra['sessionctl'] : undefined;
  if (!isObject(own)) return undefined;
  const { lines, steps, endsWithNewline } = own;
  const isWhole = Array.isArray(lines) && lines.every((line) => typeof line === 'string');
  return isWhole ? { lines, steps, endsWithNewline: endsWithNewline !== false } : undefined;
}

/** A trajectory inside another one, at any depth, and the id of its parent. */
function embeddedIn(
  root: JsonObject,
  wanted: string | undefined,
  name: string,
): { trajectory: JsonObject; parent: string } | undefined {
  if (wanted === undefined || wanted === idOf(root)) return undefined;
  const all: { trajectory: JsonObject; parent: string; id: string }[] = [];
  const waiting = [root];
  for (let around = waiting.shift(); around; around = waiting.shift()) {
    for (const trajectory of objectsIn(around['subagent_trajectories'])) {
      all.push({ trajectory, parent: idOf(around), id: idOf(trajectory) });
      waiting.push(trajectory);
    }
  }
  // Others are in files beside it, which the report names.
  return all.some(({ id }) => id.startsWith(wanted)) ? chooseSession(name, all, wanted) : undefined;
}
