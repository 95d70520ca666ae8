import type { Loss, LossSeverity } from './format.ts';

const EXAMPLES = 5;

/** What was lost, by its code. */
export class Losses {
  readonly #byCode = new Map<string, Loss>();

  add(code: string, severity: LossSeverity, line: number, id?: string): void {
    const loss = this.#byCode.get(code) ?? { code, severity, count: 0, examples: [] };
    this.#byCode.set(code, loss);
    loss.count++;
    if (loss.severity === 'info') loss.severity = severity;
    if (loss.examples.length < EXAMPLES) loss.examples.push(id === undefined ? { line } : { line, id });
  }

  /** By code, whatever came first. */
  get list(): Loss[] {
    return [...this.#byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
  }
}
