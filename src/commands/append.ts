import { resolve } from 'node:path';
import { entryLine, misfit, readBody } from '../entries/new-entry.ts';
import { AppendFile } from '../files/append-file.ts';
import { abortable, fileChunks, inputChunks } from '../files/input.ts';
import { withLock } from '../files/lock.ts';
import { encodeUtf8, type Line } from '../lines/line.ts';
import { linesIn, readLines } from '../lines/reader.ts';
import { ByteWriter } from '../lines/writer.ts';
import { LogTail } from '../log/log-tail.ts';
import { type Command, flag, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { openSession } from '../shared/open-session.ts';
import { FROM_OPTION, rewritingDetection } from '../shared/rewrite.ts';
import { resolveEntry } from '../tree/rev.ts';
import { AppError, UsageError } from '../util/errors.ts';
import { randomUuid } from '../util/uuid.ts';

const LOCK_SECONDS = 10;
/** What another program has added since is read while the lock is held, if it is no more than this. */
const QUICK_BYTES = 16 * 1024 * 1024;

export const command: Command = {
  operands: 'FILE',
  description: [
    'Reads the bodies of entries from standard input, one JSON object per line, without `id`, `parentId` and `timestamp`. Each gets these three fields, is checked against the schemas, is added to FILE in one write, and is acknowledged with its id on standard output.',
    'An acknowledged entry is never lost, whatever happens next: if the process is killed at any moment, the log has every acknowledged entry, and at most its last line is truncated, which `repair` fixes.',
    'The parent of an entry is the last entry of the log at that moment; with `--at`, the first entry goes below REV and each later one below the one before it. A FILE that does not exist is created with a header. A log with a damaged line, without a newline at its end or of version 1 is refused: run `repair` or `migrate` first. A body that does not match the schema ends the run with exit code 2; acknowledged entries stay.',
    'FILE.lock is held while an entry is written, so that several sessionctl processes can add to the same log: each sees what the others wrote. Agents do not know about this lock; do not append while an agent is using the log. The lock of a process that no longer exists is taken over.',
  ],
  memory: 'one line, and about 8 bytes per entry of the log, which is read once at the start.',
  topics: ['rev', 'changing'],
  options: [
    option('at', 'REV', 'The parent of the first entry; an id that starts with a dash needs `--at=-abc`', {
      default: '@',
    }),
    flag('fsync', 'Acknowledge an entry only when it is safely on disk; it then survives a power failure too'),
    option('lock-timeout', 'SECONDS', 'How long to wait for the lock', {
      default: String(LOCK_SECONDS),
      kind: 'number',
    }),
    option('cwd', 'DIR', 'For the header of a new file: the working directory of the session', {
      default: 'the current folder',
    }),
    option('title', 'TEXT', 'For the header of a new file: the title of the session'),
    FROM_OPTION,
  ],
  examples: {
    [`echo '{"type":"label","targetId":"a1b2c303","label":"start"}' | sessionctl append session.jsonl`]:
      'label an entry',
    'sessionctl append --fsync --title notes new.jsonl < bodies.jsonl': 'a new log',
  },
  run: async (args, io) => {
    const [name, ...more] = args.operands;
    if (name === undefined || more.length > 0)
      throw new UsageError('append needs exactly one FILE; the entries come from standard input');
    if (name === '-') throw new UsageError('append needs a FILE to add to; the entries come from standard input');
    const log = new GrowingLog(name, args, io);
    const out = new ByteWriter(io.stdout);
    try {
      await log.prepare();
      if (io.stdin.isTTY) io.note('reading entries from the terminal, one JSON object per line; Ctrl-D ends');
      for await (const line of readLines(abortable(inputChunks('-', io), io))) {
        if (!line.blank) out.text(`${await log.add(line)}\n`);
        await out.flush();
      }
      await log.finish();
      return 0;
    } finally {
      log.file.close();
    }
  },
};

/** The log that is added to. */
class GrowingLog {
  readonly #name: string;
  readonly #args: ParsedArgs;
  readonly #io: Io;
  readonly file: AppendFile;
  #tail: LogTail;
  /** The parent of the next entry where --at was given. */
  #at: string | undefined;

  constructor(name: string, args: ParsedArgs, io: Io) {
    this.#name = name;
    this.#args = args;
    this.#io = io;
    this.file = new AppendFile(name);
    this.#tail = new LogTail(name, io.random);
  }

  async prepare(): Promise<void> {
    await this.#scan();
    const isNew = this.#tail.bytes === 0;
    const forNew = ['cwd', 'title'].find((option) => this.#args.text(option) !== undefined);
    if (!isNew && forNew)
      throw new UsageError(`--${forNew} is for a new file, but '${this.#name}' already has a header`);
    const rev = this.#args.text('at');
    if (rev === undefined) return;
    if (isNew) throw new AppError(`${this.#name}: is new, so '${rev}' does not exist`);
    const session = await openSession(this.#name, this.#io);
    try {
      const { value, line } = await session.entry(await resolveEntry(session, rev));
      if (typeof value['id'] !== 'string')
        throw new AppError(`${this.#name}: line ${line} has no id, so it cannot be the parent of an entry`);
      this.#at = value['id'];
    } finally {
      await session.close();
    }
  }

  /** Adds one entry and gives its id. */
  async add(line: Line): Promise<string> {
    const body = readBody(line);
    if (typeof body === 'string') throw new AppError(`-:${line.number}: the entry ${body}`);
    return await this.#locked(() => {
      const [id, parentId] = [this.#tail.newId(), this.#at ?? this.#tail.leaf];
      const envelope = { id, parentId, timestamp: this.#now() };
      const wrong = misfit(body, envelope, this.#tail.version ?? 3, this.#tail.dialect);
      if (wrong !== undefined) throw new AppError(`-:${line.number}: the entry ${wrong}`);
      this.#write(this.#header(envelope.timestamp) + entryLine(body, envelope));
      if (this.#at !== undefined) this.#at = id;
      return id;
    });
  }

  /** A new file gets its header also when no entry came. */
  async finish(): Promise<void> {
    if (this.#tail.bytes === 0) await this.#locked(() => this.#write(this.#header(this.#now())));
  }

  /** Runs `work` with the lock held and everything read that is in the file. */
  async #locked<T>(work: () => T): Promise<T> {
    const timeoutMs = (this.#args.number('lock-timeout') ?? LOCK_SECONDS) * 1000;
    for (;;) {
      const done = await withLock(`${this.file.path}.lock`, { ...this.#io, timeoutMs }, () =>
        this.#catchUp() ? { result: work() } : undefined,
      );
      if (done) return done.result;
      // Replaced, or grown by more than should be read with the lock in hand.
      await this.#scan();
    }
  }

  #catchUp(): boolean {
    const { size, replaced } = this.file.look();
    const { bytes } = this.#tail;
    if (replaced || size < bytes || size - bytes > QUICK_BYTES) return false;
    if (size > bytes) this.#see(this.file.read(bytes, size));
    return true;
  }

  /** Reads the log from its start. */
  async #scan(): Promise<void> {
    this.#tail = new LogTail(this.#name, this.#io.random);
    if (this.file.look().size === 0) return;
    this.#io.progress.file(this.#name);
    const detection = rewritingDetection(this.#name, this.#args, { anyVersion: true });
    await this.#tail.read(abortable(fileChunks(this.file.path), this.#io), detection);
  }

  #now(): string {
    return new Date(this.#io.now()).toISOString();
  }

  /** Empty where the log has a header. */
  #header(timestamp: string): string {
    if (this.#tail.bytes > 0) return '';
    const id = randomUuid(this.#io.random(16));
    const [cwd = resolve('.'), title] = [this.#args.text('cwd'), this.#args.text('title')];
    return `${encodeUtf8(JSON.stringify({ type: 'session', version: 3, id, timestamp, cwd, title }))}\n`;
  }

  #write(raw: string): void {
    if (raw === '') return;
    const bytes = Buffer.from(raw, 'latin1');
    this.file.append(bytes);
    if (this.#args.flag('fsync')) this.file.sync();
    // Our own lines are read like any others: this finds what an agent would reject, and keeps the offset exact.
    this.#see(bytes);
  }

  #see(more: Buffer): void {
    const { lines, bytes } = this.#tail;
    for (const line of linesIn(more, lines + 1, bytes)) this.#tail.see(line);
    this.#tail.end();
  }
}
