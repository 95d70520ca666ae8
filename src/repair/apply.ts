import { firstNot } from '../base/search.ts';
import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { encodeUtf8 } from '../lines/line.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { ByteSource } from './byte-source.ts';
import { type Edit, editRegion, endingOf } from './edits.ts';
import type { Job, Plan } from './plan.ts';
import { type ChangeRecord, type QuarantineRecord, type RawBytes, rawBytes } from './records.ts';
import type { FixedLine, Region } from './region.ts';

export interface RepairCallbacks {
  /** The log as it leaves. */
  readonly out: ByteWriter;
  /** Each change, in the order of the input; the words are for people. */
  readonly onChange: (record: ChangeRecord, words: string | undefined) => void | Promise<void>;
  /** Each piece that leaves; absent where nobody keeps them, and the changes then tell the bytes. */
  readonly onQuarantine: ((record: QuarantineRecord) => void | Promise<void>) | undefined;
}

/** The input of the second pass is not that of the first. */
export class InputChanged extends Error {
  override readonly name = 'InputChanged';
}

/** Which line of the input a line of the output was. */
export class LineMap {
  /** Where the output differs: one line of the input became all that follows, or the numbers that follow are shifted. */
  readonly #stretches: { readonly offset: number; readonly line: number | undefined; readonly shift: number }[] = [];
  #shift = 0;

  /** What stands in the output from one offset to another was `before` lines from a line of the input on, and is `after` lines now. */
  add(offset: number, end: number, line: number, before: number, after: number): void {
    if (before === after && after <= 1) return;
    this.#stretches.push({ offset, line, shift: this.#shift });
    this.#shift += after - before;
    this.#stretches.push({ offset: end, line: undefined, shift: this.#shift });
  }

  inputLine(line: number, offset: number): number {
    const at = firstNot(0, this.#stretches.length, (one) => (this.#stretches[one]?.offset ?? 0) <= offset);
    const stretch = this.#stretches[at - 1];
    return stretch?.line ?? line - (stretch?.shift ?? 0);
  }
}

/** The second pass: everything leaves as it came, but for the places in the plan. */
export async function applyPlan(plan: Plan, chunks: AsyncIterable<Buffer>, callbacks: RepairCallbacks): Promise<LineMap> {
  const source = new ByteSource(chunks);
  try {
    return await new Operation(plan, source, callbacks).run();
  } finally {
    await source.close();
  }
}

class Operation {
  readonly #plan: Plan;
  readonly #source: ByteSource;
  readonly #callbacks: RepairCallbacks;
  readonly #start: number;
  /** Bytes of the input that were taken. */
  #taken = 0;
  readonly #lines = new LineMap();
  /** Where the header went, and as which bytes. */
  readonly #moved = new Map<FixedLine, { readonly offset: number; readonly text: string }>();

  constructor(plan: Plan, source: ByteSource, callbacks: RepairCallbacks) {
    this.#plan = plan;
    this.#source = source;
    this.#callbacks = callbacks;
    // The writer may have been used before.
    this.#start = callbacks.out.written;
  }

