import type { OnDamage } from './format.ts';
import type { NativeWriter } from './native-writer.ts';

/** Passes damage on to a writer, and holds what is found before there is one. */
export class DamageBuffer {
  readonly #held: Parameters<OnDamage>[] = [];
  #writer: NativeWriter | undefined;

  readonly onDamage: OnDamage = (...damage) => {
    if (this.#writer) this.#writer.damaged(...damage);
    else this.#held.push(damage);
  };

  attach(writer: NativeWriter): NativeWriter {
    this.#writer = writer;
    for (const damage of this.#held.splice(0)) writer.damaged(...damage);
    return writer;
  }
}
