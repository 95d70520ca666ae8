import { factsOf, isFolder, isThere } from '../files/input.ts';
import { placeIn, type SessionPlace } from '../files/place.ts';
import { findFiles } from '../files/walk.ts';
import type { Environment } from '../formats/folders.ts';
import { type Agent, agentNamed, agents, requireAgent } from './agents.ts';

/** A file that has one session, or a database that has several, of which one may be wanted. */
export interface SessionFile extends SessionPlace {
  /** The agent that owns the folder; undefined for a file or folder that the user named. */
  readonly agent: Agent | undefined;
  /** Of the last change, in milliseconds since 1970. */
  readonly updated: number;
  readonly size: number;
}

interface Search {
  readonly env: Environment;
  /** Folders that the user adds. */
  readonly roots?: readonly string[];
  /** Only of these agents. */
  readonly agents?: readonly Agent[];
  /** Called with an error for each folder that cannot be read. */
  readonly onError: (message: string) => void;
}

interface SearchOperands {
  readonly operands: readonly string[];
  readonly roots: readonly string[];
}

/** The folders that are searched, whether they exist or not. */
export function searchedFolders({ env, roots = [], agents: wanted = agents }: Omit<Search, 'onError'>) {
  const known = wanted.flatMap((agent) => agent.locations(env).map((folder) => ({ agent, folder })));
  return [...known, ...roots.map((folder) => ({ agent: undefined, folder }))];
}

/** The files with sessions in all known folders, each once; the newest first, then by path. */
export async function findAll(search: Search): Promise<SessionFile[]> {
  const found = new Map<string, SessionFile>();
  for (const { agent, folder } of searchedFolders(search)) {
    if (agent && !(await isThere(folder))) continue;
    for await (const { path, error } of findFiles(folder, agent?.isLog ?? isLogOfAny)) {
      if (error) search.onError(error.message);
      else if (!found.has(path)) found.set(path, await sessionFile(path, agent));
    }
  }
  return [...found.values()].sort(newestFirst);
}

function isLogOfAny(name: string): boolean {
  return agents.some(({ isLog }) => isLog(name));
}

async function sessionFile(path: string, agent?: Agent): Promise<SessionFile> {
  const facts = await factsOf(path).catch(() => undefined);
  return { agent, path, updated: facts ? Math.trunc(facts.mtimeMs) : 0, size: facts?.size ?? 0 };
}

function newestFirst(one: SessionFile, other: SessionFile): number {
  return other.updated - one.updated || (one.path < other.path ? -1 : 1);
}

/** The files for the operands; all known files where there are none. */
export async function filesFor(
  { operands, roots }: SearchOperands,
  env: Search['env'],
  onError: Search['onError'],
): Promise<SessionFile[]> {
  const named: SessionFile[] = [];
  const wanted = new Set<Agent>();
  for (const operand of operands) {
    const { path, session } = await placeIn(operand);
    if (!(await isThere(path))) wanted.add(requireAgent(operand));
    else if (session !== undefined || !(await isFolder(path))) named.push({ ...(await sessionFile(path)), session });
    else {
      for await (const { path, error } of findFiles(operand, isLogOfAny)) {
        if (error) onError(error.message);
        else named.push(await sessionFile(path));
      }
    }
  }
  const searches = operands.length === 0 || wanted.size > 0 || roots.length > 0;
  const search = { env, roots, agents: operands.length === 0 ? agents : [...wanted], onError };
  const found = searches ? await findAll(search) : [];
  return [...named, ...found].sort(newestFirst);
}

/** The note where no session was found. */
export function noSessionMessage({ operands, roots }: SearchOperands, env: Search['env']): string {
  const known = operands.length === 0 ? ["the folders that 'sessionctl formats' lists"] : [];
  const named = operands.flatMap((word) => agentNamed(word)?.locations(env) ?? word);
  const where = [...known, ...named, ...roots].join(', ');
  return `no session found in ${where}; pass a file, or a folder with session logs`;
}
