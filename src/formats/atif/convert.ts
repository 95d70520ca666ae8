import { stringOf } from '../../entries/entry-type.ts';
import { isHeader } from '../../entries/envelope-check.ts';
import { isObject, type JsonObject, objectsIn, parseObject } from '../../json/value.ts';
import { encodeUtf8 } from '../../lines/line.ts';
import { countingSource, type SourceFacts } from '../counting-source.ts';
import { DamageBuffer } from '../damage-buffer.ts';
import { readDocument } from '../document.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink, SourceRecord } from '../format.ts';
import { NativeWriter } from '../native-writer.ts';
import { chooseSession } from '../sessions.ts';
import { AtifConversion } from './conversion.ts';
import { idOf } from './parts.ts';

/** Gives a trajectory in its native form: the log that is embedded in it, or what its steps say. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const run = new AtifRun(format, source, sink, options);
  const { chunks, facts } = countingSource(source);
  let isFirst = true;
  for await (const records of readDocument(source, chunks, 'steps', run.damage.onDamage)) {
    for (const record of records) {
      if (isFirst) await run.begin(record.value);
      else await run.step(record);
      isFirst = false;
    }
  }
  await run.end(facts());
}

/** An embedded log, as `convert --embed` writes it. */
interface Embedded {
  readonly lines: readonly string[];
  readonly steps: unknown;
  readonly endsWithNewline: boolean;
}

class AtifRun {
  readonly damage = new DamageBuffer();
  readonly #format: LogFormat;
  readonly #source: LogSource;
  readonly #sink: NativeSink;
  readonly #options: ConversionOptions;
  #header: JsonObject = {};
  #conversion: AtifConversion | undefined;
  #embedded: Embedded | undefined;
  /** The steps are those of an embedded trajectory, which are in the header. */
  #isInside = false;
  #steps = 0;

  constructor(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
    this.#format = format;
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
  }

  async begin(root: JsonObject): Promise<void> {
    const { session } = this.#options;
    const inside =
      session === undefined || session === idOf(root) ? undefined : embeddedIn(root, session, this.#source.name);
    this.#isInside = inside !== undefined;
    this.#header = inside?.trajectory ?? root;
    this.#embedded = this.#isInside ? undefined : embeddedLog(root);
    const writer = new NativeWriter(this.#format, this.#source, this.#sink, this.#options, idOf(this.#header));
    this.#conversion = new AtifConversion(this.damage.attach(writer), this.#source, this.#header, inside?.parent);
    if (!inside) return;
    for (const [at, step] of objectsIn(this.#header['steps']).entries())
      await this.#conversion.step({ value: step, line: at + 1 });
  }

  async step(record: SourceRecord): Promise<void> {
    this.#steps++;
    if (!this.#isInside) await this.#conversion?.step(record);
  }

  async end(facts: SourceFacts): Promise<void> {
    const conversion = this.#conversion as AtifConversion;
    const embedded = this.#embedded;
    if (embedded && embedded.steps === this.#steps) {
      this.#restore(embedded, facts);
      return;
    }
    if (embedded) conversion.writer.loss('EMBED_STALE', 'ambiguous', 0);
    conversion.end(facts);
  }

  /** Writes the embedded log in place of the converted steps. */
  #restore(
    { lines, endsWithNewline }: Embedded,
    { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  ): void {
    this.#sink.restart();
    const first = lines.findIndex((line) => isHeader(parseObject(line) ?? {})) + 1;
    const raw = lines.map(encodeUtf8);
    this.#sink.head(raw.slice(0, first));
    const body = raw.slice(first);
    for (const [at, line] of body.entries()) this.#sink.line(line, 1, !endsWithNewline && at === body.length - 1);
    this.#sink.report({
      source: { format: this.#format.id, version: stringOf(this.#header['schema_version']), sha256, bytes },
      session: idOf(this.#header),
      counts: { records: this.#steps + 1, mapped: 1, merged: this.#steps, custom: 0, dropped: 0 },
      losses: [],
      roundtrip: 'exact',
      sessions: [],
    });
  }
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
  wanted: string,
  name: string,
): { trajectory: JsonObject; parent: string } | undefined {
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
