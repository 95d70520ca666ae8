import type { Io, Progress } from '../shared/command.ts';
import { printable } from '../util/printable.ts';
import { columnsOf, cutToWidth } from '../util/width.ts';
import { counted, grouped } from '../util/words.ts';

const QUIET_MS = 1_000;
const BETWEEN_MS = 100;
const MEGABYTE = 1_000_000;
const ERASE = '\r\u001b[K';

export interface ProgressLine extends Progress {
  /** Takes the line off the terminal, until there is news again. */
  clear(): void;
}

/**
 * One line on a terminal's stderr, from the second second on. Drawn when something was read and never by a timer, so it
 * cannot keep the program alive; everything else that is written takes it off first.
 */
export function makeProgress(stderr: Io['stderr'], env: Io['env'], now: () => number): ProgressLine {
  if (stderr.isTTY !== true || env['TERM'] === 'dumb')
    return { wanted: false, expect() {}, read() {}, file() {}, clear() {} };
  const begun = now();
  let drawn = begun;
  let shown = false;
  let expected = 0;
  let bytes = 0;
  let files = 0;
  let current = '';
  const draw = (): void => {
    const time = now();
    if (time - begun < QUIET_MS || (shown && time - drawn < BETWEEN_MS)) return;
    drawn = time;
    shown = true;
    // A line that wraps could not be erased.
    stderr.write(`${ERASE}${cutToWidth(line(bytes, expected, files, current), columnsOf(stderr) - 1)}`);
  };
  return {
    wanted: true,
    expect: (more) => {
      expected += more;
    },
    read: (more) => {
      bytes += more;
      draw();
    },
    file: (name) => {
      files++;
      current = name === '-' ? '' : name;
      draw();
    },
    clear: () => {
      if (!shown) return;
      shown = false;
      stderr.write(ERASE);
    },
  };
}

function line(bytes: number, expected: number, files: number, current: string): string {
  const read = grouped(Math.floor(bytes / MEGABYTE));
  // A few entries may be read once more. A file that grows may give far more than was expected; then no share is told.
  const share =
    expected > 0 && bytes <= expected * 1.01
      ? ` of ${grouped(Math.ceil(expected / MEGABYTE))} MB (${percent(bytes, expected)})`
      : ' MB';
  const where = files > 1 ? `, ${counted(files, 'file')}` : '';
  return `${read}${share} read${where}${current === '' ? '' : `: ${printable(current)}`}`;
}

function percent(bytes: number, expected: number): string {
  return `${Math.min(100, Math.floor((bytes / expected) * 100))}%`;
}

/** A stream that takes the progress line off before each write. */
export function clearing<Stream extends Io['stdout']>(stream: Stream, progress: ProgressLine): Stream {
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'write' || name === 'end') {
        return (...given: unknown[]): unknown => {
          progress.clear();
          return Reflect.apply(value, target, given);
        };
      }
      return value.bind(target) as unknown;
    },
  });
}
