import type { LineContent } from '../entries/damage.ts';
import type { Line } from '../lines/line.ts';
import { ObjectScanner } from './object-scanner.ts';

/** How far a printed object is followed. */
const MOST_LINES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

export interface HeldLine {
  readonly line: Line;
  readonly content: LineContent;
}

export interface JoinerCallbacks {
  /** A line that is to be taken for itself. */
  readonly single: (held: HeldLine) => void;
  /** Lines that are one JSON object together; false where they are not to be joined. */
  readonly joined: (lines: readonly HeldLine[]) => boolean;
  /** Whether a line is an entry by itself, which is never made a part of another one. */
  readonly isEntry: (held: HeldLine) => boolean;
}

/**
 * Finds the objects that somebody printed over several lines. It holds lines back from the first one that starts as an
 * object and does not end as one; each line is read once, however many objects break off.
 */
export class Joiner {
  readonly #callbacks: JoinerCallbacks;
  #scanner: ObjectScanner | undefined;
  #held: HeldLine[] = [];
  /** Lines before this one were passed on. */
  #head = 0;
  #bytes = 0;

  constructor(callbacks: JoinerCallbacks) {
    this.#callbacks = callbacks;
  }

  take(held: HeldLine): void {
    if (this.#scanner && this.#goesOn(held)) return;
    if (held.content.damage === 'torn-line') this.#start(held);
    else this.#callbacks.single(held);
  }

  /** No line follows. */
  end(): void {
    this.#giveUp();
  }

  #start(held: HeldLine): void {
    const scanner = new ObjectScanner();
    if (scanner.take(textOf(held.line), held.line.number) === 'open') {
      this.#scanner = scanner;
      this.#hold(held);
    } else this.#callbacks.single(held);
  }

  #hold(held: HeldLine): void {
    this.#held.push(held);
    this.#bytes += held.line.length + 1;
  }

  /** False where the line is not a part of what is held, which is then given up. */
  #goesOn(held: HeldLine): boolean {
    const scanner = this.#scanner as ObjectScanner;
    const { damage } = held.content;
    const readable =
      damage === undefined || damage === 'torn-line' || damage === 'not-json' || damage === 'not-an-object';
    const state =
      readable && !this.#callbacks.isEntry(held) ? scanner.take(textOf(held.line), held.line.number) : 'broken';
    if (state === 'broken') {
      this.#giveUp();
      return false;
    }
    this.#hold(held);
    if (state === 'closed') {
      const lines = this.#held.slice(this.#head);
      this.#forget();
      if (!this.#callbacks.joined(lines)) for (const one of lines) this.#callbacks.single(one);
      return true;
    }
    // Too much for one object: the outermost one is given up, and one that started further down may still end.
    while (this.#held.length - this.#head >= MOST_LINES || this.#bytes > MOST_BYTES) {
      if (!scanner.shed()) {
        this.#giveUp();
        return true;
      }
      this.#release(scanner, scanner.start);
    }
    return true;
  }

  #giveUp(): void {
    if (this.#scanner) this.#release(this.#scanner, Number.POSITIVE_INFINITY);
    this.#forget();
  }

  /** Passes on the lines before one, with the whole objects among them joined. */
  #release(scanner: ObjectScanner, before: number): void {
    for (let run = scanner.nextRun(before); run; run = scanner.nextRun(before)) {
      this.#singles(run.from);
      const count = run.to - run.from + 1;
      if (this.#callbacks.joined(this.#held.slice(this.#head, this.#head + count))) this.#drop(count);
    }
    this.#singles(before);
    if (this.#head > MOST_LINES) {
      this.#held = this.#held.slice(this.#head);
      this.#head = 0;
    }
  }

  #singles(before: number): void {
    for (let held = this.#held[this.#head]; held && held.line.number < before; held = this.#held[this.#head]) {
      this.#callbacks.single(held);
      this.#drop(1);
    }
  }

  #drop(count: number): void {
    for (const end = this.#head + count; this.#head < end; this.#head++)
      this.#bytes -= (this.#held[this.#head]?.line.length ?? 0) + 1;
  }

  #forget(): void {
    this.#scanner = undefined;
    this.#held = [];
    this.#head = 0;
    this.#bytes = 0;
  }
}

function textOf(line: Line): string {
  return line.number === 1 && line.text.startsWith('\ufeff') ? line.text.slice(1) : line.text;
}
