import { inputChunks, isFolder, isThere, sizeOf } from '../files/input.ts';
import { announce, findSessions } from '../files/walk.ts';
import { cores, mapInWorkers } from '../files/worker-pool.ts';
import { ByteWriter } from '../lines/writer.ts';
import { paintedSummary, type Reporter, summaryLine } from '../reporters/index.ts';
import type { Finding } from '../rules/finding.ts';
import { AppError, ClosedPipe, OutputError, UsageError } from '../util/errors.ts';
import type { Io, Output } from '../util/io.ts';
import { counted } from '../util/words.ts';
import { type CheckResult, type CheckSettings, type FileCheck, type ForeignFile, LogChecker } from './log-checker.ts';

export interface ValidationOptions {
  readonly settings: CheckSettings;
  readonly reporter: Reporter;
  readonly out: Output;
  readonly isText: boolean;
  /** In a pipe the summary would be taken for a finding. */
  readonly summaryOnStderr: boolean;
  readonly quiet: boolean;
  readonly maxFindings: number;
  /** How many files are checked at once; by default the number of cores, if there is enough to do. */
  readonly jobs: number | undefined;
  /** Gets the log itself, byte for byte. */
  readonly pass?: ByteWriter;
}

interface FileTarget {
  readonly name: string;
  /** Met on a walk through a folder: what is no session log is skipped. */
  readonly found: boolean;
}

type Target = FileTarget | { readonly name: string; readonly error: string };

/** A thread takes longer to start than less than this takes to be checked. */
const WORTH_A_THREAD = 16 * 1024 * 1024;

