import { isUtf8 } from 'node:buffer';
import type { MovedLine } from '../rules/fix/repair-state.ts';
import type { Region } from '../rules/fix/split-damaged-line.ts';
import { LogError } from '../util/errors.ts';
import { partitionPoint } from '../util/search.ts';
import { type Action, type Edit, RegionEditor } from './edits.ts';
import type { Plan } from './plan.ts';

/** Bytes removed from the log, or the original bytes of a fixed object: as text if they are UTF-8, else base64. */
export interface QuarantineRecord {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly rule: string;
  readonly raw?: string;
  readonly rawBase64?: string;
}

/** A change, as the report lists it. Offsets and lengths are in bytes. */
export interface ChangeRecord extends QuarantineRecord {
  readonly action: Action;
  readonly out: { readonly offset: number; readonly length: number } | null;
  readonly idBefore?: string;
  readonly idAfter?: string;
  readonly assumed?: true;
}

export interface RepairCallbacks {
  /** Writes part of the repaired log. */
  readonly write: (bytes: Buffer) => void | Promise<void>;
  /** Called for each change, in the order of the input; `words` describes it for people. */
  readonly onChange: (record: ChangeRecord, words: string | undefined) => void | Promise<void>;
  /** Called for each removed piece; without it the change records carry the bytes. */
  readonly onQuarantine: ((record: QuarantineRecord) => void | Promise<void>) | undefined;
}

/** Output is written in chunks of about this size. */
const FULL = 64 * 1024;

/** The last pass: copies the input, with the changes of the plan. */
export class RepairPass {
  readonly #name: string;
  readonly #plan: Plan;
  readonly #callbacks: RepairCallbacks;
  /** Output that is not flushed yet. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #written = 0;
  /** Where moved headers were written, and their new text. */
  readonly #moved = new Map<MovedLine, { readonly offset: number; readonly text: string }>();
  /** Where output line numbers differ from the input: a fixed input line, or a shift for all lines from here on. */
  readonly #shifts: { readonly offset: number; readonly line: number | undefined; readonly shift: number }[] = [];
  #shift = 0;

  constructor(name: string, plan: Plan, callbacks: RepairCallbacks) {
    this.#name = name;
    this.#plan = plan;
    this.#callbacks = callbacks;
  }

  /** Yields the output as it is written. */
  async *run(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { regions, bytes } = this.#plan;
    let next = 0;
    let at = 0;
    /** Bytes of the current region, one character per byte. */
    let held = '';
    for await (const chunk of chunks) {
      if (at + chunk.length > bytes) throw this.#changed();
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
    if (at < bytes) throw this.#changed();
    for (const region of regions.slice(next)) await this.#change(region, '');
    yield* this.#flush();
  }

  #changed(): LogError {
    const reason = 'was changed while it was being read; run again when no program is writing to it';
    return new LogError(this.#name, reason, 'CHANGED');
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

  /** The input line that an output line came from, by its offset in the output. */
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

/** A longer text could exceed the maximum string length once it is escaped. */
const LONGEST_TEXT = 64 * 1024 * 1024;

/** Raw bytes (one character per byte) as a field of a record. */
function rawBytes(raw: string): { readonly raw: string } | { readonly rawBase64: string } {
  const bytes = Buffer.from(raw, 'latin1');
  if (raw.length <= LONGEST_TEXT && isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    let controls = 0;
    for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x20) controls++;
    // JSON escapes a control character with six characters; base64 is shorter.
    if (controls * 8 <= Math.max(64, raw.length)) return { raw: text };
  }
  return { rawBase64: bytes.toString('base64') };
}
