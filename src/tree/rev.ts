import type { Log } from '../log/log.ts';
import { type Duplicates, NOT_FOUND } from '../log/log-index.ts';
import { AppError } from '../util/errors.ts';
import { counted, nearest } from '../util/words.ts';
import { labels } from './labels.ts';
import { leaves, pathTo } from './path.ts';

export interface RevOptions {
  /** `null` names the empty context. */
  readonly allowNull?: boolean;
  /** How the way up goes where ids are repeated. */
  readonly duplicates?: Duplicates;
}

const SHORTEST_PREFIX = 4;
const MOST_CANDIDATES = 5;
/** Entries that are read together on the way back from the end. */
const MOST_AT_ONCE = 1024;
const FORMS = "'@', '@~N', 'root', 'line:N', 'leaf:N', an id, a prefix of one, or a label";

/**
 * The entry that a user names, as git names commits: fixed forms first, then an exact id or label, then the same with
 * `~N` behind it, then the start of an id. What cannot be told for certain is an error that lists what may be meant;
 * never the last entry by default.
 */
export async function resolveRev(session: Log, rev: string, options: RevOptions = {}): Promise<number | null> {
  if (rev === 'null') {
    if (options.allowNull) return null;
    throw revError(
      session,
      `'null' is the empty context, which only 'sessionctl context' can show; for an entry with that id use 'id:null'`,
    );
  }
  const position = await new RevReader(session, options).read(rev);
  // Its bytes may be damaged although its envelope could be read; then this tells so.
  await session.entry(position);
  return position;
}

/** The same for commands that need an entry. */
export async function resolveEntry(session: Log, rev: string, options: RevOptions = {}): Promise<number> {
  return (await resolveRev(session, rev, { ...options, allowNull: false })) as number;
}

/** The last entry of the log that can be read, which is where the agents go on; -1 in a log without entries. */
export async function lastEntry(session: Log): Promise<number> {
  // Nearly always the first one that is looked at; where it is not, there may be a million that cannot be read.
  for (let end = session.index.size, many = 1; end > 0; end -= many, many = Math.min(many * 2, MOST_AT_ONCE)) {
    let last = NOT_FOUND;
    for await (const { position } of session.entries(range(Math.max(0, end - many), end))) last = position;
    if (last !== NOT_FOUND) return last;
  }
  return NOT_FOUND;
}

function* range(from: number, to: number): Generator<number, void, void> {
  for (let at = from; at < to; at++) yield at;
}

class RevReader {
  readonly #session: Log;
  readonly #duplicates: Duplicates;
  #labels: Map<number, string> | undefined;

  constructor(session: Log, options: RevOptions) {
    this.#session = session;
    this.#duplicates = options.duplicates ?? 'nearest-earlier';
  }

