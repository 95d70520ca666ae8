import type { Damage } from '../entries/damage.ts';
import { counted } from '../util/words.ts';
import type { Io } from './command.ts';

/** So many lines are named. */
const NAMED = 5;

/** The damaged lines of a log, told once. */
export class DamagedLines {
  readonly #named: { readonly line: number; readonly damage: Damage | 'byte-order-mark' }[] = [];
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  add(line: number, damage: Damage | 'byte-order-mark'): void {
    this.#count++;
    if (this.#named.length < NAMED) this.#named.push({ line, damage });
  }

  /** `fate` says what became of a line, as in 'was left out'. */
  tell(name: string, io: Io, fate: string): void {
    const [first, ...others] = this.#named;
    if (!first) return;
    const listed = others.map(({ line, damage }) => `${line} (${damage})`).join(', ');
    const dots = this.#count > this.#named.length ? ', ...' : '';
    const more = this.#count > 1 ? `, and ${counted(this.#count - 1, 'other line')}: ${listed}${dots}` : '';
    io.note(
      `${name}: line ${first.line} is damaged (${first.damage}) and ${fate}${more}; 'sessionctl repair' fixes what can be fixed`,
    );
  }
}
