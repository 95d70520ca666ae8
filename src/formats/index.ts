import type { JsonObject } from '../json/value.ts';
import { Line } from '../lines/line.ts';
import { AppError, UnsupportedLog } from '../util/errors.ts';
import { aider } from './aider/index.ts';
import { atif } from './atif/index.ts';
import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import { eventLog } from './event-log/index.ts';
import { FormatEvidence, LINES_TO_LOOK_AT, ORIGINS, type Origin, seeLine } from './evidence.ts';
import { type Certainty, type ConversionReport, Head, type LogFormat, STAMP } from './format.ts';
import { gemini } from './gemini/index.ts';
import { goose } from './goose/index.ts';
import { openclaw } from './openclaw/index.ts';
import { opencode } from './opencode/index.ts';
import { recognizedFormats } from './recognized.ts';
import { recordLog } from './record-log/index.ts';
import { seed000 } from './seed-000/index.ts';
import { sts } from './sts/index.ts';

export { FormatEvidence, LINES_TO_LOOK_AT, ORIGINS, type Origin, seeLine } from './evidence.ts';

/** The formats other than the native one; the first that detects a file counts. */
export const foreignFormats: LogFormat[] = [
  // One line each.
  codex,
  claudeCode,
  gemini,
  goose,
  openclaw,
  atif,
  sts,
  recordLog,
  eventLog,
  opencode,
  aider,
  seed000,
  ...recognizedFormats,
];

/** The names of all formats that are read, as `--from` takes them. */
export function readFormats(): string[] {
  return [...ORIGINS, ...foreignFormats.filter(({ toNative }) => toNative).map(({ id }) => id)];
}

/** The names of all formats that sessions are written in, as `--to` takes them. */
export function writtenFormats(): string[] {
  return [...ORIGINS, ...foreignFormats.filter(({ fromNative }) => fromNative).map(({ id }) => id)];
}

/** Whether an extension's type is that of an entry which a conversion has made. */
function isConverted(customType: unknown): boolean {
  if (typeof customType !== 'string') return false;
  return foreignFormats.some(({ id, toNative }) => toNative !== undefined && customType.startsWith(`${id}/`));
}

/** Whether an entry only keeps what another agent's log had beside the conversation. */
export function isBookkeeping({ type, customType }: JsonObject): boolean {
  return type === 'custom' && (customType === STAMP || isConverted(customType));
}

/** Whether an entry has text that another agent gave to the model and not to the user. */
export function isHiddenContext({ type, customType, display }: JsonObject): boolean {
  return type === 'custom_message' && display === false && isConverted(customType);
}

/** What a file that is not ours is taken for. */
export interface Identity {
  readonly format: LogFormat;
  /** Undefined where only the user says so. */
  readonly certainty: Certainty | undefined;
  /** What it seems to be, whatever the user says. */
  readonly looksLike: LogFormat;
  /** It is one JSON document, of which no lines can be checked. */
  readonly isDocument: boolean;
}

/** What a file that is not ours seems to be, by its first lines; or what it is said to be, unless it is surely not. */
export function identify(name: string, firstLines: readonly Line[], from?: string): Identity {
  const head = new Head(firstLines.filter((line) => !line.blank).slice(0, LINES_TO_LOOK_AT));
  // The last one detects everything.
  const looksLike = foreignFormats.find((one) => one.detect(head)) as LogFormat;
  const format = foreignFormats.find(({ id }) => id === from) ?? looksLike;
  const certainty = format.detect(head);
  if (!certainty && looksLike.detect(head) === 'certain') throw unfitError(name, format, looksLike.title);
  return { format, certainty, looksLike, isDocument: format.isDocument?.(head) === true };
}

/** A document that is too long to be held, by the start of it; undefined where it is no such thing. */
export function identifyDocument(name: string, start: Buffer, from?: string): Identity | undefined {
  const lines = start.toString('latin1').split('\n');
  const identity = identify(
    name,
    lines.map((raw, at) => new Line(at + 1, 0, raw, false, 'invalid')),
    from,
  );
  return identity.isDocument && identity.certainty ? identity : undefined;
}

/** The user says that a file has a format that it does not have. */
export function unfitError(name: string, { id }: Pick<LogFormat, 'id'>, title: string): AppError {
  return new AppError(`${name}: does not fit '--from ${id}'; it looks like ${title}`, 'NOT_A_SESSION');
}

/** Refuses what is only recognized. */
export function requireReadable(name: string, format: LogFormat): LogFormat & Required<Pick<LogFormat, 'toNative'>> {
  const { toNative } = format;
  if (!toNative) throw new UnsupportedLog(`${name}: ${unsupportedMessage(format)}`);
  return { ...format, toNative };
}

/** Refuses what the user has taken for a log of this format, where nothing in it was known. */
export function requireFit(name: string, identity: Identity, report: ConversionReport | undefined): void {
  const { format, certainty, looksLike } = identity;
  if (certainty || !report || report.counts.mapped + report.counts.merged > 0) return;
  throw unfitError(name, format, looksLike.title);
}