  async read(rev: string): Promise<number> {
    if (rev === '') throw revError(this.#session, `an empty REV does not name an entry; use ${FORMS}`);
    const fixed = await this.#fixed(rev);
    if (fixed !== undefined) return fixed;
    const exact = await this.#named(rev, rev);
    if (exact !== undefined) return exact;
    const steps = /^(.+)~(\d+)$/su.exec(rev);
    const base = steps?.[1];
    if (base !== undefined) {
      const start = (await this.#fixed(base)) ?? (await this.#named(base, rev));
      if (start !== undefined) return this.#up(start, Number(steps?.[2]), rev, base);
    }
    const found = await this.#byPrefix(rev);
    if (found !== undefined) return found;
    const start = base === undefined ? undefined : await this.#byPrefix(base);
    if (start !== undefined) return this.#up(start, Number(steps?.[2]), rev, base as string);
    throw await this.#unknown(base ?? rev, rev);
  }

  /** The forms that mean the same in every log; undefined for any other word. */
  async #fixed(rev: string): Promise<number | undefined> {
    const { index } = this.#session;
    if (rev === '@' || rev === 'root') {
      const last = await lastEntry(this.#session);
      if (last === NOT_FOUND) throw revError(this.#session, `has no entries, so '${rev}' does not exist`);
      return rev === '@' ? last : (pathTo(index, last, this.#duplicates)[0] as number);
    }
    const above = /^@~(\d+)$/.exec(rev)?.[1];
    if (above !== undefined) return this.#up((await this.#fixed('@')) as number, Number(above), rev, '@');
    const colon = rev.indexOf(':');
    const rest = rev.slice(colon + 1);
    switch (colon < 0 ? '' : rev.slice(0, colon)) {
      case 'line':
        return /^\d{1,15}$/.test(rest) ? this.#atLine(Number(rest)) : undefined;
      case 'leaf':
        return /^\d{1,15}$/.test(rest) ? this.#leaf(Number(rest)) : undefined;
      case 'id':
        return await this.#only(this.#ids(rest), rest, 'id');
      case 'label':
        return await this.#only(await this.#labelled(rest), rest, 'label');
      default:
        return undefined;
    }
  }

  /** An exact id or an exact label; both at once only where they name the same entry. */
  async #named(word: string, rev: string): Promise<number | undefined> {
    const ids = this.#ids(word);
    const labelled = await this.#labelled(word);
    const all = [...new Set([...ids, ...labelled])];
    if (all.length <= 1) return all[0];
    const how = ids.length > 0 && labelled.length > 0 ? `use 'id:${word}' or 'label:${word}'` : `use 'line:N'`;
    throw this.#ambiguous(rev, await this.#described(all), how);
  }

  /** What `id:` or `label:` names; with `~N` behind it where the whole is no name. */
  async #only(found: readonly number[], word: string, kind: 'id' | 'label'): Promise<number | undefined> {
    if (found.length === 1) return found[0];
    if (found.length > 1) throw this.#ambiguous(`${kind}:${word}`, await this.#described(found), `use 'line:N'`);
    // The reader takes the steps off and asks again.
    if (/.~\d+$/su.test(word)) return undefined;
    throw kind === 'id' ? await this.#unknown(word, `id:${word}`) : await this.#unknownLabel(word);
  }

  #ids(word: string): readonly number[] {
    return this.#session.index.definitions(word);
  }

  async #labelled(word: string): Promise<number[]> {
    const all = await this.#allLabels();
    return [...all].flatMap(([position, label]) => (label === word ? [position] : [])).sort((a, b) => a - b);
  }

  async #allLabels(): Promise<Map<number, string>> {
    this.#labels ??= await labels(this.#session);
    return this.#labels;
  }

  #up(start: number, steps: number, rev: string, base: string): number {
    const path = pathTo(this.#session.index, start, this.#duplicates);
    const position = path[path.length - 1 - steps];
    if (position !== undefined) return position;
    const above = path.length - 1;
    throw revError(
      this.#session,
      `'${rev}' goes past the root; there ${above === 1 ? 'is 1 entry' : `are ${above} entries`} above '${base}'${above > 0 ? `, and '${base}~${above}' is the root` : ''}`,
    );
  }