  async run(): Promise<LineMap> {
    const { jobs, bytes } = this.#plan;
    if (this.#plan.hasMark) await this.#removeMark();
    if (this.#plan.front && this.#plan.keepsMark) await this.#copy(BYTE_ORDER_MARK.length);
    await this.#writeFront();
    for (const job of jobs) {
      await this.#copy(job.offset - this.#taken);
      await this.#operate(job);
    }
    await this.#copy(bytes - this.#taken);
    if ((await this.#source.skip(1)) > 0) throw new InputChanged();
    return this.#lines;
  }

  async #copy(count: number): Promise<void> {
    const copied = await this.#source.copy(count, this.#callbacks.out);
    this.#taken += copied;
    if (copied < count) throw new InputChanged();
  }

  async #read(count: number): Promise<string> {
    const bytes = await this.#source.read(count);
    this.#taken += bytes.length;
    if (bytes.length < count) throw new InputChanged();
    return bytes.toString('latin1');
  }

  async #removeMark(): Promise<void> {
    const raw = await this.#read(BYTE_ORDER_MARK.length);
    const place = { line: 1, offset: 0, length: raw.length, rule: 'byte-order-mark' } as const;
    await this.#callbacks.onChange({ ...place, action: 'removed', out: null, ...rawBytes(raw) }, 'removed the byte order mark');
  }

  async #writeFront(): Promise<void> {
    const { front, newline } = this.#plan;
    if (!front) return;
    const { source } = front;
    const text = encodeUtf8(front.text) + (source?.newline ?? newline);
    const offset = this.#written;
    this.#callbacks.out.raw(text);
    this.#lines.add(offset, this.#written, source?.line ?? 1, 0, 1);
    if (source) {
      this.#moved.set(source, { offset, text });
      return;
    }
    const record: ChangeRecord = {
      line: 1,
      offset: this.#taken,
      length: 0,
      rule: front.rule,
      action: 'inserted',
      out: { offset, length: text.length },
      ...(front.idAfter === undefined ? {} : { idAfter: front.idAfter }),
    };
    await this.#callbacks.onChange(record, front.words);
  }

  async #operate(job: Job): Promise<void> {
    const { out } = this.#callbacks;
    const raw = await this.#read(job.length);
    const region = job.region ?? wholeLine(job, raw);
    const { mendOf, lastNewline, endsLast } = this.#plan;
    const { edits, old } = editRegion(region, raw, { mendOf, newline: lastNewline, endsLine: endsLast });
    for (const { start, end, line, rule } of old) {
      const record = { line, offset: job.offset + start, length: end - start, rule, ...rawBytes(raw.slice(start, end)) };
      await this.#callbacks.onQuarantine?.(record);
    }
    const offset = this.#written;
    let at = 0;
    const before = newlines(raw);
    let after = before;
    for (const edit of edits) {
      out.raw(raw.slice(at, edit.start));
      after += newlines(edit.text) - newlines(raw.slice(edit.start, edit.end));
      at = edit.end;
      await this.#change(edit, raw.slice(edit.start, edit.end), job.offset + edit.start);
    }
    out.raw(raw.slice(at));
    this.#lines.add(offset, this.#written, job.line, before, after);
    if (out.full) await out.flush();
  }

  async #change(edit: Edit, raw: string, offset: number): Promise<void> {
    const { onQuarantine, onChange, out } = this.#callbacks;
    const place = { line: edit.line, offset, length: raw.length, rule: edit.rule };
    const written = { offset: this.#written, length: edit.text.length };
    out.raw(edit.text);
    if (edit.header && edit.action === 'inserted') {
      this.#moved.set(edit.header, { offset: written.offset, text: edit.text });
      return;
    }
    let told: RawBytes | undefined = raw === '' ? undefined : rawBytes(raw);
    let stands: ChangeRecord['out'] = written.length > 0 ? written : null;
    const moved = edit.header ? this.#moved.get(edit.header) : undefined;
    if (moved) {
      stands = { offset: moved.offset, length: moved.text.length };
      if (moved.text === raw) told = undefined;
    } else if (edit.quarantine && onQuarantine && told) {
      await onQuarantine({ ...place, ...told });
      told = undefined;
    }
    const record: ChangeRecord = {
      ...place,
      action: edit.action,
      out: stands,
      ...told,
      ...(edit.idBefore === undefined ? {} : { idBefore: edit.idBefore }),
      ...(edit.idAfter === undefined ? {} : { idAfter: edit.idAfter }),
      ...(edit.assumed ? { assumed: true } : {}),
    };
    await onChange(record, edit.words);
  }

  get #written(): number {
    return this.#callbacks.out.written - this.#start;
  }
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function wholeLine(job: Job, raw: string): Region {
  const end = raw.length - endingOf(raw).length;
  const pieces = [{ kind: 'object', start: 0, end, mends: [], keepsOld: false, unit: job.unit }] as const;
  return { line: job.line, offset: job.offset, length: job.length, rule: '', pieces, lines: 1 };
}
