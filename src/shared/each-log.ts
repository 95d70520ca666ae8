import { isFolder } from '../files/input.ts';
import { type FoundFile, findSessions } from '../files/walk.ts';
import { AppError, UnsupportedLog } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';

/** Whether an operand is a folder; what is not there is reported when it is opened. */
export async function isFolderName(name: string): Promise<boolean> {
  return name !== '-' && (await isFolder(name).catch(() => false));
}

/**
 * Works on every log that is named or below a folder, and gives the worst exit code. One bad file is reported, and the
 * others are still processed; in a folder, files that the command does not take are counted.
 */
export async function eachLog(
  names: readonly string[],
  io: Io,
  work: (name: string, isNamed: boolean) => Promise<number>,
): Promise<number> {
  const count = { done: 0, skipped: 0, failed: 0 };
  let code = 0;
  for await (const { path, error, isNamed } of logsOf(names)) {
    try {
      if (error) throw error;
      code = Math.max(code, await work(path, isNamed));
      count.done++;
    } catch (thrown) {
      const isAlone = names.length === 1 && isNamed;
      if (isAlone || !(thrown instanceof AppError) || io.signal.aborted) throw thrown;
      if (!isNamed && thrown instanceof UnsupportedLog) {
        count.skipped++;
        continue;
      }
      io.note(thrown.message);
      count.failed++;
      code = 2;
    }
  }
  if (count.done + count.failed === 0)
    throw new AppError(`${names.join(', ')}: no log found that this command takes; 'sessionctl ls' lists sessions`);
  if (count.skipped > 0) io.note(`${counted(count.skipped, 'file')} skipped, of kinds that this command does not take`);
  return code;
}

/** The logs that are named or below a folder. */
async function* logsOf(names: readonly string[]): AsyncGenerator<FoundFile & { readonly isNamed: boolean }> {
  for (const name of names) {
    if (await isFolderName(name)) for await (const found of findSessions(name)) yield { ...found, isNamed: false };
    else yield { path: name, isNamed: true };
  }
}
