import { stringOf } from '../../entries/entry-type.ts';
import { type UsageTotals, usageOf } from '../../entries/usage.ts';
import { exactJson } from '../../json/exact.ts';
import { defined, isObject, type JsonObject } from '../../json/value.ts';
import { AppError } from '../../util/errors.ts';
import { toJson } from '../../util/to-json.ts';
import type { ConversionReport, NativeSession, SessionEntry, SessionSink, WriteOptions } from '../format.ts';
import { modelMessageOf } from '../model-message.ts';
import { checks } from './checks.ts';
import { Steps } from './steps.ts';

const VERSION = 'ATIF-v1.7';

/** Writes one path as a trajectory, a step at a time. */
export async function writeTrajectory(
  session: NativeSession,
  sink: SessionSink,
  { embed }: WriteOptions,
): Promise<ConversionReport['roundtrip']> {
  const { model, kept } = await lookAhead(session);
  const document = new Document(session, sink, model);
  const steps = new Steps(sink, kept);
  for await (const entry of session.entries()) {
    if (modelMessageOf(entry.value)?.kind === 'assistant') document.addUsage(entry);
    for (const step of steps.add(entry)) await document.step(step);
  }
  for (const step of steps.end()) await document.step(step);
  await document.end(embed);
  return embed ? 'exact' : 'semantic';
}

/** The first model, which the document starts with, and the entries that compactions keep. */
async function lookAhead(session: NativeSession): Promise<{ model: string | undefined; kept: Set<unknown> }> {
  const kept = new Set<unknown>();
  let model: string | undefined;
  for await (const { value } of session.entries()) {
    const { type, firstKeptEntryId, id, message } = value;
    if (type === 'compaction' && firstKeptEntryId !== id) kept.add(firstKeptEntryId);
    if (isObject(message) && message['role'] === 'assistant') model ??= stringOf(message['model']) || undefined;
  }
  return { model, kept };
}

class Document {
  readonly #session: NativeSession;
  readonly #sink: SessionSink;
  readonly #root: JsonObject;
  readonly #totals = { input: 0, output: 0, cached: 0, cost: 0 };
  #steps = 0;

  constructor(session: NativeSession, sink: SessionSink, model: string | undefined) {
    this.#session = session;
    this.#sink = sink;
    const { name, version } = session.agent;
    this.#root = {
      schema_version: VERSION,
      ...defined({ session_id: stringOf(session.header['id']) || undefined }),
      agent: { name, version, ...defined({ model_name: model }) },
    };
  }

  addUsage({ value }: SessionEntry): void {
    const { input, output, cacheRead, cacheWrite, cost }: UsageTotals = usageOf(value);
    this.#totals.input += input + cacheRead + cacheWrite;
    this.#totals.output += output;
    this.#totals.cached += cacheRead;
    this.#totals.cost += cost;
  }

  async step(step: JsonObject): Promise<void> {
    const whole = { step_id: ++this.#steps, ...step };
    requireFit(whole, `step ${this.#steps}`);
    const start = this.#steps === 1 ? `${json(this.#root).slice(0, -1)},"steps":[\n` : ',\n';
    await this.#sink.text(`${start}${json(whole)}`);
  }

  async end(embed: boolean): Promise<void> {
    if (this.#steps === 0) throw new AppError('nothing was said in the session, and an ATIF trajectory needs a step');
    const { input, output, cached, cost } = this.#totals;
    const { header, title } = this.#session;
    const about = defined({
      title,
      cwd: stringOf(header['cwd']) || undefined,
      timestamp: stringOf(header['timestamp']) || undefined,
      parent_session: stringOf(header['parentSession']) || undefined,
    });
    const rest = {
      final_metrics: {
        ...{ total_prompt_tokens: Math.round(input), total_completion_tokens: Math.round(output) },
        ...{ total_cached_tokens: Math.round(cached) },
        ...(cost > 0 ? { total_cost_usd: Number(cost.toPrecision(15)) } : {}),
        total_steps: this.#steps,
      },
      extra: about,
    };
    requireFit({ ...this.#root, ...rest }, 'the trajectory');
    await this.#sink.text(`\n],${json(rest).slice(1, -'}}'.length)}`);
    if (embed) await this.#embed(Object.keys(about).length > 0);
    await this.#sink.text('}}\n');
  }

  /** The lines of the log, and the number of steps: another number of steps shows a changed document. */
  async #embed(isLater: boolean): Promise<void> {
    const { endsWithNewline } = this.#session;
    await this.#sink.text(
      `${isLater ? ',' : ''}"sessionctl":{"version":1,"steps":${this.#steps},"endsWithNewline":${endsWithNewline},"lines":[`,
    );
    let separator = '\n';
    for await (const line of this.#session.lines()) {
      await this.#sink.text(`${separator}${JSON.stringify(line)}`);
      separator = ',\n';
    }
    await this.#sink.text('\n]}');
  }
}

function json(value: JsonObject): string {
  return exactJson(toJson(value));
}

/** Readers refuse a document that does not fit, so it is not written. */
function requireFit(record: JsonObject, what: string): void {
  const { issues, timestamp } = checks.describe(record);
  const lateYear = {
    rule: 'bad-timestamp',
    path: 'timestamp',
    message: 'timestamp has a year of more than four digits',
  };
  const all = /^[+-]/.test(stringOf(timestamp)) ? [...issues, lateYear] : issues;
  // A call need not have a result.
  const issue = all.find(({ rule }) => rule !== 'unanswered-call');
  if (!issue) return;
  throw new AppError(`${what} would not fit ATIF 1.7: ${issue.message}; nothing was written`);
}
