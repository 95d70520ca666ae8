import type { JsonObject } from '../json/value.ts';
import { Line } from '../lines/line.ts';
import { LogError, UnsupportedLog } from '../util/errors.ts';
import { aider } from './aider/index.ts';
import { atif } from './atif/index.ts';
import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import { eventLog } from './event-log/index.ts';
import { DETECTION_LINES, FormatEvidence, ORIGINS, type Origin, originOf } from './evidence.ts';
import { type Certainty, type ConversionReport, Head, type LogFormat, STAMP } from './format.ts';
import { gemini } from './gemini/index.ts';
import { goose } from './goose/index.ts';
import { openclaw } from './openclaw/index.ts';
import { opencode } from './opencode/index.ts';
import { recognizedFormats } from './recognized.ts';
import { recordLog } from './record-log/index.ts';
import { seed000 } from './seed-000/index.ts';
import { sts } from './sts/index.ts';

export { DETECTION_LINES, FormatEvidence, ORIGINS, type Origin, originOf } from './evidence.ts';

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

/** The formats that are read, as `--from` names them. */
export function readFormats(): string[] {
  return [...ORIGINS, ...foreignFormats.filter(({ toNative }) => toNative).map(({ id }) => id)];
}

/** The formats that are written, as `--to` names them. */
export function writtenFormats(): string[] {
  return [...ORIGINS, ...foreignFormats.filter(({ fromNative }) => fromNative).map(({ id }) => id)];
}

/** Whether the entry with this type was made by a conversion. */
function isConverted(customType: unknown): boolean {
  if (typeof customType !== 'string') return false;
  return foreignFormats.some(({ id, toNative }) => toNative !== undefined && customType.startsWith(`${id}/`));
}

/** Whether an entry only keeps a record that is outside of the conversation. */
export function isBookkeeping({ type, customType }: JsonObject): boolean {
  return type === 'custom' && (customType === STAMP || isConverted(customType));
}

/** Whether an entry has text that another agent showed to the model and not to the user. */
export function isHiddenContext({ type, customType, display }: JsonObject): boolean {
  return type === 'custom_message' && display === false && isConverted(customType);
}

/** The detected format of a file that is not native. */
export interface Identity {
  readonly format: LogFormat;
  /** Undefined where only `--from` says so. */
  readonly certainty: Certainty | undefined;
  /** The detected format, whatever `--from` says. */
  readonly looksLike: LogFormat;
  /** It has no lines that can be checked one by one. */
  readonly isDocument: boolean;
}

/** Identifies a file that is not native, by its first lines; `from` counts unless it is certainly wrong. */
export function identify(name: string, firstLines: readonly Line[], from?: string): Identity {
  const head = new Head(firstLines.filter((line) => !line.blank).slice(0, DETECTION_LINES));
  // The last format detects everything.
  const looksLike = foreignFormats.find((one) => one.detect(head)) as LogFormat;
  const format = foreignFormats.find(({ id }) => id === from) ?? looksLike;
  const certainty = format.detect(head);
  if (!certainty && looksLike.detect(head) === 'certain') throw unfitError(name, format, looksLike.title);
  return { format, certainty, looksLike, isDocument: format.isDocument?.(head) === true };
}

/** Identifies a long document by its start; undefined for any other file. */
export function identifyDocument(name: string, start: Buffer, from?: string): Identity | undefined {
  const lines = start.toString('latin1').split('\n');
  const identity = identify(
    name,
    lines.map((raw, at) => new Line(at + 1, 0, raw, false, 'invalid')),
    from,
  );
  return identity.isDocument && identity.certainty ? identity : undefined;
}

/** `--from` names a format that the file does not have. */
export function unfitError(name: string, { id }: Pick<LogFormat, 'id'>, title: string): LogError {
  return new LogError(name, `does not fit '--from ${id}'; it looks like ${title}`, 'NOT_A_SESSION');
}

/** Refuses a format that is only recognized. */
export function requireReadable(name: string, format: LogFormat): LogFormat & Required<Pick<LogFormat, 'toNative'>> {
  const { toNative } = format;
  if (!toNative) throw new UnsupportedLog(name, unsupportedMessage(format));
  return { ...format, toNative };
}

/** Refuses a log that `--from` forced, where no record was known. */
export function requireFit(name: string, identity: Identity, report: ConversionReport | undefined): void {
  const { format, certainty, looksLike } = identity;
  if (certainty || !report || report.counts.mapped + report.counts.merged > 0) return;
  throw unfitError(name, format, looksLike.title);
}

/** Whether `repair` writes logs of a format; undefined is ours. */
export function canRepair(format: LogFormat | undefined): boolean {
  return format === undefined || format.isRepairable === true;
}

