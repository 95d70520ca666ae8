import { addUsage, NO_USAGE, type Usage, usageOf } from '../entries/usage.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { classifier } from '../status/classes.ts';
import { pathArgument } from '../status/probe.ts';

/** What a tool did to a file, as far as the log shows. */
export interface FileChange {
  readonly path: string;
  readonly calls: number;
  /** Calls whose result is an error, or that have none. */
  readonly failed: number;
}

/** What one side of a comparison has alone, in numbers. */
export interface SideTotals {
  readonly entries: number;
  readonly messages: number;
  readonly files: readonly FileChange[];
  /** In the order in which they were chosen; `role: model` for other roles than the default. */
  readonly models: readonly string[];
  readonly modes: readonly string[];
  readonly usage: Usage;
}

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
const MOST_FILES = 10_000;

/** Sums up the entries that a side has alone, one at a time. */
export class SideReader {
  readonly #classify = classifier();
  readonly #files = new Map<string, { calls: number; failed: number }>();
  readonly #open = new Map<string, string[]>();
  readonly #models: string[] = [];
  readonly #modes: string[] = [];
  #entries = 0;
  #messages = 0;
  #usage: Usage = NO_USAGE;

  take(entry: JsonObject): void {
    this.#entries++;
    this.#usage = addUsage(this.#usage, usageOf(entry));
    const type = entry['type'];
    if (type === 'model_change') this.#models.push(modelText(entry));
    else if (type === 'mode_change') this.#modes.push(String(entry['mode']));
    else if (type === 'message') {
      this.#messages++;
      const message = entry['message'];
      if (isObject(message)) this.#message(message);
    }
  }

  totals(): SideTotals {
    return {
      entries: this.#entries,
      messages: this.#messages,
      files: [...this.#files].map(([path, { calls, failed }]) => ({ path, calls, failed })),
      models: this.#models,
      modes: this.#modes,
      usage: this.#usage,
    };
  }

  #message(message: JsonObject): void {
    if (message['role'] === 'toolResult') {
      const paths = this.#open.get(String(message['toolCallId']));
      if (!paths) return;
      this.#open.delete(String(message['toolCallId']));
      if (message['isError'] !== true) for (const path of paths) this.#count(path, 0, -1);
      return;
    }
    if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return;
    for (const block of message['content']) {
      if (!isObject(block) || block['type'] !== 'toolCall') continue;
      const args = block['arguments'] ?? block['input'];
      if (this.#classify(String(block['name']), args).class !== 'workspace-write') continue;
      const paths = writtenPaths(args);
      // A call counts as failed until its result says otherwise.
      for (const path of paths) this.#count(path, 1, 1);
      this.#open.set(String(block['id']), paths);
    }
  }

  #count(path: string, calls: number, failed: number): void {
    const known = this.#files.get(path);
    if (known) {
      known.calls += calls;
      known.failed += failed;
    } else if (this.#files.size < MOST_FILES) this.#files.set(path, { calls, failed });
  }
}

function writtenPaths(args: unknown): string[] {
  if (typeof args === 'string') return patchedPaths(args);
  if (!isObject(args)) return [];
  const path = pathArgument(args);
  if (path !== undefined) return [path];
  const patch = args['input'] ?? args['patch'];
  return typeof patch === 'string' ? patchedPaths(patch) : [];
}

function patchedPaths(patch: string): string[] {
  return [...new Set([...patch.matchAll(PATCHED)].map((found) => (found[1] as string).trim()))];
}

/** The model of a model_change, in either dialect. */
export function modelText(entry: JsonObject): string {
  const model =
    typeof entry['model'] === 'string'
      ? entry['model']
      : [entry['provider'], entry['modelId']].filter((part) => typeof part === 'string').join('/') || 'none';
  const role = entry['role'];
  return typeof role === 'string' && role !== '' && role !== 'default' ? `${role}: ${model}` : model;
}
