import { skipSpace, skipString } from '../json/text.ts';

type Expects = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

interface Frame {
  readonly object: boolean;
  /** The line on which it opened. */
  readonly line: number;
  /** It is the first thing on its line. */
  readonly leads: boolean;
  expects: Expects;
}

/** A whole object that starts a line and ends a later one. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

export type ScanState = 'open' | 'closed' | 'broken';

const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}]|$)/y;

/**
 * Reads a JSON object that goes over several lines, a line at a time, and strictly: what it calls closed is JSON. It
 * remembers the whole objects inside what is still open, so that none has to be looked for again when the outer one
 * turns out to be torn.
 */
export class ObjectScanner {
  #frames: Frame[] = [];
  /** Frames before this one were given up. */
  #base = 0;
  #runs: Run[] = [];
  #handedOut = 0;

  /** The first line of the object that is read. */
  get start(): number {
    return this.#frames[this.#base]?.line ?? -1;
  }

  /** The next whole object inside that starts before the line; none is inside another one, and each is handed out once. */
  nextRun(before: number): Run | undefined {
    const run = this.#runs[this.#handedOut];
    if (!run || run.from >= before) return undefined;
    this.#handedOut++;
    return run;
  }

  /** Takes the next line. After 'broken' or 'closed' the scanner is spent. */
  take(text: string, line: number): ScanState {
    let at = skipSpace(text, 0);
    const lead = at;
    while (at < text.length) {
      const next = this.#token(text, at, this.#frames.at(-1), line, at === lead);
      if (next < 0) return 'broken';
      at = skipSpace(text, next);
      if (this.#frames.length === this.#base) return at === text.length ? 'closed' : 'broken';
    }
    return 'open';
  }

  /** Gives up the outermost object for the next one inside it that is open and started a line; false where there is none. */
  shed(): boolean {
    do this.#base++;
    while (this.#base < this.#frames.length && !this.#isLeader(this.#frames[this.#base]));
    if (this.#base === this.#frames.length) return false;
    // Forgetting them one by one would take as long as there are frames, each time.
    if (this.#base > 1024) {
      this.#frames = this.#frames.slice(this.#base);
      this.#base = 0;
    }
    return true;
  }

  #isLeader(frame: Frame | undefined): boolean {
    return frame?.object === true && frame.leads;
  }

  /** Takes one token; gives the position behind it, or -1 where the grammar does not allow it. */
  #token(text: string, at: number, frame: Frame | undefined, line: number, leads: boolean): number {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) {
      const object = code === 0x7b;
      if (frame ? !this.#takesValue(frame) : !object) return -1;
      this.#frames.push({ object, line, leads, expects: object ? 'key-or-end' : 'value-or-end' });
      return at + 1;
    }
    if (!frame) return -1;
    if (code === 0x7d || code === 0x5d) {
      const ends =
        frame.expects === 'comma-or-end' || frame.expects === 'key-or-end' || frame.expects === 'value-or-end';
      if (!ends || frame.object !== (code === 0x7d)) return -1;
      this.#frames.pop();
      this.#close(frame, line, skipSpace(text, at + 1) === text.length);
      return at + 1;
    }
    if (code === 0x2c) {
      if (frame.expects !== 'comma-or-end') return -1;
      frame.expects = frame.object ? 'key' : 'value';
      return at + 1;
    }
    if (code === 0x3a) {
      if (frame.expects !== 'colon') return -1;
      frame.expects = 'value';
      return at + 1;
    }
    if (code === 0x22) {
      const end = skipString(text, at);
      if (end < 0 || !isString(text.slice(at, end))) return -1;
      if (frame.expects === 'key' || frame.expects === 'key-or-end') frame.expects = 'colon';
      else if (!this.#takesValue(frame)) return -1;
      return end;
    }
    WORD.lastIndex = at;
    if (!WORD.test(text) || !this.#takesValue(frame)) return -1;
    return WORD.lastIndex;
  }

  #takesValue(frame: Frame): boolean {
    if (frame.expects !== 'value' && frame.expects !== 'value-or-end') return false;
    frame.expects = 'comma-or-end';
    return true;
  }

  #close(frame: Frame, line: number, endsLine: boolean): void {
    if (this.#frames.length === this.#base || !this.#isLeader(frame) || !endsLine || frame.line === line) return;
    while (this.#runs.length > this.#handedOut && (this.#runs.at(-1)?.from ?? -1) >= frame.line) this.#runs.pop();
    this.#runs.push({ from: frame.line, to: line });
  }
}

function isString(quoted: string): boolean {
  try {
    JSON.parse(quoted);
    return true;
  } catch {
    return false;
  }
}
