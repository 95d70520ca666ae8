import { ClosedPipe, OutputTrouble, Trouble, UsageTrouble } from '../base/trouble.ts';
import { version } from '../base/version.ts';
import { counted, nearest } from '../base/words.ts';
import { cores, isFolder, openInput, sizeOf } from '../files/input.ts';
import { findSessions } from '../files/walk.ts';
import type { ForeignFile } from '../formats/detection.ts';
import { DEFAULT_MAX_LINE_BYTES, LONGEST_LINE } from '../lines/reader.ts';
import { ByteWriter } from '../lines/writer.ts';
import { makeReporter, paintedSummary, REPORTER_NAMES, type Reporter, type ReporterName, summaryLine } from '../reporters/index.ts';
import { explainRule, listRules } from '../rules/explain.ts';
import type { Finding } from '../rules/finding.ts';
import { rules } from '../rules/index.ts';
import type { Level } from '../rules/rule.ts';
import { blobLookup } from './blob-lookup.ts';
import { CheckPool, checkFile, type FileCheck } from './check-pool.ts';
import { SessionChecker, type SessionResult, scannerWish } from './check-session.ts';
import type { Command, Given, Io } from './command.ts';
import { handedOn } from './handed-on.ts';
import { announce } from './reading.ts';

export const command: Command = {
  name: 'validate',
  summary: 'Find everything that is wrong with a session log, in one pass',
  operands: '[FILE|DIR]...',
  description: [
    'Reads each log once and reports every finding, errors and warnings, one line each. A folder stands for every *.jsonl below it; files there that are no session logs are skipped and counted by kind. Text in a pipe ends with a summary on standard error. Exit 0 without errors (warnings do not count), 1 with errors, 2 with trouble.',
    "Findings about a line come as the line is read; those that need the whole file (tree, references, tools) follow at its end. 'sessionctl repair' mends what is marked as fixable.",
    'Memory: an index of about 35 bytes for each entry of the file at hand, and the ids of tool calls; no content. A line is held whole while it is checked.',
  ],
  options: [
    { name: 'format', kind: 'text', value: 'FORMAT', choices: REPORTER_NAMES, default: 'text', describe: 'How findings are written' },
    { name: 'rule', kind: 'text', value: 'ID=LEVEL', many: true, describe: "Make a rule an 'error', a 'warning', or turn it 'off'" },
    { name: 'strict', kind: 'flag', describe: 'Make every warning an error' },
    { name: 'max-findings', kind: 'number', value: 'N', describe: 'Show no more than N findings; the others are still counted' },
    { name: 'quiet', short: 'q', kind: 'flag', describe: 'Show nothing; the exit code tells' },
    { name: 'pass', kind: 'flag', describe: 'Hand the log on to standard output, byte for byte, and write findings to standard error' },
    { name: 'blobs', kind: 'text', value: 'DIR', describe: 'Check blob references against this store too (also: SESSIONCTL_BLOBS)' },
    {
      name: 'max-line-bytes',
      kind: 'number',
      value: 'N',
      default: String(DEFAULT_MAX_LINE_BYTES),
      describe: 'Do not hold lines longer than this; they are a finding',
    },
    { name: 'jobs', kind: 'number', value: 'N', describe: 'Check so many files at once', default: 'the number of cores' },
    {
      name: 'explain',
      kind: 'text',
      value: 'RULE',
      describe: 'Tell what a rule is about: why it matters, how it arises, how to fix it',
      needsNoInput: true,
    },
    { name: 'list-rules', kind: 'flag', describe: 'List all rules with their levels', needsNoInput: true },
  ],
  examples: [
    { run: 'sessionctl validate session.jsonl', shows: 'check one log' },
    { run: 'sessionctl validate --format github recorded/', shows: 'check every log below a folder in a CI job' },
    { run: 'sessionctl validate --format json f.jsonl | jq -c \'select(.severity=="error")\'', shows: 'errors only, for a program' },
    { run: 'sessionctl migrate old.jsonl | sessionctl validate --pass | jq -c .type', shows: 'check in the middle of a pipe' },
    { run: 'sessionctl validate --explain dangling-parent', shows: 'what a rule is about' },
  ],
  readsInput: true,
  run,
};

