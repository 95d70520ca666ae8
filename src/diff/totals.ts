import { messageOf } from '../entries/envelope-check.ts';
import { addUsage, NO_USAGE, type UsageTotals, usageOf } from '../entries/usage.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { classifier } from '../status/classes.ts';
import { pathArgument } from '../status/probe.ts';
import { argumentsOf, Pairing, toolCalls } from '../transcript/turns.ts';
import { modelText } from './item.ts';

/** Totals of what only one side of a comparison has. */
export interface SideTotals {
  readonly entries: number;
  readonly messages: number;
  /** Files written by tools, as far as the log shows; a call failed if its result is an error or missing. */
  readonly files: readonly { readonly path: string; calls: number; failed: number }[];
  /** In the order of selection; `role: model` for roles other than the default. */
  readonly models: readonly string[];
  readonly modes: readonly string[];
  readonly usage: UsageTotals;
}

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
const MAX_FILES = 10_000;

/** Sums up the entries that only one side has. */
export class SideReader {
  readonly #classify = classifier();
  readonly #files = new Map<string, SideTotals['files'][number]>();
  /** Pairs the files that a call writes with its results, which only count. */
  readonly #pairing = new Pairing<readonly string[], null>();
  readonly #models: string[] = [];
  readonly #modes: string[] = [];
  readonly #count = { entries: 0, messages: 0, usage: NO_USAGE };

  take(entry: JsonObject): void {
    const { type, mode } = entry;
    this.#count.entries++;
    this.#count.usage = addUsage(this.#count.usage, usageOf(entry));
    if (type === 'model_change') this.#models.push(modelText(entry));
    if (type === 'mode_change') this.#modes.push(String(mode));
    if (type !== 'message') return;
    this.#count.messages++;
    const message = messageOf(entry) ?? {};
    if (message['role'] === 'toolResult') this.#result(message);
    if (message['role'] === 'assistant') this.#turn(message);
  }

  totals(): SideTotals {
    const { entries, messages, usage } = this.#count;
    return { entries, messages, files: [...this.#files.values()], models: this.#models, modes: this.#modes, usage };
  }

  #turn(message: JsonObject): void {
    this.#pairing.startTurn();
    for (const call of toolCalls(message)) {
      const args = argumentsOf(call);
      const writes = this.#classify(String(call['name']), args).class === 'workspace-write';
      const paths = writes ? writtenPaths(args) : [];
      // A call counts as failed until its result says otherwise.
      for (const path of paths) this.#change(path, 1, 1);
      this.#pairing.add(call['id'], paths);
    }
  }

  #result(message: JsonObject): void {
    const group = this.#pairing.callsFor(message['toolCallId']);
    const paths = group?.calls[group.results.length] ?? [];
    group?.results.push(null);
    if (message['isError'] !== true) for (const path of paths) this.#change(path, 0, -1);
  }

  #change(path: string, calls: number, failed: number): void {
    const known = this.#files.get(path);
    if (known) {
      known.calls += calls;
      known.failed += failed;
    } else if (this.#files.size < MAX_FILES) this.#files.set(path, { path, calls, failed });
  }
}

function writtenPaths(args: unknown): string[] {
  const path = isObject(args) ? pathArgument(args) : undefined;
  if (path !== undefined) return [path];
  const patch = isObject(args) ? (args['input'] ?? args['patch']) : args;
  if (typeof patch !== 'string') return [];
  return [...new Set([...patch.matchAll(PATCHED)].map((found) => (found[1] as string).trim()))];
}
