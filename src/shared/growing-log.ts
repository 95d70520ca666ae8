import { resolve } from 'node:path';
import { readBody } from '../entries/new-entry.ts';
import { AppendFile } from '../files/append-file.ts';
import { abortable, fileChunks } from '../files/input.ts';
import { withLock } from '../files/lock.ts';
import { encodeUtf8, type Line } from '../lines/line.ts';
import { linesIn } from '../lines/reader.ts';
import { LogTail } from '../log/log-tail.ts';
import { resolveEntry } from '../tree/rev.ts';
import { AppError, UsageError } from '../util/errors.ts';
import { randomUuid } from '../util/uuid.ts';
import type { Io, ParsedArgs } from './command.ts';
import { openSession } from './open-session.ts';
import { rewritingDetection } from './rewrite.ts';

export const LOCK_SECONDS = 10;
/** What another program has added since is read while the lock is held, if it is no more than this. */
const QUICK_BYTES = 16 * 1024 * 1024;

/** A log that `append` adds to. */
export class GrowingLog {
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
      const timestamp = this.#now();
      const made = this.#tail.newEntry(body, this.#at ?? this.#tail.leaf, timestamp);
      if (typeof made === 'string') throw new AppError(`-:${line.number}: the entry ${made}`);
      this.#write(this.#header(timestamp) + made.raw);
      if (this.#at !== undefined) this.#at = made.id;
      return made.id;
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
      // Replaced, or grown by more than should be read while the lock is held.
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
