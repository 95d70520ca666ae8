import { isUtf8 } from 'node:buffer';
import type { MovedLine } from '../rules/fix/repair-state.ts';
import type { Region } from '../rules/fix/split-damaged-line.ts';
import { partitionPoint } from '../util/search.ts';
import { type Action, type Edit, RegionEditor } from './edits.ts';
import type { Plan } from './plan.ts';

/** A piece that left the log, or the old bytes of one that was fixed; as text where they are text, else in base64. */
export interface QuarantineRecord {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly rule: string;
  readonly raw?: string;
  readonly rawBase64?: string;
}

/** One change, as the report has it. Offsets and lengths are in bytes of the input, and of the output. */
export interface ChangeRecord extends QuarantineRecord {
  readonly action: Action;
  readonly out: { readonly offset: number; readonly length: number } | null;
  readonly idBefore?: string;
  readonly idAfter?: string;
  readonly assumed?: true;
}

export interface RepairCallbacks {
  /** The log as it leaves. */
  readonly write: (bytes: Buffer) => void | Promise<void>;
  /** Each change, in the order of the input; the words are for people. */
  readonly onChange: (record: ChangeRecord, words: string | undefined) => void | Promise<void>;
  /** Each piece that leaves; absent where nobody keeps them, and the changes then have the bytes. */
  readonly onQuarantine: ((record: QuarantineRecord) => void | Promise<void>) | undefined;
}

/** The input of the second pass is not that of the first. */
export class InputChanged extends Error {
  override readonly name = 'InputChanged';
}

/** Shorter pieces are collected. */
const FULL = 64 * 1024;

/** The last pass: everything leaves as it came, but for the regions in the plan. */
export class RepairPass {
  readonly #plan: Plan;
  readonly #callbacks: RepairCallbacks;
  /** The output that is not yielded yet. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #written = 0;
  /** Where the header went, and as which bytes. */
  readonly #moved = new Map<MovedLine, { readonly offset: number; readonly text: string }>();
  /** Where the output differs: one line of the input became all that follow, or the numbers that follow are shifted. */
  readonly #shifts: { readonly offset: number; readonly line: number | undefined; readonly shift: number }[] = [];
  #shift = 0;

  constructor(plan: Plan, callbacks: RepairCallbacks) {
    this.#plan = plan;
    this.#callbacks = callbacks;
  }

  /** Gives what was written. */
  async *run(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { regions, bytes } = this.#plan;
    let next = 0;
    let at = 0;
    /** Bytes of the region under way, one to a character. */
    let held = '';
    for await (const chunk of chunks) {
      if (at + chunk.length > bytes) throw new InputChanged();
      for (let from = 0; from < chunk.length; ) {
        const region = regions[next];
        const isInside = region !== undefined && at >= region.offset;
        const end = isInside ? region.offset + region.length : (region?.offset ?? bytes);
        const part = chunk.subarray(from, from + end - at);
        at += part.length;
        from += part.length;
        if (isInside) {
          held += part.toString('latin1');
          if (at < end) continue;
          await this.#change(region, held);
          held = '';
          next++;
        } else this.#write(Buffer.from(part));
        if (this.#waitingBytes >= FULL) yield* this.#flush();
      }
    }
    if (at < bytes) throw new InputChanged();
    for (const region of regions.slice(next)) await this.#change(region, '');
    yield* this.#flush();
  }

  #write(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#written += bytes.length;
  }

  async *#flush(): AsyncGenerator<Buffer> {
    const [only, ...others] = this.#waiting.splice(0);
    if (!only || this.#waitingBytes === 0) return;
    this.#waitingBytes = 0;
    const bytes = others.length > 0 ? Buffer.concat([only, ...others]) : only;
    await this.#callbacks.write(bytes);
    yield bytes;
  }

  /** Which line of the input a line of the output was, by where it starts. */
  inputLine(line: number, offset: number): number {
    const at = partitionPoint(0, this.#shifts.length, (one) => (this.#shifts[one]?.offset ?? 0) <= offset);
    const found = this.#shifts[at - 1];
    return found?.line ?? line - (found?.shift ?? 0);
  }

  async #change(region: Region, raw: string): Promise<void> {
    const { edits, originals } = new RegionEditor(region, raw, this.#plan);
    for (const { start, end, rule } of originals) {
      const place = { line: region.line, offset: region.offset + start, length: end - start, rule };
      await this.#callbacks.onQuarantine?.({ ...place, ...rawBytes(raw.slice(start, end)) });
    }
    const offset = this.#written;
    let out = '';
    let at = 0;
    for (const edit of edits) {
      out += raw.slice(at, edit.start);
      at = edit.end;
      await this.#report(edit, raw.slice(edit.start, edit.end), region.offset + edit.start, offset + out.length);
      out += edit.text;
    }
    out += raw.slice(at);
    this.#write(Buffer.from(out, 'latin1'));
    const before = raw.split('\n').length - 1;
    const after = out.split('\n').length - 1;
    if (before === after && after <= 1) return;
    this.#shifts.push({ offset, line: region.line, shift: this.#shift });
    this.#shift += after - before;
    this.#shifts.push({ offset: this.#written, line: undefined, shift: this.#shift });
  }

  async #report(edit: Edit, raw: string, offset: number, outOffset: number): Promise<void> {
    const { onQuarantine, onChange } = this.#callbacks;
    const { header, text, action, idBefore, idAfter } = edit;
    if (header && action === 'inserted') {
      this.#moved.set(header, { offset: outOffset, text });
      return;
    }
    const place = { line: edit.line, offset, length: raw.length, rule: edit.rule };
    const moved = header && this.#moved.get(header);
    const out = moved ?? { offset: outOffset, text };
    let bytes = raw === '' || moved?.text === raw ? {} : rawBytes(raw);
    if (!moved && edit.quarantine && onQuarantine && raw !== '') {
      await onQuarantine({ ...place, ...bytes });
      bytes = {};
    }
    const record: ChangeRecord = {
      ...place,
      action,
      out: out.text === '' ? null : { offset: out.offset, length: out.text.length },
      ...bytes,
      ...(idBefore === undefined ? {} : { idBefore }),
      ...(idAfter === undefined ? {} : { idAfter }),
      ...(edit.assumed ? { assumed: true } : {}),
    };
    await onChange(record, edit.words);
  }
}

/** A longer text could exceed what one string holds once it is escaped. */
const LONGEST_TEXT = 64 * 1024 * 1024;

/** Bytes, held one to a character, for a record. */
function rawBytes(raw: string): { readonly raw: string } | { readonly rawBase64: string } {
  const bytes = Buffer.from(raw, 'latin1');
  if (raw.length <= LONGEST_TEXT && isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    let controls = 0;
    for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x20) controls++;
    // Controls are escaped with six characters each; base64 takes less.
    if (controls * 8 <= Math.max(64, raw.length)) return { raw: text };
  }
  return { rawBase64: bytes.toString('base64') };
}
