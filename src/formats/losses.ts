import { stringOf } from '../entries/entry-type.ts';
import type { ConversionOutcome, ConversionReport, Loss, LossSeverity, SessionEntry, SessionSink } from './format.ts';

const EXAMPLES = 5;

export class Losses {
  readonly #byCode = new Map<string, Loss>();

  add(code: string, severity: LossSeverity, line: number, id?: string): void {
    const loss = this.#byCode.get(code) ?? { code, severity, count: 0, examples: [] };
    this.#byCode.set(code, loss);
    loss.count++;
    if (loss.severity === 'info') loss.severity = severity;
    if (loss.examples.length < EXAMPLES) loss.examples.push(id === undefined ? { line } : { line, id });
  }

  /** Sorted by code. */
  get list(): Loss[] {
    return [...this.#byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
  }
}

export function totalCounts(counts: Readonly<Record<ConversionOutcome, number>>): ConversionReport['counts'] {
  const { mapped, merged, custom, dropped } = counts;
  return { records: mapped + merged + custom + dropped, mapped, merged, custom, dropped };
}

/** Reports that an entry was not written as it is. */
export function reportLoss(
  sink: Pick<SessionSink, 'loss'>,
  code: string,
  severity: LossSeverity,
  { line, value }: SessionEntry,
): void {
  sink.loss(code, severity, line, stringOf(value['id']) || undefined);
}

/** Counts an entry of which the model sees nothing, and that is not written. */
export function reportDropped(sink: Pick<SessionSink, 'loss' | 'count'>, entry: SessionEntry): void {
  const isEdit = entry.value['type'] === 'context_edit' || entry.value['type'] === 'reset_boundary';
  reportLoss(sink, isEdit ? 'CONTEXT_EDITED' : 'ENTRY_DROPPED', isEdit ? 'lossy' : 'info', entry);
  sink.count('dropped');
}
