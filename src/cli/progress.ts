import type { Io, Progress } from '../shared/command.ts';
import { NO_PROGRESS } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import { columnsOf, cutToWidth } from '../util/width.ts';
import { counted, grouped } from '../util/words.ts';

const QUIET_MS = 1_000;
const BETWEEN_MS = 100;
const MEGABYTE = 1_000_000;
const ERASE = '\r\u001b[K';
/** The default phase. */
const READING = 'reading';

export interface ProgressLine extends Progress {
  /** Erases the line until the next update. */
  clear(): void;
  /** Erases it for good. */
  end(): void;
}

/**
 * One line on a terminal's stderr, from the second second on. Drawn when something was read and never by a timer, so it
 * cannot keep the program alive; everything else that is written takes it off first.
 */
export function makeProgress(stderr: Io['stderr'], env: Io['env'], now: () => number): ProgressLine {
  if (stderr.isTTY !== true || env['TERM'] === 'dumb') return { ...NO_PROGRESS, clear() {}, end() {} };
  const startedAt = now();
  let lastDrawn = startedAt;
  let shown = false;
  let ended = false;
  let expected = 0;
  let bytes = 0;
  let files = 0;
  let current = '';
  let phase = READING;
  let share = 0;
  /** It never falls: where the total grows, it stays until as much of that has been read. */
  const percent = (): number => {
    share = Math.max(share, Math.min(1, bytes / expected));
    return Math.floor(share * 100);
  };
  const draw = (): void => {
    const time = now();
    if (ended || time - startedAt < QUIET_MS || (shown && time - lastDrawn < BETWEEN_MS)) return;
    lastDrawn = time;
    shown = true;
    // A few entries may be read once more. A file that grows may give more than was expected: no share is shown then.
    const isKnown = expected > 0 && bytes <= expected * 1.01;
    const total = isKnown ? ` of ${grouped(Math.ceil(expected / MEGABYTE))} MB (${percent()}%)` : ' MB';
    const where = `${files > 1 ? `, ${counted(files, 'file')}` : ''}${current && `: ${printable(current)}`}`;
    const line = `${grouped(Math.floor(bytes / MEGABYTE))}${total}, ${phase}${where}`;
    // A line that wraps could not be erased.
    stderr.write(`${ERASE}${cutToWidth(line, columnsOf(stderr) - 1)}`);
  };
  const clear = (): void => {
    if (shown) stderr.write(ERASE);
    shown = false;
  };
  return {
    isShown: true,
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
      phase = READING;
      draw();
    },
    phase: (name) => {
      phase = name;
    },
    clear,
    end: () => {
      clear();
      ended = true;
    },
  };
}

/**
 * A stream that takes the progress line off: on a terminal before each write, in a pipe with the first one, because its
 * reader, such as `less`, may show on the terminal what it reads.
 */
export function clearing(stream: Io['stdout'], progress: ProgressLine): Io['stdout'] {
  const { isTTY = false, isPipe = false } = stream;
  if (!isTTY && !isPipe) return stream;
  return {
    isTTY,
    isPipe,
    get columns() {
      return columnsOf(stream);
    },
    write: (chunk, done) => {
      if (isTTY) progress.clear();
      else progress.end();
      return stream.write(chunk, done);
    },
    on: (event, listener) => stream.on(event, listener),
  };
}
