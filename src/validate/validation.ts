import { inputChunks, isFolder, isThere, sizeOf } from '../files/input.ts';
import { databaseIn, isDatabaseFile } from '../files/unpack.ts';
import { findSessions } from '../files/walk.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { ByteStore } from '../log/byte-store.ts';
import { type CheckCommand, newSummary, paintedSummary, summaryLine } from '../reporters/index.ts';
import type { Finding } from '../rules/rule.ts';
import { AppError, ClosedPipe, OutputError, UsageError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted, grouped } from '../util/words.ts';
import {
  type CheckResult,
  type CheckSettings,
  checkFile,
  type FileCheck,
  finish,
  type LogChecker,
} from './log-checker.ts';
import type { Reports } from './reports.ts';
import type { Suppressions } from './suppressions.ts';

/** Checks one log. */
type Checker = Pick<LogChecker, 'check'>;

interface ValidationOptions {
  /** By default `validate`. */
  readonly command?: CheckCommand;
  readonly checker: Checker;
  /** What other threads need to check as the checker does; all is checked in this one where it is absent. */
  readonly settings?: CheckSettings;
  readonly reports: Reports;
  readonly quiet: boolean;
  /** Every skipped file is named. */
  readonly listsAll: boolean;
  readonly maxFindings: number;
  /** With more warnings the exit code is 1. */
  readonly maxWarnings?: number | undefined;
  /** Says why a file is not checked, if so. */
  readonly ignore?: ((path: string) => string | undefined) | undefined;
  readonly suppressions?: Suppressions | undefined;
  /** How many files are checked at once; by default the number of cores, if there is enough to do. */
  readonly jobs: number | undefined;
  /** Gets the log itself, byte for byte. */
  readonly pass?: ByteWriter;
}

interface CheckTarget {
  readonly name: string;
  /** Met on a walk through a folder: what is no session log is skipped. */
  readonly found?: boolean;
  /** It cannot be listed. */
  readonly error?: string;
  /** Why it is not to be checked. */
  readonly ignored?: string | undefined;
}

/** Bytes, or the database that they turn out to be; or neither, for a file. */
interface CheckedInput {
  readonly chunks?: AsyncIterable<Buffer>;
  readonly database?: ByteStore;
}

/** Beside a bundle; beside the sources there is none. */
const WORKER = `${import.meta.dirname}/worker.cjs`;
/** Loaded where there is more than one file. */
const threads = () => import('../files/worker-pool.ts');

/** What the user does not want to be checked. */
const IGNORED = 'ignored file';
/** How many skipped files are listed in text output. */
const MOST_LISTED = 10;

/** One run over all files, from the operands to the exit code. */
export class Validation {
  readonly #io: Io;
  readonly #options: ValidationOptions;
  readonly #checker: Checker;
  readonly #summary: ReturnType<typeof newSummary>;
  /** How many skipped files there were for the text output. */
  #named = 0;

  constructor(io: Io, options: ValidationOptions) {
    this.#io = io;
    this.#options = options;
    this.#checker = options.checker;
    this.#summary = newSummary(options.command);
  }

  async run(operands: readonly string[]): Promise<number> {
    const summary = this.#summary;
    const { reports, pass } = this.#options;
    try {
      reports.notify((reporter) => reporter.begin());
      const targets = await this.#targets(operands);
      reports.requireOther(targets.map(({ name }) => name));
      await this.#checkAll(targets);
      if (summary.sessions + summary.failed + summary.skipped === 0) {
        this.#fail(operands.join(', '), "no session log found; pass a file, or a folder with '*.jsonl' files");
      }
      // If this fails, no report may say that all is well.
      await this.#options.suppressions?.save(this.#io);
      summary.objections = this.#objections();
      reports.notify((reporter) => reporter.end(summary));
      await reports.commit();
      await pass?.flush();
      this.#endOnStderr();
      if (summary.sessions === 0) return 2;
    } catch (error) {
      // The reader of our output has seen enough; what was found so far decides.
      if (!(error instanceof ClosedPipe)) throw error;
    } finally {
      reports.discard();
    }
    if (summary.failed > 0) return 2;
    return summary.errors > 0 || this.#objections().length > 0 ? 1 : 0;
  }

