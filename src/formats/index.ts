import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { skipSpace, skipValue } from '../json/text.ts';
import { parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { AppError } from '../util/errors.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { gzip, sqlite, zip, zstd } from './containers.ts';
import { Evidence } from './evidence.ts';
import type { LogFormat } from './format.ts';
import { gemini } from './gemini.ts';
import { Head } from './head.ts';
import { LINES_TO_LOOK_AT } from './native/native.ts';
import { aider, atif, droid, eventLog, goose, openCode, sessionTrace } from './other-agents.ts';
import { piSdk } from './pi-sdk.ts';
import { binary, jsonDocument, jsonLines, printedLog, text } from './plain.ts';

export { Evidence, ORIGINS, type Origin } from './evidence.ts';
export { isNative, LINES_TO_LOOK_AT } from './native/native.ts';

/** The formats that are named when a file is not ours; the first that detects it counts. */
export const foreignFormats: LogFormat[] = [
  sqlite,
  zstd,
  gzip,
  zip,
  aider,
  atif,
  openCode,
  goose,
  gemini,
  codex,
  piSdk,
  sessionTrace,
  droid,
  eventLog,
  claudeCode,
  binary,
  printedLog,
  jsonDocument,
  jsonLines,
  text,
];

export type Identity =
  | { readonly ours: true }
  | { readonly ours: false; readonly format: string; readonly title: string; readonly noun: string };

/**
 * Whether a file is a session log of ours, by its first lines: hand in at least the first 256 that are not blank, or all
 * there are. A file without any is an empty log of ours.
 */
export function identify(firstLines: readonly Line[]): Identity {
  const lines = firstLines.filter((line) => !line.blank).slice(0, LINES_TO_LOOK_AT);
  const evidence = new Evidence();
  for (const line of lines) seeLine(evidence, line);
  if (lines.length === 0 || evidence.end()) return { ours: true };
  const format = foreignFormat(lines);
  return { ours: false, format: format.id, title: format.title, noun: format.noun };
}

/** What a file that is not ours seems to be, by its first lines. */
export function foreignFormat(firstLines: readonly Line[]): LogFormat {
  const start = new Head(firstLines.filter((line) => !line.blank).slice(0, LINES_TO_LOOK_AT));
  return foreignFormats.find((one) => one.detect(start)) ?? text;
}

/** What is said about a file that was named on the command line and is not ours. */
export function foreignError(name: string, foreign: { readonly title: string }): AppError {
  return new AppError(`${name}: ${foreignMessage(foreign)}`);
}

export function foreignMessage(foreign: { readonly title: string }): string {
  return `not a pi or omp session log (looks like ${foreign.title})`;
}

/** Tells the evidence what a line holds. Damaged bytes inside of a string, or zeros around an object, do not change whose it is. */
export function seeLine(evidence: Evidence, line: Line): void {
  if (line.blank || line.oversize > 0) return;
  const isMarked = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK);
  const unmarked = isMarked ? line.text.slice(line.encoding === 'invalid' ? BYTE_ORDER_MARK.length : 1) : line.text;
  const text = unmarked.includes('\0') ? unmarked.replace(/^[\0\s]+|[\0\s]+$/g, '') : unmarked;
  const whole = parseObject(text);
  const value = whole ?? parseObject(firstObject(text));
  if (value) evidence.see(value, whole !== undefined);
}

/** The object that a line starts with: a log that lost its line ends is damaged, but ours. */
function firstObject(text: string): string {
  const start = skipSpace(text, 0);
  const end = text[start] === '{' ? skipValue(text, start) : -1;
  return end < 0 ? '' : text.slice(start, end);
}
