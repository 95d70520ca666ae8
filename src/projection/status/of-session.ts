import { versionOf } from '../../entries/envelope-check.ts';
import { pathEnd, pathTo } from '../../tree/path.ts';
import { lastEntry, resolveEntry } from '../../tree/rev.ts';
import type { Session } from '../../tree/session.ts';
import { staleLeaf } from '../../tree/stale-leaf.ts';
import type { Classify } from './classes.ts';
import { type Call, type FileFacts, FileReader, type PathFacts, PathReader } from './facts.ts';
import type { Probe } from './probe.ts';
import { judgeStatus, type LogFacts, pendingCalls, type Status } from './status.ts';

export interface SessionStatusOptions {
  /** Whose path is judged; undefined is the last entry of the log. */
  readonly rev?: string | undefined;
  readonly classify: Classify;
  /** Sees whether the files that pending calls name are as the calls would leave them. */
  readonly look?: (facts: PathFacts) => Promise<ReadonlyMap<Call, Probe> | undefined>;
}

/** Whether an open session may be resumed. Holds the ids of the path and the calls of its last turn, beside the index. */
export async function sessionStatus(session: Session, options: SessionStatusOptions): Promise<Status> {
  const { index } = session;
  const { rev } = options;
  const last = await lastEntry(session);
  const leaf = rev === undefined ? last : await resolveEntry(session, rev);
  const path = leaf < 0 ? [] : pathTo(index, leaf);
  const reader = new PathReader([session.titleSlot, session.header]);
  let firstParentId: unknown;
  for await (const entry of session.entries(path)) {
    if (entry.position === path[0]) firstParentId = entry.value['parentId'];
    reader.take(entry);
  }
  const facts = reader.facts();
  const file = await readRest(session, path, facts);
  const root = path[0];
  const kind = root === undefined ? 'root' : pathEnd(index, root);
  const newer = rev === undefined || rev === '@' ? staleLeaf(index) : undefined;
  const probes = await options.look?.(facts);
  const log: LogFacts = {
    sessionId: typeof session.header?.['id'] === 'string' ? session.header['id'] : null,
    ...headFacts(session),
    damage: damageFacts(session, path),
    lastEntryLine: last < 0 ? 0 : index.lineOf(last),
    endsWithNewline: session.endsWithNewline,
    pathEnd: { kind, ...(typeof firstParentId === 'string' ? { id: firstParentId } : {}) },
    ...(newer === undefined ? {} : { newerWork: { line: index.lineOf(newer), rev: `line:${index.lineOf(newer)}` } }),
    ...(probes ? { probes } : {}),
  };
  return judgeStatus(facts, file, log, options.classify);
}

/** Agents take a file for empty, and write over it, unless it starts with a header that has an id. */
function headFacts(session: Session): Pick<LogFacts, 'hasHeader' | 'version'> {
  const { header, headerLines, titleSlot, index } = session;
  const firstEntry = index.size > 0 ? index.lineOf(0) : Number.POSITIVE_INFINITY;
  const before = headerLines.filter((line) => line < firstEntry).length - (titleSlot ? 1 : 0);
  const version = header ? versionOf(header) : undefined;
  return {
    hasHeader: typeof header?.['id'] === 'string' && before > 0,
    version: version?.known ? session.fileVersion : undefined,
  };
}

function damageFacts(session: Session, path: readonly number[]): LogFacts['damage'] {
  const onPath = new Set(session.damage.length === 0 ? [] : path.map((position) => session.index.lineOf(position)));
  const headers = new Set(session.headerLines);
  const leaf = path.at(-1);
  // Without a tree the path is the file: whatever stands before the leaf is part of it.
  const chainedTo = session.fileVersion === 1 && leaf !== undefined ? session.index.lineOf(leaf) : 0;
  return session.damage.map(({ line, rule }) => ({ line, rule, needed: onPath.has(line) || headers.has(line) || line < chainedTo }));
}

/** What other branches know of the calls that have no result here: only then is the rest of the file read. */
async function readRest(session: Session, path: readonly number[], facts: PathFacts): Promise<FileFacts> {
  const { index } = session;
  const open = pendingCalls(facts);
  const reader = new FileReader(open.map((call) => call.toolCallId));
  if (open.length === 0) return reader.facts();
  const onPath = new Uint8Array(index.size);
  for (const position of path) onPath[position] = 1;
  function* others(): Generator<number, void, void> {
    for (let at = 0; at < index.size; at++) {
      if (onPath[at] === 1) continue;
      const type = index.typeOf(at);
      const role = index.roleOf(at);
      if (type === 'custom' || (type === 'message' && (role === 'toolResult' || role === ''))) yield at;
    }
  }
  for await (const entry of session.entries(others())) reader.take(entry);
  return reader.facts();
}
