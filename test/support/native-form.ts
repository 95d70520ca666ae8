import { readFileSync } from 'node:fs';
import { filesNear } from '../../src/files/near.ts';
import type { ConversionOptions, ConversionReport, LogFormat, LogSource } from '../../src/formats/format.ts';
import type { ByteStore } from '../../src/log/byte-store.ts';
import { logSource } from '../../src/log/open-log.ts';
import { testIo } from './io.ts';

export interface NativeText {
  /** Header and entries, one JSON text each. */
  readonly lines: readonly string[];
  readonly report: ConversionReport;
  /** Lines that were left out as damaged. */
  readonly leftOut: readonly number[];
  readonly warnings: readonly string[];
  /** How often the conversion began again. */
  readonly restarts: number;
}

function memoryStore(bytes: Buffer, chunkBytes: number): ByteStore {
  return {
    size: bytes.length,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
    readAt: async (buffer, position) => bytes.copy(buffer, 0, Math.min(position, bytes.length)),
    close: async () => {},
  };
}

/** A source of bytes in memory, with the files that are beside a path where one is given. */
export function memorySource(bytes: Buffer, { name = '-', path = '', chunkBytes = 65_536 } = {}): LogSource {
  const { random, near } = { random: (count: number) => new Uint8Array(count), near: filesNear(path, testIo('')) };
  return logSource(memoryStore(bytes, chunkBytes), { name, random, ...(path === '' ? {} : { near }) });
}

export async function nativeTextOf(
  format: LogFormat,
  source: LogSource,
  options: Partial<ConversionOptions> = {},
): Promise<NativeText> {
  const lines: string[] = [];
  const leftOut: number[] = [];
  const warnings: string[] = [];
  let restarts = 0;
  let head: readonly string[] = [];
  let report: ConversionReport | undefined;
  const decoded = (raw: string): string => Buffer.from(raw, 'latin1').toString('utf8');
  const sink = {
    head: (raws: readonly string[]) => {
      head = raws;
    },
    line: (raw: string) => void lines.push(decoded(raw)),
    pieces: (pieces: readonly (string | Buffer)[]) => void lines.push(pieces.join('')),
    leftOut: (line: number) => void leftOut.push(line),
    warn: (_line: number, message: string) => void warnings.push(message),
    restart: () => {
      lines.length = 0;
      leftOut.length = 0;
      warnings.length = 0;
      restarts++;
    },
    report: (made: ConversionReport) => {
      report = made;
    },
  };
  await format.toNative?.(source, sink, { dialect: 'pi', keep: 'meta', ...options });
  if (!report) throw new Error('the conversion has not reported');
  return { lines: [...head.map(decoded), ...lines], report, leftOut, warnings, restarts };
}

/** The native form of a file, which its name does not show, so that it is the same everywhere. */
export function nativeTextOfFile(format: LogFormat, path: string, options: Partial<ConversionOptions> = {}) {
  return nativeTextOf(format, memorySource(readFileSync(path), { path }), options);
}