/** The names of all formats that `validate` and `repair` check in their own form, as `--from` takes them. */
export function checkedFormats(): string[] {
  return [...ORIGINS, ...foreignFormats.filter((format) => format.checks ?? format.nativeSessions).map(({ id }) => id)];
}

/** What is said about a file that is read as what it probably is. */
export function probably({ title, id }: LogFormat): string {
  return `probably ${title}, and read as one; '--from ${id}' confirms it`;
}

/** What is said about a file that is not ours by a command that only takes such files. */
export function foreignMessage({ title, toNative }: LogFormat): string {
  const hint = toNative ? "; 'sessionctl convert' makes one of it" : '';
  return `not a pi or omp session log (looks like ${title})${hint}`;
}

/** What is said about it by a command that takes the logs of other agents too. */
export function unsupportedMessage({ title, toNative }: LogFormat): string {
  // Some titles say what to do.
  const hint = title.includes(';') ? '' : "; 'sessionctl formats' lists those that are";
  if (!toNative) return `not a supported session log (looks like ${title})${hint}`;
  return `looks like ${title}, which is read and not checked; check what 'sessionctl convert' makes of it`;
}

export function foreignError(name: string, format: LogFormat): UnsupportedLog {
  return new UnsupportedLog(`${name}: ${foreignMessage(format)}`);
}

/** After so many lines a log that is surely not ours is compared with other formats, and at the end. */
const EARLY_LOOKS = [1, 4, 16, 64];

/** A rewriting command looks at so many bytes at most before it decides, for it has to hold them. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

interface DetectionOptions {
  /** A file that was only found by walking is not refused: it gives no lines, and `foreign` is what it is. */
  readonly named?: boolean;
  /** The format that the user says it has. */
  readonly from?: string | undefined;
  /** The file will be changed: it has to be ours beyond doubt, unless `from` says so. */
  readonly rewriting?: { readonly anyVersion: boolean };
}

/** Holds the first lines of an input back until they show that it is a session log of ours. */
export class Detection {
  /** What a file that is not ours is. */
  identity: Identity | undefined;
  /** The file is known to be ours: nothing is held back any more. */
  open = false;
  readonly #name: string;
  readonly #options: DetectionOptions;
  readonly #evidence: FormatEvidence;
  readonly #origin: Origin | undefined;
  #held: Line[] = [];
  #looked = 0;
  /** Found early, by its looks alone. */
  #surely: Identity | undefined;
  #bytes = 0;

  constructor(name: string, options: DetectionOptions = {}) {
    this.#name = name;
    this.#options = options;
    this.#origin = ORIGINS.find((one) => one === options.from);
    this.#evidence = new FormatEvidence(this.#origin);
  }

  /** The format of a file that is not ours. */
  get foreign(): LogFormat | undefined {
    return this.identity?.format;
  }

  /** The lines that may be worked on now: none as long as the file may be another agent's, which is an error. */
  pass(lines: readonly Line[]): readonly Line[] {
    if (this.open) return lines;
    if (this.foreign && !this.foreign.checks) return [];
    for (const line of lines) this.#held.push(line);
    if (this.foreign) return [];
    for (const line of lines) {
      this.#bytes += line.length;
      seeLine(this.#evidence, line);
      if (line.blank) continue;
      this.#looked++;
      if (this.#isDecided || this.#looked >= LINES_TO_LOOK_AT || this.#isSurelyForeign) return this.end();
    }
    return [];
  }

  /** The lines of a file that is not ours, as far as they were handed in and not taken. */
  takeForeign(): readonly Line[] {
    return this.#held.splice(0);
  }

  get #isDecided(): boolean {
    if (this.#evidence.ours !== true) return false;
    return !this.#options.rewriting || this.#evidence.settled || this.#bytes > MOST_HELD_BYTES;
  }

  /** Few lines are enough for most logs of other agents. */
  get #isSurelyForeign(): boolean {
    if (this.#evidence.ours !== false || !EARLY_LOOKS.includes(this.#looked)) return false;
    const identity = identify(this.#name, this.#held);
    if (identity.certainty !== 'certain') return false;
    this.#surely = identity;
    return true;
  }

  /** Call it at the end of the input, or where nothing more can be held: the verdict falls now. */
  end(): readonly Line[] {
    if (this.open || this.foreign) return [];
    const lines = this.#held;
    const { named = true, rewriting, from } = this.#options;
    if (this.#looked > 0 && !this.#evidence.end()) {
      this.identity = (from === undefined && this.#surely) || identify(this.#name, lines, from);
      if (named || this.#origin) throw foreignError(this.#name, this.identity.format);
      return [];
    }
    const wanted = foreignFormats.find(({ id }) => id === from);
    if (wanted && this.#looked > 0) throw unfitError(this.#name, wanted, 'a pi or omp session log');
    const refusal = rewriting && this.#evidence.refusal(rewriting);
    if (refusal !== undefined) throw new AppError(`${this.#name}: ${refusal}`, 'NOT_A_SESSION');
    this.open = true;
    this.#held = [];
    return lines;
  }
}