/** The formats that `validate` and `repair` check, as `--from` names them. */
export function checkedFormats(): string[] {
  return [...ORIGINS, ...foreignFormats.filter((format) => format.checks ?? format.nativeSessions).map(({ id }) => id)];
}

/** The note on a file whose format is only probable. */
export function probably({ title, id }: LogFormat): string {
  return `probably ${title}, and read as one; '--from ${id}' confirms it`;
}

/** The error of a command that takes logs of other agents too. */
export function unsupportedMessage({ title, toNative }: LogFormat): string {
  // Some titles have a hint of their own.
  const hint = title.includes(';') ? '' : "; 'sessionctl formats' lists those that are";
  if (!toNative) return `not a supported session log (looks like ${title})${hint}`;
  return `looks like ${title}, which is read and not checked; check what 'sessionctl convert' makes of it`;
}

/** The error of a command that only takes native logs, or is told that it is one by `--from`. */
export function foreignError(name: string, format: LogFormat, from?: Origin): UnsupportedLog {
  const { title, toNative } = format;
  if (from) return new UnsupportedLog(name, unfitError(name, { id: from }, title).reason);
  const hint = toNative ? "'sessionctl convert' makes one of it" : "'sessionctl formats' lists what can be read";
  return new UnsupportedLog(name, `not a pi or omp session log (looks like ${title}); ${hint}`);
}

/** The numbers of lines after which a log that is not native is compared with other formats. */
const EARLY_CHECKS = [1, 4, 16, 64];

/** A rewriting command decides after so many bytes, for it has to hold them. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

export interface DetectionOptions {
  /** False for a file that was found in a folder: `foreign` is set, and nothing is thrown. */
  readonly named?: boolean;
  readonly from?: string | undefined;
  /** The file will be changed: it has to be certainly native, unless `from` says so. */
  readonly rewriting?: { readonly anyVersion: boolean };
}

/** Holds the first lines of an input back until they show that it is a native log. */
export class Detection {
  /** Set for a file that is not native. */
  identity: Identity | undefined;
  /** The file is native: nothing is held back any more. */
  open = false;
  readonly #name: string;
  readonly #options: DetectionOptions;
  readonly #evidence: FormatEvidence;
  readonly #origin: Origin | undefined;
  #held: Line[] = [];
  #lines = 0;
  /** Identified early, without `from`. */
  #early: Identity | undefined;
  #bytes = 0;

  constructor(name: string, options: DetectionOptions = {}) {
    this.#name = name;
    this.#options = options;
    this.#origin = originOf(options.from);
    this.#evidence = new FormatEvidence(this.#origin);
  }

  get foreign(): LogFormat | undefined {
    return this.identity?.format;
  }

  /** Adds lines and gives those that can be processed: none until the file is known to be native. */
  pass(lines: readonly Line[]): readonly Line[] {
    if (this.open) return lines;
    if (this.foreign && !this.foreign.checks) return [];
    for (const line of lines) this.#held.push(line);
    if (this.foreign) return [];
    for (const line of lines) {
      this.#bytes += line.length;
      this.#evidence.addLine(line);
      if (line.blank) continue;
      this.#lines++;
      if (this.#isDecided || this.#lines >= DETECTION_LINES || this.#isCertainlyForeign) return this.end();
    }
    return [];
  }

  /** Gives the held lines of a file that is not native, and forgets them. */
  takeForeign(): readonly Line[] {
    return this.#held.splice(0);
  }

  get #isDecided(): boolean {
    if (this.#evidence.isNative !== true) return false;
    return !this.#options.rewriting || this.#evidence.settled || this.#bytes > MOST_HELD_BYTES;
  }

  /** A few lines are enough for most logs of other agents. */
  get #isCertainlyForeign(): boolean {
    if (this.#evidence.isNative !== false || !EARLY_CHECKS.includes(this.#lines)) return false;
    const identity = identify(this.#name, this.#held);
    if (identity.certainty !== 'certain') return false;
    this.#early = identity;
    return true;
  }

  /** Decides now: at the end of the input, or where no more lines can be held. */
  end(): readonly Line[] {
    if (this.open || this.foreign) return [];
    const lines = this.#held;
    const { named = true, rewriting, from } = this.#options;
    if (this.#lines > 0 && !this.#evidence.end()) {
      this.identity = (from === undefined && this.#early) || identify(this.#name, lines, from);
      if (named || this.#origin) throw foreignError(this.#name, this.identity.format, this.#origin);
      return [];
    }
    const wanted = foreignFormats.find(({ id }) => id === from);
    if (wanted && this.#lines > 0) throw unfitError(this.#name, wanted, 'a pi or omp session log');
    const refusal = rewriting && this.#evidence.refusal(rewriting);
    if (refusal !== undefined) throw new LogError(this.#name, refusal, 'NOT_A_SESSION');
    this.open = true;
    this.#held = [];
    return lines;
  }
}
