import type { Progress } from '../util/io.ts';

/** The bytes of passes to come, of which the progress knows before they begin: its total is true from the start. */
export class Reserve {
  readonly #progress: Progress;
  #bytes = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** All that is still to be read, passes that have begun apart. */
  hold(bytes: number): void {
    this.#progress.expect(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  holdMore(bytes: number): void {
    this.hold(this.#bytes + bytes);
  }

  /** A pass over so many bytes begins. */
  take(bytes: number): void {
    const held = Math.min(bytes, this.#bytes);
    this.#bytes -= held;
    this.#progress.expect(bytes - held);
  }

  /** A pass over so many bytes has ended after a few: it was no pass over all, which is still to come. */
  giveBack(bytes: number, read: number): void {
    this.#bytes += bytes;
    this.#progress.expect(read);
  }
}
