import { isThere } from '../files/input.ts';
import { nameOf } from '../files/place.ts';
import { listed } from '../formats/sessions.ts';
import { AppError, UsageError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';
import { type Agent, agentNamed, agentNames } from './agents.ts';
import { type SessionSummary, summarizeFile } from './file-summary.ts';
import { findAll, type SessionFile, searchedFolders } from './find.ts';

type AddressIo = Pick<Io, 'env' | 'stdin' | 'random' | 'signal' | 'note'>;

/** The agent and the id of an address such as 'claude:4f2a' or 'codex:last'; undefined for any other operand. */
async function readAddress(word: string): Promise<{ readonly agent: Agent; readonly id: string } | undefined> {
  const [, name = '', id = ''] = /^([a-z][a-z-]*):(.+)$/s.exec(word) ?? [];
  const agent = agentNamed(name);
  return agent && !(await isThere(word)) ? { agent, id } : undefined;
}

/** The operands of a command, with each address replaced by its file, or by FILE#ID if the command takes that. */
export async function resolveAddresses(
  words: readonly string[],
  takesSession: boolean,
  io: AddressIo,
): Promise<string[]> {
  const resolved: string[] = [];
  // Words after the first may be REVs, such as leaf:2.
  if (words[0] !== undefined) await requireKnownAgent(words[0]);
  for (const word of words) {
    const address = await readAddress(word);
    const found = address && (await resolve(word, address.agent, address.id, io));
    if (found && !takesSession && isInDatabase(found))
      throw new AppError(
        `'${word}' is one session of the database ${found.path}; this command takes whole files, such as what 'sessionctl convert ${word}' writes`,
      );
    resolved.push(found ? placeOf(found) : word);
  }
  return resolved;
}

/** Refuses the name of an agent in the place of a file. */
export async function refuseAgent(word: string): Promise<void> {
  const agent = agentNamed(word.replace(/:$/, ''));
  if (!agent || (await isThere(word))) return;
  const { name } = agent;
  throw new UsageError(
    `'${word}' is no file but an agent; '${name}:last' is its newest session, and 'sessionctl ls ${name}' lists all`,
  );
}

/** Refuses an address of an unknown agent. */
async function requireKnownAgent(word: string): Promise<void> {
  const [, name] = /^([a-z][a-z-]*):[\w-]+$/.exec(word) ?? [];
  if (name === undefined || agentNamed(name) || (await isThere(word))) return;
  throw new UsageError(`'${word}' is no file, and '${name}' no agent; agents are ${agentNames()}`);
}

async function resolve(word: string, agent: Agent, id: string, io: AddressIo): Promise<SessionSummary> {
  const search = { env: io.env, agents: [agent], onError: io.note };
  const files = await findAll(search);
  const found: SessionSummary[] = [];
  const isDone = (): boolean => id === 'last' && found.length > 0;
  for (const file of candidates(files, id)) {
    if (isDone()) break;
    const sessions = (await summarizeFile(file, io)).sessions.map((one) => ({ ...file, ...one }));
    found.push(...(id === 'last' ? sessions.slice(0, 1) : sessions.filter((one) => one.id.startsWith(id))));
  }
  const exact = found.filter((one) => one.id === id);
  const [one, ...others] = exact.length > 0 ? exact : found;
  if (one && others.length === 0) return one;
  if (one) {
    const all = [one, ...others].reverse();
    throw new AppError(`'${word}' may be ${counted(all.length, 'session')}: ${listed(all)}; pass more of the id`);
  }
  const folders = searchedFolders(search).map(({ folder }) => folder);
  const where = folders.length > 0 ? `looked in ${folders.join(', ')}` : 'no folder of it is known';
  const known = files.length > 0 ? `, among ${counted(files.length, 'file')}` : '';
  throw new AppError(`no session '${word}'; ${where}${known}; 'sessionctl ls ${agent.name}' lists them`);
}

/** The files whose name has the id, or all files where no name has it. */
function candidates(files: readonly SessionFile[], id: string): readonly SessionFile[] {
  if (id === 'last') return files;
  const named = files.filter(({ path }) => path.slice(path.lastIndexOf('/') + 1).includes(id));
  return named.length > 0 ? named : files;
}

/** The file, and the session in it where it has several. */
function placeOf(session: SessionSummary): string {
  return isInDatabase(session) ? nameOf({ path: session.path, session: session.id }) : session.path;
}

function isInDatabase({ path }: SessionSummary): boolean {
  return /\.(?:db|sqlite)$/.test(path);
}