  /** What is wrong beside errors. */
  #objections(): string[] {
    const { maxWarnings = Number.POSITIVE_INFINITY, suppressions } = this.#options;
    const { warnings } = this.#summary;
    const unused = suppressions?.unused ?? 0;
    return [
      ...(warnings > maxWarnings ? [`too many warnings: ${grouped(warnings)} (maximum: ${grouped(maxWarnings)})`] : []),
      // New findings would go unseen in their place.
      ...(unused > 0
        ? [`${counted(unused, 'suppressed finding')} no longer found; --prune-suppressions forgets what is gone`]
        : []),
    ];
  }

  /** The files that the operands stand for, in order; what cannot be listed is reported at its place. */
  async #targets(operands: readonly string[]): Promise<CheckTarget[]> {
    const targets: CheckTarget[] = [];
    const { ignore } = this.#options;
    for (const operand of operands) {
      try {
        if (operand === '-' || !(await isFolder(operand))) {
          targets.push({ name: operand, ignored: operand === '-' ? undefined : ignore?.(operand) });
          continue;
        }
        if (this.#options.pass) throw new UsageError(`'--pass' copies one log; '${operand}' is a folder`);
        for await (const { path, error } of findSessions(operand)) {
          targets.push({
            name: path,
            ...(error ? { error: error.message } : { found: true, ignored: ignore?.(path) }),
          });
        }
      } catch (error) {
        if (!(error instanceof AppError) || error instanceof UsageError) throw error;
        targets.push({ name: operand, error: error.message });
      }
    }
    return targets;
  }

  /** Every file, reported in order, also where several are checked at once and a later one is done first. */
  async #checkAll(targets: readonly CheckTarget[]): Promise<void> {
    const names = targets.filter(({ error, ignored }) => (error ?? ignored) === undefined).map(({ name }) => name);
    const { progress } = this.#io;
    if (progress.isShown) for (const name of names) progress.expect(await sizeOf(name));
    const jobs = await this.#jobs(names);
    const here = (name: string): Promise<FileCheck> => checkFile(this.#checker, name, () => this.#pause());
    const pool = { script: WORKER, settings: this.#options.settings, threads: jobs };
    const checks = jobs > 1 ? (await threads()).mapInThreads(names, here, pool) : undefined;
    try {
      for (const target of targets) {
        if (target.error !== undefined) this.#fail(target.name, target.error);
        else if (target.ignored !== undefined) this.#skip(target.name, IGNORED, target.ignored);
        else await this.#file(target, checks);
        await this.#pause();
      }
    } finally {
      await checks?.return(undefined);
    }
  }

  /** How many threads are worth it. */
  async #jobs(names: readonly string[]): Promise<number> {
    const { jobs, pass, settings } = this.#options;
    if (names.length < 2 || !settings || pass || names.includes('-')) return 1;
    // A copy of a database is removed by this thread, the only one that gets signals.
    if (names.some((name) => !name.endsWith('.jsonl') && isDatabaseFile(name))) return 1;
    if (jobs !== undefined) return (await isThere(WORKER)) ? Math.min(jobs, names.length) : 1;
    return (await threads()).threadsFor(await Promise.all(names.map(sizeOf)), WORKER);
  }

  /** One file, findings reported as they come; or all at once where another thread has checked it. */
  async #file(target: CheckTarget, checks: AsyncGenerator<FileCheck> | undefined): Promise<void> {
    const { name } = target;
    const { reports, maxFindings, suppressions } = this.#options;
    const { progress } = this.#io;
    const summary = this.#summary;
    const counts = { errors: 0, warnings: 0 };
    const known = name === '-' ? undefined : suppressions?.of(name);
    const onFinding = (finding: Finding): void => {
      for (const one of known?.pass(finding) ?? [finding]) onNew(one);
    };
    const onNew = (finding: Finding): void => {
      if (counts.errors + counts.warnings === 0) reports.notify((reporter) => reporter.file(name));
      const kind = finding.severity === 'error' ? 'errors' : 'warnings';
      counts[kind]++;
      summary[kind]++;
      if (finding.fixable) {
        summary.fixable++;
        const { rule, severity } = finding;
        if (severity === 'warning') summary.fixableWarnings[rule] = (summary.fixableWarnings[rule] ?? 0) + 1;
      }
      if (summary.errors + summary.warnings > maxFindings) {
        summary.hidden++;
        if (kind === 'errors') summary.hiddenErrors++;
      } else reports.notify((reporter) => reporter.finding(finding));
    };
    const checked = checks && ((await checks.next()).value as FileCheck);
    progress.file(name);
    checked?.findings.forEach(onFinding);
    if (checked) progress.read(checked.bytes);
    const result = checked?.result ?? (await this.#check(name, onFinding));
    if ('error' in result) this.#fail(name, result.error.message);
    else if ('foreign' in result) {
      const { noun, reason } = result.foreign;
      if (target.found) this.#skip(name, noun, reason);
      else this.#fail(name, reason);
    } else {
      if (counts.errors + counts.warnings === 0) reports.notify((reporter) => reporter.file(name));
      if (result.note !== undefined) this.#io.note(`${name}: ${result.note}`);
      summary.sessions++;
      summary.entries += result.entries;
      if (known) suppressions?.checked(name, known);
      summary.suppressed += known?.hidden ?? 0;
      const { entries } = result;
      reports.notify((reporter) => reporter.fileEnd(name, { entries, ...counts }));
    }
  }

  async #check(name: string, onFinding: (finding: Finding) => void): Promise<CheckResult> {
    const { pass } = this.#options;
    const onBytes = (bytes: number): void => this.#io.progress.read(bytes);
    const input = pass || name === '-' ? inputChunks(name, this.#io) : undefined;
    const bytes = input && pass ? passing(input, pass) : input;
    const hooks = { onFinding, onBytes, readsAll: pass !== undefined };
    const opened: CheckedInput | { readonly error: Error } = bytes ? await this.#open(name, bytes) : {};
    if ('error' in opened) return opened;
    const { chunks, database } = opened;
    const steps = this.#checker.check(name, chunks, { ...hooks, database });
    const result = await finish(steps, () => this.#pause());
    // A stop is no error of the file.
    this.#io.signal.throwIfAborted();
    return result;
  }

  async #open(name: string, bytes: AsyncGenerator<Buffer, void>): Promise<CheckedInput | { readonly error: Error }> {
    try {
      return await databaseIn(name, bytes, this.#io.signal);
    } catch (error) {
      this.#io.signal.throwIfAborted();
      if (!(error instanceof AppError) || error instanceof OutputError) throw error;
      return { error };
    }
  }

  /** A file that is not to be checked; the first few are listed on stderr. */
  #skip(name: string, kind: string, reason: string): void {
    const { reports, quiet, listsAll } = this.#options;
    const summary = this.#summary;
    summary.skipped++;
    summary.skippedKinds[kind] = (summary.skippedKinds[kind] ?? 0) + 1;
    reports.notify((reporter) => reporter.skipped(name, reason));
    if (quiet || !reports.isForPeople) return;
    if (listsAll || (kind !== IGNORED && ++this.#named <= MOST_LISTED)) this.#io.note(`${name}: skipped: ${reason}`);
  }

  /** A file that could not be checked: reported on stderr, and by the reporter where its format has a place for it. */
  #fail(name: string, message: string): void {
    const reason = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
    this.#summary.failed++;
    this.#io.note(`${name}: ${reason}`);
    this.#options.reports.notify((reporter) => reporter.failed(name, reason));
  }

  /** What the output itself does not say, or not to a person. */
  #endOnStderr(): void {
    const { reports, quiet } = this.#options;
    const summary = this.#summary;
    if (!quiet) for (const objection of summary.objections) this.#io.note(objection);
    const unnamed = this.#named - MOST_LISTED;
    if (unnamed > 0) this.#io.note(`${counted(unnamed, 'skipped file')} not named here; --all names all`);
    if (reports.isForPeople && !quiet) {
      if (reports.needsSummary) this.#io.stderr.write(`sessionctl: ${paintedSummary(summary, this.#io.errorStyle)}\n`);
      return;
    }
    // A run that checked nothing fails, and never without a word.
    if (summary.sessions + summary.failed === 0) this.#io.note(summaryLine(summary));
    if (summary.hidden > 0 && !quiet)
      this.#io.note(`${counted(summary.hidden, 'more finding')} not shown because of --max-findings`);
  }

  async #pause(): Promise<void> {
    this.#io.signal.throwIfAborted();
    if (this.#options.reports.full) await this.#options.reports.flush();
  }
}

async function* passing(chunks: AsyncIterable<Buffer>, out: ByteWriter): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    // The chunk's memory is used again while the copy waits to be written.
    out.bytes(Buffer.from(chunk));
    await out.flush();
    yield chunk;
  }
}
