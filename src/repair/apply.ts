import { encodeUtf8 } from '../lines/line.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { type HeadLine, type NewLine, plainPiece, type Region } from '../rules/fix/repair-edits.ts';
import { partitionPoint } from '../util/search.ts';
import { ByteSource } from './byte-source.ts';
import { type Edit, editRegion, endingOf, type RegionEdits } from './edits.ts';
import type { Job, Plan } from './plan.ts';
import { type ChangeRecord, type QuarantineRecord, type RawBytes, rawBytes } from './records.ts';

export interface RepairCallbacks {
  /** The log as it leaves. */
  readonly out: ByteWriter;
  /** Each change, in the order of the input; the words are for people. */
  readonly onChange: (record: ChangeRecord, words: string | undefined) => void | Promise<void>;
  /** Each piece that leaves; absent where nobody keeps them, and the changes then have the bytes. */
  readonly onQuarantine: ((record: QuarantineRecord) => void | Promise<void>) | undefined;
}

/** The input of the second pass is not that of the first. */
export class InputChanged extends Error {
  override readonly name = 'InputChanged';
}

/** Which line of the input a line of the output was. */
export class LineMap {
  /** Where the output differs: one line of the input became all that follows, or the numbers that follow are shifted. */
  readonly #shifts: { readonly offset: number; readonly line: number | undefined; readonly shift: number }[] = [];
  #shift = 0;

  /** What stands in the output from one offset to another was `before` lines from a line of the input on, and is `after` lines now. */
  add(offset: number, end: number, line: number, before: number, after: number): void {
    if (before === after && after <= 1) return;
    this.#shifts.push({ offset, line, shift: this.#shift });
    this.#shift += after - before;
    this.#shifts.push({ offset: end, line: undefined, shift: this.#shift });
  }

  inputLine(line: number, offset: number): number {
    const at = partitionPoint(0, this.#shifts.length, (one) => (this.#shifts[one]?.offset ?? 0) <= offset);
    const found = this.#shifts[at - 1];
    return found?.line ?? line - (found?.shift ?? 0);
  }
}

/** Shorter pieces are collected. */
const SHORT = 4096;
const FULL = 64 * 1024;

/** The last pass: everything leaves as it came, but for the places in the plan. */
export async function* applyPlan(
  plan: Plan,
  chunks: AsyncIterable<Buffer>,
  callbacks: RepairCallbacks,
  lines: LineMap,
): AsyncGenerator<Buffer, void, void> {
  const source = new ByteSource(chunks);
  try {
    yield* new Operation(plan, source, callbacks, lines).run();
  } finally {
    await source.close();
  }
}

class Operation {
  readonly #plan: Plan;
  readonly #source: ByteSource;
  readonly #callbacks: RepairCallbacks;
  /** Bytes of the input that were taken. */
  #taken = 0;
  /** Bytes of the output, one to a character, that are not yielded yet. */
  #waiting = '';
  #written = 0;
  readonly #lines: LineMap;
  /** Where the header went, and as which bytes. */
  readonly #moved = new Map<HeadLine, { readonly offset: number; readonly text: string }>();

  constructor(plan: Plan, source: ByteSource, callbacks: RepairCallbacks, lines: LineMap) {
    this.#plan = plan;
    this.#source = source;
    this.#callbacks = callbacks;
    this.#lines = lines;
  }

