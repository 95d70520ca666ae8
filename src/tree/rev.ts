import { entryTypes, isSeenByModel } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import { type Duplicates, NOT_FOUND } from '../log/log-index.ts';
import { LogError } from '../util/errors.ts';
import { partitionPoint } from '../util/search.ts';
import { counted, nearest } from '../util/words.ts';
import { labels } from './labels.ts';
import { lastEntry, SHORT_ID } from './last-entry.ts';
import { leaves, pathTo } from './path.ts';
import type { NamedPosition } from './source-ids.ts';

export interface RevOptions {
  /** `null` names the empty context. */
  readonly allowNull?: boolean;
  /** How the path goes up where ids are repeated. */
  readonly duplicates?: Duplicates | undefined;
}

const SHORTEST_PREFIX = 4;
const MAX_CANDIDATES = 5;
const FORMS = "'@', '@~N', 'root', 'line:N', 'leaf:N', an id, a prefix of one, or a label";

/**
 * Resolves an entry as git resolves a commit: fixed forms first, then an exact id or label, then the same with `~N`,
 * then the start of an id, in another agent's log also its end or the id of a part. An ambiguous REV is an error that
 * lists the candidates; the last entry is never assumed.
 */
export async function resolveRev(session: Log, rev: string, options: RevOptions = {}): Promise<number | null> {
  const reader = new RevReader(session, options.duplicates);
  if (rev === 'null' && options.allowNull) return null;
  if (rev === 'null')
    throw reader.error(
      `'null' is the empty context, which only 'sessionctl context' can show; for an entry with that id use 'id:null'`,
    );
  const position = await reader.read(rev);
  // Reports damage in its bytes, which the index does not show.
  await session.entry(position);
  return position;
}

/** The same for commands that need an entry. */
export async function resolveEntry(session: Log, rev: string): Promise<number> {
  return (await resolveRev(session, rev)) as number;
}

class RevReader {
  readonly #session: Log;
  readonly #duplicates: Duplicates | undefined;
  #labels: Map<number, string> | undefined;
  #sourceIds: Promise<NamedPosition[]> | undefined;

  constructor(session: Log, duplicates: Duplicates | undefined) {
    this.#session = session;
    this.#duplicates = duplicates;
  }

  error(message: string): LogError {
    return new LogError(this.#session.name, message, 'UNKNOWN_REV');
  }

  async read(rev: string): Promise<number> {
    if (rev === '') throw this.error(`an empty REV does not name an entry; use ${FORMS}`);
    const [, base, steps] = /^(.+)~(\d+)$/su.exec(rev) ?? [];
    const exact = async (word: string): Promise<number | undefined> =>
      (await this.#fixed(word)) ?? (await this.#named(word, rev));
    const byStart = (word: string) => this.#byPart(word, SHORTEST_PREFIX, (id) => id.startsWith(word));
    const byEnd = (word: string) => this.#byPart(word, SHORT_ID, (id) => id.endsWith(word));
    const bySource = (word: string) => this.#bySource(word);
    for (const find of this.#session.format ? [exact, byStart, byEnd, bySource] : [exact, byStart]) {
      const found = await find(rev);
      if (found !== undefined) return found;
      const start = base === undefined ? undefined : await find(base);
      if (base !== undefined && start !== undefined) return this.#up(start, Number(steps), rev, base);
    }
    // The name that git uses.
    if (/^HEAD(?:~\d+)?$/.test(rev)) return await this.read(rev.replace('HEAD', '@'));
    throw await this.#unknown(base ?? rev, rev);
  }

  /** The forms that mean the same in every log; undefined for anything else. */
  async #fixed(rev: string): Promise<number | undefined> {
    const above = /^@~(\d+)$/.exec(rev)?.[1];
    if (rev === '@' || rev === 'root' || above !== undefined) {
      const last = await lastEntry(this.#session);
      const name = above === undefined ? rev : '@';
      if (last === NOT_FOUND) throw this.error(`has no entries, so '${name}' does not exist`);
      if (above !== undefined) return this.#up(last, Number(above), rev, '@');
      return rev === '@' ? last : pathTo(this.#session.index, last, this.#duplicates)[0];
    }
    const [, kind, word = ''] = /^(line|leaf|id|label):(.*)$/su.exec(rev) ?? [];
    if (kind === 'id' || kind === 'label') {
      const all = kind === 'id' ? this.#session.index.definitions(word) : await this.#labeled(word);
      const found = await this.#only(all, rev);
      // `read` removes the steps and tries again.
      if (found !== undefined || /.~\d+$/su.test(word)) return found;
      throw kind === 'id' ? await this.#unknown(word, rev) : await this.#unknownLabel(word);
    }
    if (kind === undefined || !/^\d{1,15}$/.test(word)) return undefined;
    return kind === 'line' ? this.#atLine(Number(word)) : this.#leaf(Number(word));
  }

  /** An exact id or label; both only if they name the same entry. */
  async #named(word: string, rev: string): Promise<number | undefined> {
    const ids = this.#session.index.definitions(word);
    const labeled = await this.#labeled(word);
    const isBoth = ids.length > 0 && labeled.length > 0;
    const all = [...new Set([...ids, ...labeled])];
    return await this.#only(all, rev, isBoth ? `use 'id:${word}' or 'label:${word}'` : undefined);
  }

  async #labeled(word: string): Promise<number[]> {
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
    const count = above === 1 ? 'is 1 entry' : `are ${above} entries`;
    const root = above > 0 ? `, and '${base}~${above}' is the root` : '';
    throw this.error(`'${rev}' goes past the root; there ${count} above '${base}'${root}`);
  }

  #atLine(line: number): number {
    const { index, damage, headerLines } = this.#session;
    const rule = damage.find((one) => one.line === line)?.rule;
    if (rule !== undefined)
      throw this.error(`line ${line} is damaged (${rule}); run 'sessionctl repair' first, or choose another entry`);
    const position = index.atLine(line);
    if (position !== NOT_FOUND) {
      if (!this.#session.format) return position;
      // One line of another agent's log may become several entries.
      const seen = entryTypes.map(({ name }) => name).filter(isSeenByModel);
      return [...index.ofTypes(seen)].findLast((at) => index.lineOf(at) === line) ?? position;
    }
    const what = headerLines.includes(line)
      ? `line ${line} is a header, not an entry`
      : `there is no entry on line ${line}`;
    if (index.size === 0) throw this.error(`${what}; the log has no entries`);
    const behind = partitionPoint(0, index.size, (at) => index.lineOf(at) < line);
    const near = [behind - 1, behind].filter((at) => at >= 0 && at < index.size);
    const names = near.map((at) => `'line:${index.lineOf(at)}'`).join(' and ');
    throw this.error(`${what}; the nearest ${near.length === 1 ? 'is' : 'are'} ${names}`);
  }

  #leaf(number: number): number {
    const ends = leaves(this.#session.index);
    const position = ends[ends.length - number];
    if (position !== undefined) return position;
    if (ends.length === 0) throw this.error(`has no leaf, so 'leaf:${number}' does not exist`);
    const range = ends.length === 1 ? `'leaf:1'` : `'leaf:1' to 'leaf:${ends.length}'`;
    throw this.error(`there is no 'leaf:${number}'; the log has ${counted(ends.length, 'leaf', 'leaves')}, ${range}`);
  }

  async #byPart(part: string, shortest: number, fits: (id: string) => boolean): Promise<number | undefined> {
    if (part.length < shortest) return undefined;
    const { index } = this.#session;
    const found: [id: string, position: number][] = [];
    for (const one of index.ids()) if (fits(one[0])) found.push(one);
    const definitions = found.flatMap(([id]) => index.definitions(id));
    if (found.length <= 1) return await this.#only(definitions, part);
    throw this.#ambiguous(part, this.#names(found), found.length, 'use more characters');
  }