async function run(given: Given, io: Io): Promise<number> {
  const asked = given.text('explain');
  if (asked !== undefined) return await print(io, explainRule(ruleNamed(asked), io.style));
  if (given.flag('list-rules')) return await print(io, listRules(rules, io.style));
  return await new Validation(given, io).run();
}

async function print(io: Io, text: string): Promise<number> {
  const out = new ByteWriter(io.stdout);
  out.text(text);
  await out.flush();
  return 0;
}

function ruleNamed(id: string) {
  const rule = rules.find((one) => one.id === id);
  if (rule) return rule;
  const meant = nearest(
    id,
    rules.map((one) => one.id),
  )[0];
  throw new UsageTrouble(`unknown rule '${id}'${meant ? `; did you mean '${meant}'?` : "; 'sessionctl validate --list-rules' lists them"}`);
}

interface FileTarget {
  readonly name: string;
  /** Met on a walk through a folder: what is no session log is skipped. */
  readonly found: boolean;
}

type Target = FileTarget | { readonly name: string; readonly trouble: string };

const WORTH_A_THREAD = 16 * 1024 * 1024;

/** One call of validate over all its files. */
class Validation {
  readonly #io: Io;
  readonly #given: Given;
  readonly #levels: ReadonlyMap<string, Level>;
  readonly #reporter: Reporter;
  readonly #isText: boolean;
  readonly #out: ByteWriter;
  readonly #pass: ByteWriter | undefined;
  readonly #isTerminal: boolean;
  readonly #quiet: boolean;
  readonly #most: number;
  readonly #maxLineBytes: number;
  readonly #blobsPath: string | undefined;
  readonly #checker: SessionChecker;
  #shown = 0;
  #sessions = 0;
  #skipped = 0;
  readonly #skippedKinds: Record<string, number> = {};
  #failed = 0;
  #entries = 0;
  #errors = 0;
  #warnings = 0;
  #fixable = 0;
  #hidden = 0;