  async *run(): AsyncGenerator<Buffer, void, void> {
    const { jobs, bytes } = this.#plan;
    for (const job of jobs) {
      yield* this.#copy(job.offset - this.#taken);
      await this.#operate(job);
    }
    yield* this.#copy(bytes - this.#taken);
    if ((await this.#source.skip(1)) > 0) throw new InputChanged();
    yield* this.#flush();
  }

  async *#copy(count: number): AsyncGenerator<Buffer, void, void> {
    const end = this.#taken + count;
    for await (const part of this.#source.parts(count)) {
      this.#taken += part.length;
      if (part.length < SHORT) this.#write(part.toString('latin1'));
      else {
        yield* this.#flush();
        this.#written += part.length;
        yield Buffer.from(part);
      }
    }
    if (this.#taken < end) throw new InputChanged();
    if (this.#waiting.length >= FULL) yield* this.#flush();
  }

  #write(text: string): void {
    this.#waiting += text;
    this.#written += text.length;
  }

  *#flush(): Generator<Buffer, void, void> {
    if (this.#waiting !== '') yield Buffer.from(this.#waiting, 'latin1');
    this.#waiting = '';
  }

  async #read(count: number): Promise<string> {
    const bytes = await this.#source.read(count);
    this.#taken += bytes.length;
    if (bytes.length < count) throw new InputChanged();
    return bytes.toString('latin1');
  }

  async #operate(job: Job): Promise<void> {
    const raw = await this.#read(job.length);
    const { edits, old } = job.insert ? { edits: [this.#inserted(job.insert)], old: [] } : this.#editRegion(job, raw);
    for (const { start, end, line, rule } of old) {
      const record = {
        line,
        offset: job.offset + start,
        length: end - start,
        rule,
        ...rawBytes(raw.slice(start, end)),
      };
      await this.#callbacks.onQuarantine?.(record);
    }
    const offset = this.#written;
    let at = 0;
    const before = newlines(raw);
    let after = before;
    for (const edit of edits) {
      this.#write(raw.slice(at, edit.start));
      after += newlines(edit.text) - newlines(raw.slice(edit.start, edit.end));
      at = edit.end;
      await this.#change(edit, raw.slice(edit.start, edit.end), job.offset + edit.start);
    }
    this.#write(raw.slice(at));
    this.#lines.add(offset, this.#written, job.line, before, after);
  }

  #editRegion(job: Job, raw: string): RegionEdits {
    return editRegion(job.region ?? wholeLine(job, raw), raw, {
      editsOf: this.#plan.editsOf,
      newline: this.#plan.lastNewline,
    });
  }

  #inserted({ text, rule, words, idAfter, source }: NewLine): Edit {
    const line = encodeUtf8(text) + (source?.newline ?? this.#plan.newline);
    return {
      start: 0,
      end: 0,
      text: line,
      line: 1,
      rule,
      action: 'inserted',
      quarantine: false,
      words,
      idAfter,
      header: source,
    };
  }

  async #change(edit: Edit, raw: string, offset: number): Promise<void> {
    const { onQuarantine, onChange } = this.#callbacks;
    const place = { line: edit.line, offset, length: raw.length, rule: edit.rule };
    const written = { offset: this.#written, length: edit.text.length };
    this.#write(edit.text);
    if (edit.header && edit.action === 'inserted') {
      this.#moved.set(edit.header, { offset: written.offset, text: edit.text });
      return;
    }
    let reported: RawBytes | undefined = raw === '' ? undefined : rawBytes(raw);
    let stands: ChangeRecord['out'] = written.length > 0 ? written : null;
    const moved = edit.header ? this.#moved.get(edit.header) : undefined;
    if (moved) {
      stands = { offset: moved.offset, length: moved.text.length };
      if (moved.text === raw) reported = undefined;
    } else if (edit.quarantine && onQuarantine && reported) {
      await onQuarantine({ ...place, ...reported });
      reported = undefined;
    }
    const record: ChangeRecord = {
      ...place,
      action: edit.action,
      out: stands,
      ...reported,
      ...(edit.idBefore === undefined ? {} : { idBefore: edit.idBefore }),
      ...(edit.idAfter === undefined ? {} : { idAfter: edit.idAfter }),
      ...(edit.assumed ? { assumed: true } : {}),
    };
    await onChange(record, edit.words);
  }
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function wholeLine(job: Job, raw: string): Region {
  const end = raw.length - endingOf(raw).length;
  const pieces = [{ ...plainPiece('object', 0, end), unit: job.unit }];
  return { line: job.line, offset: job.offset, length: job.length, rule: '', pieces, lines: 1 };
}
