import { mayHoldRef, refsOf } from '../blobs/images.ts';
import type { Line } from '../lines/line.ts';
import type { Scanner } from '../scanner/scanner.ts';
import { counted } from '../util/words.ts';
import { type DamagedPlace, LogLines } from './log-lines.ts';
import { type Found, newTally, type Redactor, type Tally } from './redactor.ts';

/** A log to search. */
export interface SearchedLog {
  readonly name: string;
  /** The bytes from the start. The memory of a chunk is reused for the next one. */
  readonly read: () => AsyncIterable<Buffer>;
  /** It can be read twice, so that a value is also found before the place that identifies it. */
  readonly rereadable: boolean;
  /** The format given by the user. */
  readonly from: string | undefined;
  /** Finds damaged lines; without it, all lines are parsed for that. */
  readonly scanner?: Scanner | undefined;
}

interface RedactHooks {
  readonly onFound?: (line: Line, found: Found) => void;
  /** Receives each redacted line, one character per byte, with its newline. */
  readonly onLine: (raw: string) => Promise<void> | undefined;
  /** Receives the bytes of a log without secrets; without it, such a log is not read again. */
  readonly onChunk?: (chunk: Buffer) => Promise<void>;
}

/** What was found in a log. */
interface RedactedLog extends Tally {
  readonly lines: number;
  /** References to blobs, which are not searched. */
  readonly refs: number;
  /** Lines that are not JSON objects, and were searched as text. */
  readonly damaged: readonly DamagedPlace[];
}

/** A message about blobs that were not searched. */
export function unsearched(refs: number): string {
  return `${counted(refs, 'blob ref')}; the blobs were not searched`;
}

/** Replaces the secrets in a log. */
export async function redactLog(log: SearchedLog, redactor: Redactor, hooks: RedactHooks): Promise<RedactedLog> {
  if (!log.rereadable) return await pass(log, redactor, hooks);
  const first = await pass(log, redactor, { onLine: () => undefined });
  if (first.replaced.size > 0) return await pass(log, redactor, hooks);
  if (hooks.onChunk) for await (const chunk of log.read()) await hooks.onChunk(chunk);
  return first;
}

async function pass(searched: SearchedLog, redactor: Redactor, { onFound, onLine }: RedactHooks): Promise<RedactedLog> {
  const { name, read, from, scanner } = searched;
  const log = new LogLines(name, from, scanner);
  const tally = newTally();
  redactor.tally = tally;
  let lines = 0;
  let refs = 0;
  for await (const batch of log.read(read())) {
    for (const line of batch) {
      lines++;
      if (mayHoldRef(line.raw) && line.json !== undefined) refs += refsOf(line.raw).length;
      const raw = redactor.line(line, log.keepsLength(line), onFound && ((found) => onFound(line, found)));
      const written = onLine(line.terminated ? `${raw}\n` : raw);
      if (written) await written;
    }
  }
  return { lines, refs, damaged: log.damaged, ...tally };
}
