import { versionOf } from '../entries/envelope-check.ts';
import type { ConversionReport, LogFormat, LogSource } from '../formats/format.ts';
import { Detection, foreignError } from '../formats/index.ts';
import { readBlocks } from '../lines/reader.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import { uint32Column } from '../util/column.ts';
import { shortJson } from '../util/to-json.ts';
import { type ByteStore, type Scratch, withHead } from './byte-store.ts';
import { IndexBuilder } from './index-builder.ts';
import { Log } from './log.ts';
import type { LeftOut } from './log-entry.ts';

/** Lines of a native copy are written some at a time. */
const FLUSH_BYTES = 1024 * 1024;

/** Smaller logs are read sooner than the scanner is compiled. */
const WORTH_A_SCANNER = 1024 * 1024;

/** The files beside a log, by paths from its folder. */
export interface NearFiles {
  list(folder: string): Promise<readonly string[]>;
  open(path: string): Promise<ByteStore | undefined>;
}

export interface OpenLogOptions {
  /** What messages call the log. */
  readonly name: string;
  readonly random: (bytes: number) => Uint8Array;
  /** Gets what the user has to know; `where` is the name, with the line where it concerns one. */
  readonly onWarning: (where: string, message: string) => void;
  /** The bytes of one more pass over the store, counted where somebody wants to know. */
  readonly chunks?: (store: ByteStore) => AsyncIterable<Buffer>;
  readonly scanner?: ScannerKind;
  /** Where a log of another format or version is kept in its native form. */
  readonly scratch: () => Scratch;
  /** None where the log does not come from a file. */
  readonly near?: NearFiles;
}

/**
 * Opens the log in a store: one pass finds what is where, and entries are read when they are asked for. What is not a
 * session log is refused; damaged lines are left out and are in `damage`. The log closes the store.
 */
export async function openLog(store: ByteStore, options: OpenLogOptions): Promise<Log> {
  try {
    return await opened(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function opened(store: ByteStore, options: OpenLogOptions): Promise<Log> {
  const { name, onWarning } = options;
  let pass = await indexed(store, options, false);
  if (pass.foreign) return await converted(store, pass.foreign, options);
  // Perhaps the parent is in a line whose envelope could be read although the line is damaged.
  if (pass.builder.index.missingParents > 0) pass = await indexed(store, options, true);
  const { builder } = pass;
  const { index, header } = builder;
  const { version, known } = header
    ? versionOf(header)
    : ({ version: index.size > 0 && !index.hasId(0) ? 1 : 3, known: true } as const);
  if (!known) onWarning(name, `version ${shortJson(header?.['version'])} is unknown; reading it as version 3`);
  if (version === 3) return new Log(name, store, builder, version);
  const { olderVersion } = await import('../formats/native/migration.ts');
  return await converted(store, olderVersion(version), options, version, builder.endsWithNewline);
}

interface Pass {
  readonly builder: IndexBuilder;
  /** The format of a log that is not native; the index is then of no use. */
  readonly foreign?: LogFormat;
}

async function indexed(store: ByteStore, options: OpenLogOptions, careful: boolean): Promise<Pass> {
  const detection = new Detection(options.name, { named: false });
  const builder = new IndexBuilder({
    key: options.random(8),
    careful,
    look: (line) => {
      detection.pass([line]);
      return detection.open || detection.foreign ? 'enough' : 'go on';
    },
  });
  for await (const piece of readBlocks(chunksOf(store, options))) {
    if (options.scanner !== 'off' && (store.size ?? piece.offset) > WORTH_A_SCANNER && !builder.scanner) {
      const { makeScanner } = await import('../scanner/scanner.ts');
      builder.scanner = makeScanner('compiled', options.random(8));
    }
    builder.take(piece);
    if (detection.foreign) break;
  }
  detection.end();
  if (detection.foreign) return { builder, foreign: detection.foreign };
  builder.index.finish();
  return { builder };
}

function chunksOf(store: ByteStore, options: OpenLogOptions): AsyncIterable<Buffer> {
  return options.chunks?.(store) ?? store.chunks();
}

/** A log of another format or version is read in its native form, from a copy; line numbers are those of the file. */
async function converted(
  store: ByteStore,
  format: Pick<LogFormat, 'toNative'> & Partial<LogFormat>,
  options: OpenLogOptions,
  version = 3,
  endsWithNewline = true,
): Promise<Log> {
  const { name, random, onWarning } = options;
  if (!format.toNative) throw foreignError(name, format as LogFormat);
  const scratch = options.scratch();
  try {
    const sourceLines = uint32Column();
    const damage: LeftOut[] = [];
    let raws: string[] = [];
    let bytes = 0;
    const flush = (): void => {
      if (raws.length > 0) scratch.write(Buffer.from(`${raws.join('\n')}\n`, 'latin1'));
      raws = [];
      bytes = 0;
    };
    let head: readonly string[] = [];
    let report: ConversionReport | undefined;
    const sink = {
      head: (lines: readonly string[]) => {
        head = lines;
      },
      line: (raw: string, sourceLine: number) => {
        sourceLines.push(sourceLine);
        raws.push(raw);
        bytes += raw.length;
        if (bytes > FLUSH_BYTES) flush();
      },
      leftOut: (line: number, rule: string) => void damage.push({ line, rule }),
      warn: (line: number, message: string) => onWarning(line > 0 ? `${name}:${line}` : name, message),
      report: (made: ConversionReport) => {
        report = made;
      },
    };
    await format.toNative(logSource(store, options), sink, { dialect: 'pi', keep: 'meta' });
    flush();
    const body = scratch.store();
    const copy = head.length > 0 ? withHead(Buffer.from(`${head.join('\n')}\n`, 'latin1'), body) : body;
    const lineOf = (line: number): number => (line <= head.length ? 1 : sourceLines.at(line - 1 - head.length));
    const builder = new IndexBuilder({ key: random(8), careful: false, lineOf });
    for await (const piece of readBlocks(chunksOf(copy, options))) builder.take(piece);
    builder.index.finish();
    builder.damage.push(...damage);
    builder.endsWithNewline = endsWithNewline;
    await store.close();
    const log = new Log(name, copy, builder, version);
    log.conversion = report;
    return log;
  } catch (error) {
    scratch.discard();
    throw error;
  }
}

/** A store as the formats see it. */
export function logSource(
  store: ByteStore,
  options: Pick<OpenLogOptions, 'name' | 'random' | 'near' | 'chunks'>,
): LogSource {
  const { name, random, near } = options;
  return {
    name,
    random,
    chunks: () => options.chunks?.(store) ?? store.chunks(),
    readAt: (buffer, position) => store.readAt(buffer, position),
    list: async (folder) => (await near?.list(folder)) ?? [],
    open: async (path) => {
      const found = await near?.open(path);
      return found && logSource(found, { name: path, random, ...(near ? { near } : {}) });
    },
    close: () => store.close(),
  };
}
