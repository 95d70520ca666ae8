import { readdir, realpath, stat } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AppError, fileError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { isFolder, sizeOf } from './input.ts';

export interface FoundFile {
  readonly path: string;
  /** Set where a folder could not be read. */
  readonly error?: AppError;
}

/** A log, or one that OpenClaw has put aside: deleted, reset, or taken over into its database. */
const SESSION_NAME = /\.jsonl(?:\.(?:deleted|reset)\.[^/]+|\.imported-[^/]+)?$/;

/** Every session log below a folder, in the order of code units; a link that leads back up is not followed again. */
export function findSessions(folder: string): AsyncGenerator<FoundFile> {
  return findFiles(folder, (name) => SESSION_NAME.test(name));
}

export interface FindOptions {
  /** A folder, without links in its path, that is skipped. */
  readonly except?: string;
  /** Hears of pipes, sockets and devices, which are skipped too. */
  readonly passedOver?: (path: string) => void;
}

/** Every file below a folder whose name is wanted. */
export async function* findFiles(
  folder: string,
  wanted: (name: string) => boolean,
  options: FindOptions = {},
  above: ReadonlySet<string> = new Set(),
): AsyncGenerator<FoundFile> {
  try {
    const real = await promisify(realpath.native)(folder);
    if (above.has(real) || real === options.except) return;
    const entries = await promisify(readdir)(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const within = new Set(above).add(real);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      // A link that leads nowhere counts as a file, so that reading it says what is wrong.
      const facts = entry.isSymbolicLink() ? await promisify(stat)(path).catch(() => undefined) : entry;
      if (facts?.isDirectory()) yield* findFiles(path, wanted, options, within);
      else if (wanted(entry.name)) {
        if (facts?.isFile() ?? true) yield { path };
        else options.passedOver?.(path);
      }
    }
  } catch (error) {
    yield { path: folder, error: fileError(folder, error) };
  }
}

/** Announces how much will be read in all passes, if progress is shown. Returns the bytes of one pass. */
export async function announce(operands: readonly string[], io: Io, passes = 1): Promise<number> {
  if (!io.progress.isShown) return 0;
  let bytes = 0;
  for (const operand of operands) {
    if (operand === '-') continue;
    if (await isFolder(operand).catch(() => false)) {
      for await (const { path, error } of findSessions(operand)) if (!error) bytes += await sizeOf(path);
    } else bytes += await sizeOf(operand);
  }
  io.progress.expect(bytes * passes);
  return bytes;
}
