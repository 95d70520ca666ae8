import type { Log } from '../log/log.ts';
import type { Duplicates } from '../log/log-index.ts';
import { cutPath, cutRoots, pathTo } from '../tree/path.ts';
import { lastEntry, type RevOptions, resolveRev } from '../tree/rev.ts';
import { staleLeaf } from '../tree/stale-leaf.ts';
import { counted, grouped } from '../util/words.ts';
import type { Io } from './command.ts';

const MOST_LINES = 4;

/** What a command shows of a session: says where that is less than the file holds, and what shows the rest. */
export class View {
  readonly #session: Log;
  readonly #io: Io;
  readonly #revs: 'option' | 'operand';
  /** The ends of the paths that are shown, and how those go where ids are repeated. */
  readonly #ends = new Map<number, Duplicates | undefined>();
  #isTree = false;
  /** Bytes that the progress waits for until it is known which entries are read. */
  #expected: number;
  readonly #readings: number;

  constructor(
    session: Log,
    io: Io,
    revs: 'option' | 'operand',
    { readings, expected }: { readings: number; expected: number },
  ) {
    this.#session = session;
    this.#io = io;
    this.#revs = revs;
    this.#readings = readings;
    this.#expected = expected;
  }

  /** The entry that a command looks from: the last one unless a REV names another; null where that is allowed and there is none. */
  async leaf(rev: string | undefined, options: RevOptions & { allowNull: true }): Promise<number | null>;
  async leaf(rev: string | undefined, options?: RevOptions): Promise<number>;
  async leaf(rev: string | undefined, options: RevOptions = {}): Promise<number | null> {
    this.noteStaleLeaf(rev);
    const position = rev === undefined ? await lastEntry(this.#session) : await resolveRev(this.#session, rev, options);
    if (position !== null && position >= 0) this.#ends.set(position, options.duplicates);
    if (this.#expected > 0) {
      this.reads(position === null || position < 0 ? [] : pathTo(this.#session.index, position, options.duplicates));
    }
    return position;
  }

  /** These entries are read, and no others to speak of. */
  reads(positions: Iterable<number>): void {
    if (this.#expected === 0) return;
    let bytes = 0;
    for (const position of positions) bytes += this.#session.index.lengthOf(position);
    this.#io.progress.expect(bytes * this.#readings - this.#expected);
    this.#expected = 0;
  }

  /** The path to an entry is shown. */
  path(end: number): void {
    this.#ends.set(end, undefined);
  }

  /** All branches are shown as one tree. */
  tree(): void {
    this.#isTree = true;
  }

  /** Agents go on from the last entry; where that hides newer work, the user should know. */
  noteStaleLeaf(rev: string | undefined): void {
    const { index, name } = this.#session;
    const newer = rev === undefined || rev === '@' ? staleLeaf(index) : undefined;
    if (newer === undefined) return;
    this.#io.note(
      `${name}: the last entry is a stale leaf and newer work is on another branch; ${this.#rev(newer)} shows it`,
    );
  }

  /** Tells what is cut off; what would have been 0 is 1 then. */
  end(code: number): number {
    const notes = this.#isTree ? this.#cutBranches() : this.#cutPaths();
    for (const note of notes) this.#io.note(`${this.#session.name}: ${note}`);
    return code === 0 && notes.length > 0 ? 1 : code;
  }

  #cutPaths(): string[] {
    const { index } = this.#session;
    // Two paths that are cut at the same place are one story.
    const notes = new Map<number, string>();
    for (const [end, duplicates] of this.#ends) {
      const cut = cutPath(index, end, duplicates);
      if (!cut) continue;
      const line = `line ${index.lineOf(cut.root)}`;
      const why = cut.isCycle ? `the parents of ${line} form a cycle` : `the parent of ${line} is not in the file`;
      const rest = `${this.#rev(cut.before)} shows what is before it, 'sessionctl repair' reconnects it`;
      notes.set(
        cut.root,
        `the path has ${cut.length} of ${counted(index.size, 'entry', 'entries')}, because ${why}; ${rest}`,
      );
    }
    return [...notes.values()];
  }

  #cutBranches(): string[] {
    const { index } = this.#session;
    const roots = cutRoots(index);
    if (roots.length === 0) return [];
    const lines = roots.slice(0, MOST_LINES).map((root) => index.lineOf(root));
    const where = `${lines.join(', ')}${roots.length > MOST_LINES ? ', ...' : ''}`;
    const [what, by, them] =
      roots.length === 1
        ? [`1 branch (line ${where}) is`, 'a missing or circular parent', 'it']
        : [`${grouped(roots.length)} branches (lines ${where}) are`, 'missing or circular parents', 'them'];
    return [`${what} cut off from the tree by ${by}; 'sessionctl repair' reconnects ${them}`];
  }

  #rev(position: number): string {
    const rev = `line:${this.#session.index.lineOf(position)}`;
    return this.#revs === 'option' ? `'--leaf ${rev}'` : `REV '${rev}'`;
  }
}
