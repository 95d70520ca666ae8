import { stringOf } from '../entries/entry-type.ts';
import { isHeader } from '../entries/envelope-check.ts';
import type { ConversionOptions, ConversionReport, LogFormat, LogSource } from '../formats/format.ts';
import { LostText } from '../formats/long-texts.ts';
import { chooseSession, isNamed } from '../formats/sessions.ts';
import { type JsonObject, parseObject } from '../json/value.ts';
import { encodeUtf8 } from '../lines/line.ts';
import { uint32Column } from '../util/column.ts';
import { LogError } from '../util/errors.ts';
import { type ByteStore, SCRATCH_BYTES, type Scratch, withHead } from './byte-store.ts';
import type { LeftOut } from './log-entry.ts';

/** The buffer of a conversion that has ended: of many short logs each would leave one to be cleaned up. */
let spare: Buffer | undefined;

const NEWLINE = 0x0a;

/** A log of another format or version as a native one. */
export interface NativeForm {
  /** The file that the lines are of; it may be another one than the user named. */
  readonly name: string;
  /** The lines before all others, where the format gives them apart, one character per byte. */
  readonly head: readonly string[];
  readonly store: ByteStore;
  /** The line of the file that a line of the store is made from; 0 for one of the head. */
  readonly lineOf: (line: number) => number;
  /** Lines of the file that are damaged and were left out. */
  readonly damage: readonly LeftOut[];
  readonly report: ConversionReport | undefined;
  /** The ids of entries that repeat what the log of another session has. */
  readonly replayed: ReadonlySet<string>;
}

export function headerOf({ head }: NativeForm): JsonObject | undefined {
  return head.map(parseObject).find((value) => value !== undefined && isHeader(value));
}

interface NativeFormOptions extends ConversionOptions {
  /** Where the native form is kept. */
  readonly scratch: () => Scratch;
  /** Gets what the user has to know; `where` is the name, with the line where it concerns one. */
  readonly onWarning: (where: string, message: string) => void;
  /** Changes a line, one character per byte, before anybody reads it. */
  readonly change?: ((raw: string) => string) | undefined;
}

/**
 * The session of a source that is wanted, in its native form. A format gives what the source holds; what is in a file
 * beside it, such as the session of a subagent, is known from the report.
 */
export async function sessionForm(
  source: LogSource,
  format: Required<Pick<LogFormat, 'toNative'>>,
  options: NativeFormOptions,
): Promise<NativeForm> {
  const form = await nativeForm(source, format, options);
  const { session: wanted } = options;
  const { report } = form;
  const nativeId = stringOf(headerOf(form)?.['id']);
  if (wanted === undefined || !report || isNamed({ id: report.session, nativeId }, wanted)) return form;
  await form.store.close();
  const found = chooseSession(source.name, report.sessions, wanted);
  const other = await source.open(found?.path ?? '');
  if (!other) throw new LogError(source.name, `the file of session '${wanted}' was not found`);
  try {
    return await nativeForm(other, format, { ...options, session: undefined });
  } finally {
    await other.close();
  }
}

/** Converts a log. Its lines are kept in the scratch, because what comes before them may be known last. */
export async function nativeForm(
  source: LogSource,
  { toNative }: Required<Pick<LogFormat, 'toNative'>>,
  options: NativeFormOptions,
): Promise<NativeForm> {
  const { scratch: newScratch, onWarning, change, ...conversion } = options;
  let { name } = source;
  let scratch = newScratch();
  try {
    let sourceLines = uint32Column();
    const damage: LeftOut[] = [];
    const replayed = new Set<string>();
    let buffer = spare ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    spare = undefined;
    let bytes = 0;
    let last = 0;
    const flush = (): void => {
      if (bytes > 0) buffer = scratch.write(buffer, bytes);
      bytes = 0;
    };
    let head: readonly string[] = [];
    let report: ConversionReport | undefined;
    const put = (piece: string | Buffer, encoding: 'latin1' | 'utf8' = 'utf8'): void => {
      // UTF-8 has at most three bytes for a unit of UTF-16.
      const most = typeof piece === 'string' && encoding === 'utf8' ? 3 * piece.length : piece.length;
      if (bytes + most >= SCRATCH_BYTES) flush();
      if (most >= SCRATCH_BYTES) {
        const whole = Buffer.from(piece as string, encoding);
        scratch.write(whole, whole.length);
      } else bytes += typeof piece === 'string' ? buffer.write(piece, bytes, encoding) : piece.copy(buffer, bytes);
    };
    const endLine = (sourceLine: number, isOpen = false): void => {
      if (!isOpen) {
        if (bytes === SCRATCH_BYTES) flush();
        buffer[bytes++] = NEWLINE;
      }
      // What is about the whole file, such as its title, belongs where it is written.
      if (sourceLine > 0) last = sourceLine;
      sourceLines.push(last);
    };
    const sink = {
      head: (lines: readonly string[]) => {
        head = change ? lines.map(change) : lines;
      },
      line: (raw: string, sourceLine: number, isOpen = false) => {
        put(change ? change(raw) : raw, 'latin1');
        endLine(sourceLine, isOpen);
      },
      pieces: (pieces: readonly (string | Buffer)[], sourceLine: number) => {
        if (change) {
          const raws = pieces.map((piece) =>
            typeof piece === 'string' ? encodeUtf8(piece) : piece.toString('latin1'),
          );
          sink.line(raws.join(''), sourceLine);
          return;
        }
        for (const piece of pieces) put(piece);
        endLine(sourceLine);
      },
      leftOut: (line: number, rule: string) => void damage.push({ line, rule }),
      warn: (line: number, message: string) =>
        onWarning(line === 0 ? name : name === '' ? `line ${line}` : `${name}:${line}`, message),
      restart: () => {
        scratch.discard();
        scratch = newScratch();
        sourceLines = uint32Column();
        damage.length = 0;
        replayed.clear();
        bytes = 0;
      },
      file: (path: string) => {
        name = path;
      },
      replayed: (id: string) => void replayed.add(id),
      report: (made: ConversionReport) => {
        report = made;
      },
    };
    try {
      await toNative(source, sink, conversion);
    } catch (error) {
      if (!(error instanceof LostText)) throw error;
      sink.restart();
      await toNative({ ...source, scanner: 'off' }, sink, conversion);
    }
    flush();
    spare = buffer;
    const body = await scratch.store();
    return {
      name,
      head,
      store: head.length > 0 ? withHead(Buffer.from(`${head.join('\n')}\n`, 'latin1'), body) : body,
      lineOf: (line) => (line <= head.length ? 0 : sourceLines.at(line - 1 - head.length)),
      damage,
      report,
      replayed,
    };
  } catch (error) {
    scratch.discard();
    throw error;
  }
}