/** One run over all files, from the operands to the exit code. */
export class Validation {
  readonly #io: Io;
  readonly #options: ValidationOptions;
  readonly #out: ByteWriter;
  readonly #checker: LogChecker;
  #shown = 0;
  readonly #summary = {
    sessions: 0,
    skipped: 0,
    skippedKinds: {} as Record<string, number>,
    failed: 0,
    entries: 0,
    errors: 0,
    warnings: 0,
    fixable: 0,
    hidden: 0,
  };

  constructor(io: Io, options: ValidationOptions) {
    this.#io = io;
    this.#options = options;
    this.#out = new ByteWriter(options.out);
    this.#checker = new LogChecker(options.settings, io.random);
  }

  async run(operands: readonly string[]): Promise<number> {
    const summary = this.#summary;
    const { reporter } = this.#options;
    try {
      this.#write(reporter.begin());
      await announce(operands, this.#io);
      const targets = await this.#targets(operands);
      const jobs = await this.#jobs(targets);
      if (jobs > 1) await this.#together(targets, jobs);
      else
        for (const target of targets)
          await ('error' in target ? this.#fail(target.name, target.error) : this.#file(target));
      if (summary.sessions + summary.failed + summary.skipped === 0) {
        this.#fail(operands.join(', '), "no session log found; pass a file, or a folder with '*.jsonl' files");
      }
      this.#write(reporter.end(summary));
      await this.#out.flush();
      await this.#options.pass?.flush();
      this.#endOnStderr();
      if (summary.sessions === 0) return 2;
    } catch (error) {
      // Whoever read our output has seen enough; what was found so far decides.
      if (!(error instanceof ClosedPipe)) throw error;
    }
    if (summary.failed > 0) return 2;
    return summary.errors > 0 ? 1 : 0;
  }

  /** The files that the operands stand for, in order; what cannot be listed is reported at its place. */
  async #targets(operands: readonly string[]): Promise<Target[]> {
    const targets: Target[] = [];
    for (const operand of operands) {
      try {
        if (operand === '-' || !(await isFolder(operand))) {
          targets.push({ name: operand, found: false });
          continue;
        }
        if (this.#options.pass) throw new UsageError(`'--pass' copies one log; '${operand}' is a folder`);
        for await (const { path, error } of findSessions(operand)) {
          targets.push(error ? { name: path, error: error.message } : { name: path, found: true });
        }
      } catch (error) {
        if (!(error instanceof AppError) || error instanceof UsageError) throw error;
        targets.push({ name: operand, error: error.message });
      }
    }
    return targets;
  }

  /** How many threads are worth it. */
  async #jobs(targets: readonly Target[]): Promise<number> {
    const files = targets.filter((target) => !('error' in target));
    const { jobs, pass } = this.#options;
    const most = Math.min(jobs ?? cores(), files.length);
    if (most < 2 || pass || files.some(({ name }) => name === '-') || !(await isThere(workerScript()))) return 1;
    if (jobs !== undefined) return most;
    let bytes = 0;
    for (const { name } of files) {
      bytes += await sizeOf(name);
      if (bytes >= WORTH_A_THREAD) return most;
    }
    return 1;
  }

  /** Several files at once, reported in their order whichever is done first. */
  async #together(targets: readonly Target[], jobs: number): Promise<void> {
    const names = targets.filter((target) => !('error' in target)).map(({ name }) => name);
    const checks = mapInWorkers<string, FileCheck>(workerScript(), this.#options.settings, names, jobs);
    try {
      for (const target of targets) {
        if ('error' in target) this.#fail(target.name, target.error);
        else this.#collected(target, (await checks.next()).value as FileCheck);
        await this.#pause();
      }
    } finally {
      await checks.return();
    }
  }

  #collected(target: FileTarget, { findings, bytes, result }: FileCheck): void {
    this.#io.progress.file(target.name);
    this.#io.progress.read(bytes);
    if (findings.length > 0) this.#write(this.#options.reporter.file(target.name));
    for (const finding of findings) this.#finding(finding);
    if ('error' in result) this.#fail(target.name, result.error);
    else
      this.#checked(
        target,
        result,
        findings.length > 0,
        findings.filter(({ severity }) => severity === 'error').length,
        findings.length,
      );
  }

  /** One file, findings reported as they come. */
  async #file(target: FileTarget): Promise<void> {
    const { name } = target;
    let errors = 0;
    let findings = 0;
    const hooks = {
      onFinding: (finding: Finding): void => {
        if (findings++ === 0) this.#write(this.#options.reporter.file(name));
        if (finding.severity === 'error') errors++;
        this.#finding(finding);
      },
      onBytes: (bytes: number): void => this.#io.progress.read(bytes),
      pause: () => this.#pause(),
    };
    this.#io.progress.file(name);
    const { pass } = this.#options;
    try {
      let result: CheckResult;
      if (name !== '-' && !pass) result = await this.#checker.checkFile(name, hooks);
      else {
        const chunks = inputChunks(name, this.#io.stdin);
        result = await this.#checker.check(name, pass ? passing(chunks, pass) : chunks, {
          ...hooks,
          readsAll: pass !== undefined,
        });
      }
      this.#checked(target, result, findings > 0, errors, findings);
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof OutputError) throw error;
      this.#fail(name, error.message);
    }
  }

  /** A file was checked to its end, or is no session log. */
  #checked(target: FileTarget, result: CheckResult, isBegun: boolean, errors: number, findings: number): void {
    if ('foreign' in result) {
      this.#foreignFile(target, result.foreign);
      return;
    }
    const { reporter } = this.#options;
    if (!isBegun) this.#write(reporter.file(target.name));
    this.#summary.sessions++;
    this.#summary.entries += result.entries;
    this.#write(reporter.fileEnd(target.name, { entries: result.entries, errors, warnings: findings - errors }));
  }

  #foreignFile({ name, found }: FileTarget, { noun, reason }: ForeignFile): void {
    if (!found) {
      this.#fail(name, reason);
      return;
    }
    this.#summary.skipped++;
    this.#summary.skippedKinds[noun] = (this.#summary.skippedKinds[noun] ?? 0) + 1;
    this.#write(this.#options.reporter.skipped(name, reason));
  }

  #finding(finding: Finding): void {
    if (finding.severity === 'error') this.#summary.errors++;
    else this.#summary.warnings++;
    if (finding.fixable) this.#summary.fixable++;
    if (this.#shown >= this.#options.maxFindings) {
      this.#summary.hidden++;
      return;
    }
    this.#shown++;
    this.#write(this.#options.reporter.finding(finding));
  }

  /** A file that could not be checked: reported on stderr, and by the reporter where its format has a place for it. */
  #fail(name: string, message: string): void {
    const reason = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
    this.#summary.failed++;
    this.#io.note(`${name}: ${reason}`);
    this.#write(this.#options.reporter.failed(name, reason));
  }

  /** What the output itself does not say, or not to a person. */
  #endOnStderr(): void {
    const { isText, quiet, summaryOnStderr } = this.#options;
    const summary = this.#summary;
    if (isText && !quiet) {
      if (summaryOnStderr) this.#io.stderr.write(`sessionctl: ${paintedSummary(summary, this.#io.errorStyle)}\n`);
      return;
    }
    // A run that checked nothing fails, and never without a word.
    if (summary.sessions + summary.failed === 0) this.#io.note(summaryLine(summary));
    if (summary.hidden > 0 && !quiet)
      this.#io.note(`${counted(summary.hidden, 'more finding')} not shown because of --max-findings`);
  }

  async #pause(): Promise<void> {
    this.#io.signal.throwIfAborted();
    if (this.#out.full) await this.#out.flush();
  }

  #write(text: string): void {
    if (text !== '' && !this.#options.quiet) this.#out.text(text);
  }
}

/** Seen from where a bundle is; beside the sources there is none. */
function workerScript(): URL {
  return new URL('../validate/worker.js', import.meta.url);
}

async function* passing(chunks: AsyncIterable<Buffer>, out: ByteWriter): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    // The chunk's memory is used again while the copy waits to be written.
    out.bytes(Buffer.from(chunk));
    await out.flush();
    yield chunk;
  }
}
