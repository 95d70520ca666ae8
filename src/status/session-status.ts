import { versionOf } from '../entries/envelope-check.ts';
import type { Log } from '../log/log.ts';
import { pathEnd, pathTo, staleLeaf } from '../tree/path.ts';
import { lastEntry, resolveEntry } from '../tree/rev.ts';
import type { Classify } from './classes.ts';
import { type CallFacts, OtherBranches, PathFacts } from './facts.ts';
import type { Probe } from './probe.ts';
import { judgeStatus } from './status.ts';
import type { FileState, Status } from './types.ts';

export interface SessionStatusOptions {
  /** Whose path is judged; undefined is the last entry of the log. */
  readonly rev?: string | undefined;
  readonly classify: Classify;
  /** Sees whether the files that pending calls name are as the calls would leave them. */
  readonly look?: (facts: PathFacts) => Promise<ReadonlyMap<CallFacts, Probe> | undefined>;
}

/** Whether an open session may be resumed. Holds the ids of the path and the calls of its last turn, beside the index. */
export async function sessionStatus(session: Log, options: SessionStatusOptions): Promise<Status> {
  const { index } = session;
  const { rev } = options;
  const last = await lastEntry(session);
  const leaf = rev === undefined ? last : await resolveEntry(session, rev);
  const path = leaf < 0 ? [] : pathTo(index, leaf);
  const facts = new PathFacts([session.titleSlot, session.header]);
  let firstParentId: unknown;
  for await (const entry of session.entries(path)) {
    if (entry.position === path[0]) firstParentId = entry.value['parentId'];
    facts.add(entry);
  }
  const others = await otherBranches(session, path, facts.pending);
  const [root] = path;
  const kind = root === undefined ? 'root' : pathEnd(index, root);
  const newer = rev === undefined || rev === '@' ? staleLeaf(index) : undefined;
  const probes = await options.look?.(facts);
  const id = session.header?.['id'];
  const file: FileState = {
    sessionId: typeof id === 'string' ? id : null,
    ...headState(session),
    damage: damageState(session, path),
    lastEntryLine: last < 0 ? 0 : index.lineOf(last),
    endsWithNewline: session.endsWithNewline,
    pathEnd: { kind, ...(typeof firstParentId === 'string' ? { id: firstParentId } : {}) },
    ...(newer === undefined ? {} : { newerWork: { line: index.lineOf(newer), rev: `line:${index.lineOf(newer)}` } }),
    ...(probes ? { probes } : {}),
  };
  return judgeStatus(facts, others, file, options.classify);
}

/** Agents take a file for empty, and write over it, unless it starts with a header that has an id. */
function headState({
  header,
  headerLines,
  titleSlot,
  index,
  fileVersion,
}: Log): Pick<FileState, 'hasHeader' | 'version'> {
  const firstEntry = index.size > 0 ? index.lineOf(0) : Number.POSITIVE_INFINITY;
  const before = headerLines.filter((line) => line < firstEntry).length - (titleSlot ? 1 : 0);
  return {
    hasHeader: typeof header?.['id'] === 'string' && before > 0,
    version: header && versionOf(header).known ? fileVersion : undefined,
  };
}

function damageState(session: Log, path: readonly number[]): FileState['damage'] {
  const { index, damage, headerLines, fileVersion } = session;
  const needed = new Set(
    damage.length === 0 ? [] : [...headerLines, ...path.map((position) => index.lineOf(position))],
  );
  const leaf = path.at(-1);
  // Without a tree the path is the file: whatever is before the leaf is part of it.
  const chainedTo = fileVersion === 1 && leaf !== undefined ? index.lineOf(leaf) : 0;
  return damage.map(({ line, rule }) => ({ line, rule, needed: needed.has(line) || line < chainedTo }));
}

/** What other branches know of the calls that have no result here: only then is the rest of the file read. */
async function otherBranches(
  session: Log,
  path: readonly number[],
  pending: readonly CallFacts[],
): Promise<OtherBranches> {
  const { index } = session;
  const others = new OtherBranches(pending);
  if (pending.length === 0) return others;
  const onPath = new Uint8Array(index.size);
  for (const position of path) onPath[position] = 1;
  function* wanted(): Generator<number, void, void> {
    for (let at = 0; at < index.size; at++) {
      if (onPath[at] === 1) continue;
      const type = index.typeOf(at);
      const role = index.roleOf(at);
      if (type === 'custom' || (type === 'message' && (role === 'toolResult' || role === ''))) yield at;
    }
  }
  for await (const entry of session.entries(wanted())) others.add(entry);
  return others;
}