  /** By an id that another agent has for a part of an entry, or the start of one. */
  async #bySource(word: string): Promise<number | undefined> {
    if (word.length < SHORTEST_PREFIX) return undefined;
    this.#sourceIds ??= import('./source-ids.ts').then(({ sourceIds }) => sourceIds(this.#session));
    const near = (await this.#sourceIds).filter(([id]) => id.startsWith(word));
    const exact = near.filter(([id]) => id === word);
    const found = exact.length > 0 ? exact : near;
    if (new Set(found.map(([, at]) => at)).size <= 1) return found[0]?.[1];
    const how = exact.length > 0 ? `use 'line:N'` : 'use more characters';
    throw this.#ambiguous(word, this.#names(found), found.length, how);
  }

  #names(found: readonly NamedPosition[]): string[] {
    const { index } = this.#session;
    return found.slice(0, MAX_CANDIDATES).map(([id, at]) => `'${id}' (line ${index.lineOf(at)})`);
  }

  async #unknown(word: string, rev: string): Promise<LogError> {
    const { header, index } = this.#session;
    if (header?.['id'] === word)
      return this.error(`'${rev}' is the id of the header, which is not an entry; the first entry is 'root'`);
    if (/\.jsonl$/.test(word))
      return this.error(`'${rev}' is neither a file that is there nor an entry; check the path`);
    const ids = Array.from(index.ids(), ([id]) => id);
    const names = nearest(word, ids).map((id) => `'${id}'`);
    for (const label of nearest(word, await this.#labelNames())) names.push(`label '${label}'`);
    const isShort = word.length < SHORTEST_PREFIX && names.length === 0;
    const short = isShort ? `; a prefix of an id needs at least ${SHORTEST_PREFIX} characters` : '';
    const meant = names.length > 0 ? `did you mean ${names.join(', ')}?` : `use ${FORMS}`;
    return this.error(`'${rev}' does not match any entry${short}; ${meant}`);
  }

  async #unknownLabel(word: string): Promise<LogError> {
    const all = [...(await this.#labelNames())];
    const listed = (names: readonly string[]): string => names.map((label) => `'${label}'`).join(', ');
    const near = nearest(word, all);
    const some = `${listed(all.slice(0, MAX_CANDIDATES))}${all.length > MAX_CANDIDATES ? ', ...' : ''}`;
    const there = all.length === 0 ? 'the log has no labels' : `there ${all.length === 1 ? 'is' : 'are'} ${some}`;
    const rest = near.length > 0 ? `did you mean ${listed(near)}?` : there;
    return this.error(`no entry has the label '${word}'; ${rest}`);
  }

  async #labelNames(): Promise<Set<string>> {
    return new Set((await this.#allLabels()).values());
  }

  /** The only entry found, if any; more than one is an error. */
  async #only(found: readonly number[], rev: string, how = `use 'line:N'`): Promise<number | undefined> {
    if (found.length <= 1) return found[0];
    const all = await this.#allLabels();
    const names: string[] = [];
    for await (const { position, line, value } of this.#session.entries(found.slice(0, MAX_CANDIDATES))) {
      const label = all.get(position);
      names.push(`'${value['id']}' (line ${line}${label === undefined ? '' : `, label '${label}'`})`);
    }
    throw this.#ambiguous(rev, names, found.length, how);
  }

  #ambiguous(rev: string, names: readonly string[], count: number, how: string): LogError {
    const more = count > MAX_CANDIDATES ? [`${count - MAX_CANDIDATES} more`] : [];
    return this.error(`'${rev}' is ambiguous; it could be ${[...names, ...more].join(', ')}; ${how}`);
  }
}