  constructor(given: Given, io: Io) {
    this.#io = io;
    this.#given = given;
    this.#levels = readLevels(given);
    this.#quiet = given.flag('quiet');
    this.#most = given.number('max-findings') ?? Number.POSITIVE_INFINITY;
    this.#maxLineBytes = readMaxLineBytes(given);
    this.#blobsPath = given.text('blobs') ?? (io.env['SESSIONCTL_BLOBS'] || undefined);
    const blobs = this.#blobsPath === undefined ? undefined : blobLookup(this.#blobsPath);
    const settings = { maxLineBytes: this.#maxLineBytes, levels: this.#levels, blobs, scanner: scannerWish(io.env) };
    this.#checker = new SessionChecker(settings, io.random);
    if (given.operands.filter((operand) => operand === '-').length > 1)
      throw new UsageTrouble("standard input can be read once; give '-' once");
    const pass = given.flag('pass');
    if (pass && given.operands.length > 1) throw new UsageTrouble("'--pass' hands one log on; name one FILE, or none for standard input");
    this.#pass = pass ? new ByteWriter(handedOn(io.stdout)) : undefined;
    const target = pass ? io.stderr : io.stdout;
    this.#out = new ByteWriter(target);
    const format = (given.text('format') ?? 'text') as ReporterName;
    this.#isText = format === 'text';
    this.#isTerminal = target.isTTY === true;
    this.#reporter = makeReporter(format, {
      style: pass ? io.errorStyle : io.style,
      isTerminal: this.#isTerminal,
      rules: rules.map((rule) => ({ ...rule, level: this.#levels.get(rule.id) ?? rule.level })),
      version,
    });
  }

  async run(): Promise<number> {
    try {
      this.#write(this.#reporter.begin());
      const operands = this.#given.operands.length > 0 ? this.#given.operands : ['-'];
      await announce(operands, this.#io);
      if (operands.length === 1 && operands[0] === '-') await this.#file('-', false);
      else {
        const targets = await this.#targets(operands);
        const pool = await this.#pool(targets);
        if (pool) await this.#together(targets, pool);
        else await this.#oneByOne(targets);
      }
      if (this.#sessions + this.#failed + this.#skipped === 0) {
        this.#trouble(operands.join(', '), "no session log found; name a file, or a folder with '*.jsonl' files");
      }
      this.#write(this.#reporter.end(this.#summary()));
      await this.#flush();
      this.#tellOnStderr();
      if (this.#sessions === 0) return 2;
    } catch (error) {
      // Whoever read our output has seen enough; what was found so far decides.
      if (!(error instanceof ClosedPipe)) throw error;
    }
    return this.#code();
  }

  /** The files that the operands stand for, in order; what cannot be listed is told at its place. */
  async #targets(operands: readonly string[]): Promise<Target[]> {
    const targets: Target[] = [];
    for (const operand of operands) {
      try {
        if (operand === '-' || !(await isFolder(operand))) {
          targets.push({ name: operand, found: false });
          continue;
        }
        if (this.#pass) throw new UsageTrouble(`'--pass' hands one log on; '${operand}' is a folder`);
        for await (const { path, trouble } of findSessions(operand)) {
          targets.push(trouble ? { name: path, trouble: trouble.message } : { name: path, found: true });
        }
      } catch (error) {
        if (!(error instanceof Trouble) || error instanceof UsageTrouble) throw error;
        targets.push({ name: operand, trouble: error.message });
      }
    }
    return targets;
  }

  /** One file after the other, findings told as they come. */
  async #oneByOne(targets: readonly Target[]): Promise<void> {
    for (const target of targets) {
      if ('trouble' in target) this.#trouble(target.name, target.trouble);
      else await this.#file(target.name, target.found);
    }
  }

  /** Several files at once, told in their order whichever is done first. */
  async #together(targets: readonly Target[], pool: CheckPool): Promise<void> {
    try {
      for (const target of targets) {
        if ('trouble' in target) this.#trouble(target.name, target.trouble);
        else this.#tell(target, await pool.next());
        await this.#pause();
      }
    } finally {
      await pool.close();
    }
  }

  #tell({ name, found }: FileTarget, { findings, bytes, result }: FileCheck): void {
    this.#io.progress.file(name);
    this.#io.progress.read(bytes);
    if ('foreign' in result) {
      this.#foreignFile(name, found, result.foreign);
      return;
    }
    if (!('trouble' in result) || findings.length > 0) this.#write(this.#reporter.file(name));
    for (const finding of findings) this.#finding(finding);
    if ('trouble' in result) {
      this.#trouble(name, result.trouble);
      return;
    }
    this.#sessions++;
    this.#entries += result.entries;
    const errors = findings.filter((finding) => finding.severity === 'error').length;
    this.#write(this.#reporter.fileEnd(name, { entries: result.entries, errors, warnings: findings.length - errors }));
  }

  async #pool(targets: readonly Target[]): Promise<CheckPool | undefined> {
    const files = targets.filter((target) => !('trouble' in target) && target.name !== '-');
    const jobs = Math.min(this.#given.number('jobs') ?? cores(), files.length);
    if (jobs < 2 || this.#pass || targets.some((target) => target.name === '-')) return undefined;
    // A thread takes longer to start than a few small files take to be checked.
    let bytes = 0;
    for (const { name } of files) {
      bytes += await sizeOf(name);
      if (bytes >= WORTH_A_THREAD) break;
    }
    if (bytes < WORTH_A_THREAD && this.#given.number('jobs') === undefined) return undefined;
    const settings = {
      maxLineBytes: this.#maxLineBytes,
      levels: [...this.#levels],
      blobs: this.#blobsPath,
      scanner: scannerWish(this.#io.env),
    };
    const names = files.map((file) => file.name);
    return await CheckPool.start(jobs, names, settings, (name) => checkFile(this.#checker, name, () => this.#pause()));
  }

  async #file(name: string, found: boolean): Promise<void> {
    let begun = false;
    let errors = 0;
    let warnings = 0;
    const onFinding = (finding: Finding): void => {
      if (!begun) {
        begun = true;
        this.#write(this.#reporter.file(name));
      }
      if (finding.severity === 'error') errors++;
      else warnings++;
      this.#finding(finding);
    };
    this.#io.progress.file(name);
    try {
      const result = await this.#session(name, onFinding, (bytes) => this.#io.progress.read(bytes));
      if ('foreign' in result) {
        this.#foreignFile(name, found, result.foreign);
        return;
      }
      if (!begun) this.#write(this.#reporter.file(name));
      this.#sessions++;
      this.#entries += result.entries;
      this.#write(this.#reporter.fileEnd(name, { entries: result.entries, errors, warnings }));
    } catch (error) {
      if (!(error instanceof Trouble) || error instanceof OutputTrouble) throw error;
      this.#trouble(name, error.message);
    }
  }

  async #session(name: string, onFinding: (finding: Finding) => void, onBytes: (bytes: number) => void): Promise<SessionResult> {
    const hooks = { onFinding, onBytes, pause: () => this.#pause(), pass: this.#pass };
    if (name !== '-') return await this.#checker.checkFile(name, hooks);
    return await this.#checker.check(openInput(name, this.#io.stdin), hooks);
  }

  async #pause(): Promise<void> {
    this.#io.signal.throwIfAborted();
    if (this.#out.full) await this.#out.flush();
  }

  #finding(finding: Finding): void {
    if (finding.severity === 'error') this.#errors++;
    else this.#warnings++;
    if (finding.fixable) this.#fixable++;
    if (this.#shown >= this.#most) {
      this.#hidden++;
      return;
    }
    this.#shown++;
    this.#write(this.#reporter.finding(finding));
  }

  #foreignFile(name: string, found: boolean, { noun, reason }: ForeignFile): void {
    if (!found) {
      this.#trouble(name, reason);
      return;
    }
    this.#skipped++;
    this.#skippedKinds[noun] = (this.#skippedKinds[noun] ?? 0) + 1;
    this.#write(this.#reporter.skipped(name, reason));
  }

  /** What the output itself does not tell, or not to a person. */
  #tellOnStderr(): void {
    const summary = this.#summary();
    if (this.#isText && !this.#quiet) {
      // On a terminal it is the last line of the output; in a pipe it would be taken for a finding.
      if (!this.#isTerminal) this.#io.stderr.write(`sessionctl: ${paintedSummary(summary, this.#io.errorStyle)}\n`);
      return;
    }
    // A run that checked nothing fails, and never without a word.
    if (this.#sessions + this.#failed === 0) this.#io.note(summaryLine(summary));
    if (this.#hidden > 0 && !this.#quiet) this.#io.note(`${counted(this.#hidden, 'more finding')} not shown because of --max-findings`);
  }

  /** A file that could not be checked: told on stderr, and by the reporter where its format has a place for it. */
  #trouble(name: string, message: string): void {
    const reason = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
    this.#failed++;
    this.#io.note(`${name}: ${reason}`);
    this.#write(this.#reporter.trouble(name, reason));
  }

  #write(text: string): void {
    if (text !== '' && !this.#quiet) this.#out.text(text);
  }

  async #flush(): Promise<void> {
    await this.#out.flush();
    await this.#pass?.flush();
  }

  #summary() {
    return {
      sessions: this.#sessions,
      skipped: this.#skipped,
      skippedKinds: this.#skippedKinds,
      failed: this.#failed,
      entries: this.#entries,
      errors: this.#errors,
      warnings: this.#warnings,
      fixable: this.#fixable,
      hidden: this.#hidden,
    };
  }

  #code(): number {
    if (this.#failed > 0) return 2;
    return this.#errors > 0 ? 1 : 0;
  }
}

function readLevels(given: Given): Map<string, Level> {
  const levels = new Map<string, Level>();
  for (const wish of given.texts('rule')) {
    const [id = '', level = '', ...rest] = wish.split('=');
    ruleNamed(id);
    if (rest.length > 0 || (level !== 'error' && level !== 'warning' && level !== 'off')) {
      throw new UsageTrouble(`'--rule ${wish}' needs a level: ${id}=error, ${id}=warning or ${id}=off`);
    }
    levels.set(id, level);
  }
  if (given.flag('strict')) {
    for (const rule of rules) if ((levels.get(rule.id) ?? rule.level) === 'warning') levels.set(rule.id, 'error');
  }
  return levels;
}

function readMaxLineBytes(given: Given): number {
  const wish = given.number('max-line-bytes') ?? DEFAULT_MAX_LINE_BYTES;
  if (wish < 1 || wish > LONGEST_LINE) {
    throw new UsageTrouble(`option '--max-line-bytes' is at least 1 and at most ${counted(LONGEST_LINE, 'byte')}, not ${wish}`);
  }
  return wish;
}
