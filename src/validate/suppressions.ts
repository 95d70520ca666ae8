import { dirname, join, relative, resolve, sep } from 'node:path';
import { isThere, readSmallFile } from '../files/input.ts';
import { toFile, writeTo } from '../files/sink.ts';
import { isObject, parseJson } from '../json/value.ts';
import type { Finding } from '../rules/rule.ts';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';

/** It grows with the logs that it is about. */
const MOST_BYTES = 64 * 1024 * 1024;

/** How many findings of each rule are known. */
type Counts = ReadonlyMap<string, number>;

/**
 * 'use': known findings are not reported; 'suppress-all': none is, and all are known from now on;
 * 'prune-suppressions': what no longer occurs is not known any more.
 */
type SuppressionMode = 'use' | 'suppress-all' | 'prune-suppressions';

/**
 * A file of known findings, as ESLint has it: {"logs/a.jsonl":{"torn-line":{"count":2}}}, with paths from its own
 * folder. If a rule has more findings than are known, all of them are reported: which are new is unknown.
 */
export class Suppressions {
  /** Known findings that no longer occur. */
  unused = 0;
  readonly #path: string;
  readonly #mode: SuppressionMode;
  readonly #known: Map<string, Counts>;

  constructor(path: string, mode: SuppressionMode, known: ReadonlyMap<string, Counts>) {
    this.#path = path;
    this.#mode = mode;
    this.#known = new Map(known);
  }

  of(log: string): LogSuppressions {
    return new LogSuppressions(this.#known.get(this.#keyOf(log)) ?? new Map(), this.#mode);
  }

  /** A log was checked to its end. */
  checked(log: string, { known, found }: LogSuppressions): void {
    const next = new Map(this.#mode === 'suppress-all' ? found : known);
    for (const [rule, count] of known) {
      const left = Math.min(count, found.get(rule) ?? 0);
      if (this.#mode === 'use') this.unused += count - left;
      if (this.#mode === 'prune-suppressions') next.set(rule, left);
    }
    this.#known.set(this.#keyOf(log), next);
  }

  /** Writes what is known from now on, if requested; files that are gone are left out. */
  async save(io: Pick<Io, 'random' | 'signal'>): Promise<void> {
    if (this.#mode === 'use') return;
    const entries: [string, object][] = [];
    for (const [log, counts] of [...this.#known].sort(byName)) {
      const rules = [...counts].filter(([, count]) => count > 0).sort(byName);
      if (rules.length === 0 || !(await isThere(join(dirname(this.#path), log)))) continue;
      entries.push([log, Object.fromEntries(rules.map(([rule, count]) => [rule, { count }]))]);
    }
    const sink = toFile(this.#path, { mode: 0o666, ...io });
    await writeTo(sink, (out) => out.put(`${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`));
  }

  #keyOf(log: string): string {
    return relative(resolve(dirname(this.#path)), resolve(log)).replaceAll(sep, '/');
  }
}

/** Between the rules and the reporters, for one log. */
class LogSuppressions {
  readonly known: Counts;
  readonly found = new Map<string, number>();
  readonly #hidesAll: boolean;
  #held: Finding[] = [];

  constructor(known: Counts, mode: SuppressionMode) {
    this.known = known;
    this.#hidesAll = mode === 'suppress-all';
  }

  /**
   * What is to be reported now: not this one as long as it may be known; with the first that is new, all of its rule.
   */
  pass(finding: Finding): readonly Finding[] {
    const { rule } = finding;
    const count = (this.found.get(rule) ?? 0) + 1;
    this.found.set(rule, count);
    if (this.#hidesAll) return [];
    const most = this.known.get(rule) ?? 0;
    if (most === 0 || count > most + 1) return [finding];
    this.#held.push(finding);
    if (count <= most) return [];
    const all = this.#held.filter((one) => one.rule === rule);
    this.#held = this.#held.filter((one) => one.rule !== rule);
    return all;
  }

  /** How many were not reported. */
  get hidden(): number {
    return this.#hidesAll ? [...this.found.values()].reduce((sum, count) => sum + count, 0) : this.#held.length;
  }
}

export async function readSuppressions(path: string, mode: SuppressionMode): Promise<Suppressions> {
  if (!(await isThere(path))) {
    if (mode === 'suppress-all') return new Suppressions(path, mode, new Map());
    throw new AppError(`${path}: no such file; --suppress-all writes it`);
  }
  const known = new Map<string, Counts>();
  const json = parseJson(await readSmallFile(path, MOST_BYTES));
  const refuse = (): never => {
    throw new AppError(`${path}: is not a file of suppressions; --suppress-all writes one`);
  };
  for (const [log, rules] of Object.entries(isObject(json) ? json : refuse())) {
    const counts = Object.entries(isObject(rules) ? rules : refuse()).map(([rule, value]): [string, number] => {
      const count = isObject(value) ? value['count'] : undefined;
      return [rule, typeof count === 'number' && count >= 0 ? count : refuse()];
    });
    known.set(log, new Map(counts));
  }
  return new Suppressions(path, mode, known);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
