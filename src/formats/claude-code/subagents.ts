import { parseExact } from '../../json/exact.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import type { LogSource, RelatedSession } from '../format.ts';
import { blocksOf } from '../model-message.ts';
import { readNear } from '../near-file.ts';

const MOST_ABOUT = 1024 * 1024;
const FILE = /(?:^|\/)agent-([^/]+)\.jsonl$/;

/** A session of a subagent, in a file of its own or inside that of its parent. */
export interface Subagent {
  readonly agent: string;
  readonly path?: string;
  readonly role?: string;
  readonly title?: string;
  readonly toolCallId?: string;
  readonly depth?: number;
}

type Related = Omit<RelatedSession, 'nativeId'> & { readonly role?: string; readonly depth?: number };

/** An agent's id is unique in its session only. */
export function subagentId(sessionId: string, agent: string): string {
  return `${sessionId}/${agent}`;
}

export class ClaudeSubagents {
  /** Agents that a result names, but whose file is missing. */
  missing: { readonly agent: string; readonly line: number }[] = [];
  readonly #sessionId: string;
  readonly #open: Map<string, Subagent>;
  readonly #known: Set<string>;
  /** The calls of subagents, by prompt. */
  readonly #asked = new Map<string, string>();

  constructor(sessionId: string, known: readonly Subagent[]) {
    this.#sessionId = sessionId;
    this.#open = new Map(known.map((one) => [one.agent, one]));
    this.#known = new Set(this.#open.keys());
  }

  /** Remembers the prompts in an answer: the session of a subagent starts with one. */
  ask({ content }: JsonObject): void {
    for (const { id, input } of blocksOf(content))
      if (isObject(input) && typeof input['prompt'] === 'string' && typeof id === 'string')
        this.#asked.set(input['prompt'], id);
  }

  /** Adds the subagent of a record inside the session's file. */
  register(agent: string, content: unknown): void {
    if (this.#known.has(agent)) return;
    this.#known.add(agent);
    const toolCallId = typeof content === 'string' ? this.#asked.get(content) : undefined;
    this.#open.set(agent, { agent, ...(toolCallId === undefined ? {} : { toolCallId }) });
  }

  /** Writes the subagent of a call at its first result. */
  link(call: string, result: unknown, line: number, write: (session: Related) => void): void {
    const named = isObject(result) ? asString(result['agentId']) : undefined;
    const found = named === undefined ? this.#byCall(call) : this.#open.get(named);
    if (found) this.#write(found, call, write);
    else if (named !== undefined) this.missing.push({ agent: named, line });
  }

  /** Writes those that no result has named. */
  rest(write: (session: Related) => void): void {
    for (const one of this.#open.values()) this.#write(one, one.toolCallId, write);
  }

  #byCall(call: string): Subagent | undefined {
    if (this.#open.size === 0) return undefined;
    return [...this.#open.values()].find(({ toolCallId }) => toolCallId === call);
  }

  #write({ agent, ...one }: Subagent, toolCallId: string | undefined, write: (session: Related) => void): void {
    this.#open.delete(agent);
    const place = one.path === undefined ? { isInside: true as const } : {};
    const call = toolCallId === undefined ? {} : { toolCallId };
    write({ id: subagentId(this.#sessionId, agent), ...one, ...call, ...place });
  }
}

/** Finds the files of subagents: in a folder named like the session, or like the log. */
export async function findSubagents(source: LogSource, sessionId: string): Promise<Subagent[]> {
  const stem = source.name.replace(/^.*[\\/]/, '').replace(/\.jsonl$/, '');
  const found = new Map<string, Subagent>();
  for (const folder of new Set([sessionId, stem, `${stem}.files`])) {
    if (folder === '' || folder === '-' || /[\\/]|^\.+$/.test(folder)) continue;
    const paths = await source.list(`${folder}/subagents`);
    for (const path of paths) {
      const agent = FILE.exec(path.replaceAll('\\', '/'))?.[1];
      if (agent === undefined || found.has(agent)) continue;
      const named = path.replace(/\.jsonl$/, '.meta.json');
      const about = paths.includes(named) ? await readNear(source, named, MOST_ABOUT) : undefined;
      found.set(agent, { agent, path, ...described(about && parseExact(about.toString('utf8'))) });
    }
  }
  return [...found.values()];
}

function described(about: JsonObject = {}): Omit<Subagent, 'agent' | 'path'> {
  const { agentType, description, toolUseId, spawnDepth } = about;
  return {
    ...(typeof agentType === 'string' ? { role: agentType } : {}),
    ...(typeof description === 'string' ? { title: description } : {}),
    ...(typeof toolUseId === 'string' ? { toolCallId: toolUseId } : {}),
    ...(typeof spawnDepth === 'number' ? { depth: spawnDepth } : {}),
  };
}
