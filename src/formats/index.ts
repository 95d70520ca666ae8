import type { Line } from '../lines/line.ts';
import { AppError } from '../util/errors.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { LINES_TO_LOOK_AT } from './evidence.ts';
import { Head, type LogFormat } from './format.ts';
import { recognizedFormats } from './recognized.ts';

export { Evidence, LINES_TO_LOOK_AT, ORIGINS, type Origin, seeLine } from './evidence.ts';

/** The formats other than the native one; the first that detects a file counts. */
export const foreignFormats: LogFormat[] = [codex, claudeCode, ...recognizedFormats];

/** What a file that is not ours seems to be, by its first lines. */
export function foreignFormat(firstLines: readonly Line[]): LogFormat {
  const head = new Head(firstLines.filter((line) => !line.blank).slice(0, LINES_TO_LOOK_AT));
  // The last one detects everything.
  return foreignFormats.find((one) => one.detect(head)) as LogFormat;
}

/** What is said about a file that is not ours. */
export function foreignMessage({ title }: LogFormat): string {
  return `not a pi or omp session log (looks like ${title})`;
}

export function foreignError(name: string, format: LogFormat): AppError {
  return new AppError(`${name}: ${foreignMessage(format)}`);
}