  #atLine(line: number): number {
    const session = this.#session;
    const damage = session.damage.find((one) => one.line === line);
    if (damage)
      throw revError(
        session,
        `line ${line} is damaged (${damage.rule}); run 'sessionctl repair' first, or choose another entry`,
      );
    const position = session.index.atLine(line);
    if (position !== NOT_FOUND) return position;
    const what = session.headerLines.includes(line)
      ? `line ${line} is a header, not an entry`
      : `there is no entry on line ${line}`;
    throw revError(session, `${what}${this.#nearestLines(line)}`);
  }

  #nearestLines(line: number): string {
    const { index } = this.#session;
    if (index.size === 0) return '; the log has no entries';
    let behind = 0;
    for (let high = index.size; behind < high; ) {
      const middle = (behind + high) >>> 1;
      if (index.lineOf(middle) < line) behind = middle + 1;
      else high = middle;
    }
    const near = [behind - 1, behind]
      .filter((at) => at >= 0 && at < index.size)
      .map((at) => `'line:${index.lineOf(at)}'`);
    return `; the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(' and ')}`;
  }

  #leaf(number: number): number {
    const ends = leaves(this.#session.index);
    const position = number === 0 ? undefined : ends[ends.length - number];
    if (position !== undefined) return position;
    if (ends.length === 0) throw revError(this.#session, `has no leaf, so 'leaf:${number}' does not exist`);
    const range = ends.length === 1 ? `'leaf:1'` : `'leaf:1' to 'leaf:${ends.length}'`;
    throw revError(
      this.#session,
      `there is no 'leaf:${number}'; the log has ${counted(ends.length, 'leaf', 'leaves')}, ${range}`,
    );
  }

  async #byPrefix(prefix: string): Promise<number | undefined> {
    if (prefix.length < SHORTEST_PREFIX) return undefined;
    /** Positions by id, so that a repeated id counts once. */
    const found = new Map<string, number>();
    let more = 0;
    for (const [id, position] of this.#session.index.ids()) {
      if (!id.startsWith(prefix)) continue;
      if (found.size < MOST_CANDIDATES) found.set(id, position);
      else more++;
    }
    const [first] = found;
    if (first === undefined) return undefined;
    if (found.size > 1) {
      const names = [...found].map(([id, position]) => `'${id}' (line ${this.#session.index.lineOf(position)})`);
      if (more > 0) names.push(`${more} more`);
      throw this.#ambiguous(prefix, names, 'use more characters');
    }
    const definitions = this.#ids(first[0]);
    if (definitions.length > 1) throw this.#ambiguous(prefix, await this.#described(definitions), `use 'line:N'`);
    return first[1];
  }

  async #unknown(word: string, rev: string): Promise<AppError> {
    const session = this.#session;
    if (session.header?.['id'] === word) {
      return revError(session, `'${rev}' is the id of the header, which is not an entry; the first entry is 'root'`);
    }
    const names = nearest(word, new Set((await this.#allLabels()).values()), 3).map((label) => `label '${label}'`);
    names.unshift(...(await this.#nearestIds(word)));
    const meant = names.length > 0 ? `did you mean ${names.join(', ')}?` : `use ${FORMS}`;
    const short =
      word.length < SHORTEST_PREFIX && names.length === 0
        ? `; a prefix of an id needs at least ${SHORTEST_PREFIX} characters`
        : '';
    return revError(session, `'${rev}' does not match any entry${short}; ${meant}`);
  }

  async #unknownLabel(word: string): Promise<AppError> {
    const all = [...new Set((await this.#allLabels()).values())];
    if (all.length === 0) return revError(this.#session, `no entry has the label '${word}'; the log has no labels`);
    const near = nearest(word, all, 3);
    const names = (near.length > 0 ? near : all.slice(0, MOST_CANDIDATES)).map((label) => `'${label}'`).join(', ');
    return revError(
      this.#session,
      `no entry has the label '${word}'; ${near.length > 0 ? `did you mean ${names}?` : `there ${all.length === 1 ? 'is' : 'are'} ${names}${all.length > MOST_CANDIDATES ? ', ...' : ''}`}`,
    );
  }

  async #nearestIds(word: string): Promise<string[]> {
    let best: string[] = [];
    let batch: string[] = [];
    const sift = (): void => {
      best = nearest(word, new Set([...best, ...batch]), 3);
      batch = [];
    };
    for (const [id] of this.#session.index.ids()) {
      batch.push(id);
      if (batch.length >= 1000) sift();
    }
    sift();
    return best.map((id) => `'${id}'`);
  }

  #ambiguous(rev: string, candidates: readonly string[], how: string): AppError {
    return revError(this.#session, `'${rev}' is ambiguous; it could be ${candidates.join(', ')}; ${how}`);
  }

  async #described(positions: readonly number[]): Promise<string[]> {
    const shown = positions.slice(0, MOST_CANDIDATES);
    const all = await this.#allLabels();
    const names: string[] = [];
    for await (const { position, line, value } of this.#session.entries(shown)) {
      const label = all.get(position);
      names.push(`'${value['id']}' (line ${line}${label === undefined ? '' : `, label '${label}'`})`);
    }
    if (positions.length > shown.length) names.push(`${positions.length - shown.length} more`);
    return names;
  }
}

function revError(session: Log, message: string): AppError {
  return new AppError(`${session.name}: ${message}`);
}
