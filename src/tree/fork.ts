import { versionOf } from '../entries/envelope-check.ts';
import { referenceKeys } from '../entries/types/index.ts';
import { stableId } from '../formats/native/ids.ts';
import { applySplices, type Splice, setMember, skipSpace } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { HEADER_PARENT } from '../log/log-index.ts';
import { about, LogError } from '../util/errors.ts';
import { forEachLabel, type LabelSetting } from './labels.ts';
import { cutPath, markPositions, pathEnd, pathTo } from './path.ts';

/** What makes a copied path a new session. */
interface ForkIdentity {
  readonly id: string;
  readonly timestamp: string;
  /** The source's id. */
  readonly parentSession: string;
}

/** The header of the fork: the source's, with these members set and all other bytes unchanged. */
export function forkHeader(text: string, identity: ForkIdentity, version: number | undefined): string {
  const members = Object.entries(version === undefined ? identity : { version, ...identity });
  // One at a time, because new members are inserted at the same place.
  return members.reduce(
    (out, [key, value]) => applySplices(out, [setMember(out, skipSpace(out, 0), key, JSON.stringify(value))]),
    text,
  );
}

/** The members of an entry that name it or other entries. */
const ID_KEYS = ['id', 'parentId', ...referenceKeys()];

/** The ids of a fork's entries: as in the source, unless renamed. */
export class ForkIds {
  readonly #session: string;
  readonly #ids: string[] = [];
  readonly #taken = new Set<string>();
  readonly #renamed = new Map<string, string>();

  /** New ids are derived from the fork's id. */
  constructor(session: string) {
    this.#session = session;
  }

  /** Call with every entry of the fork, in order. */
  add(entry: JsonObject): void {
    if (typeof entry['id'] === 'string') this.#ids.push(entry['id']);
    for (const key of ID_KEYS) {
      const id = entry[key];
      if (typeof id === 'string') this.#taken.add(id);
    }
  }

  /** Gives all entries new, unused ids. */
  rename(): void {
    this.#ids.forEach((id, index) => {
      let attempt = 0;
      let newId = '';
      do newId = stableId(this.#session, index + 1, attempt++);
      while (this.#taken.has(newId));
      this.#taken.add(newId);
      this.#renamed.set(id, newId);
    });
  }

  /** The id in the fork; ids of entries that are not in it stay. */
  of(id: string): string {
    return this.#renamed.get(id) ?? id;
  }
}

/** An entry's text for the fork; `parentId` if it changes. Otherwise the bytes stay. */
export function forkEntry(text: string, value: JsonObject, ids: ForkIds, parentId?: string | null): string {
  const splices: Splice[] = [];
  for (const key of ID_KEYS) {
    const before = value[key];
    const isMoved = key === 'parentId' && parentId !== undefined;
    const after = isMoved ? parentId : typeof before === 'string' ? ids.of(before) : before;
    if (after !== before) splices.push(setMember(text, skipSpace(text, 0), key, JSON.stringify(after)));
  }
  return applySplices(text, splices);
}

/** Label entries off the path that set the current label of an entry on it, in file order. */
async function lateLabels(session: Log, path: Iterable<number>): Promise<number[]> {
  const isOnPath = markPositions(session.index, path);
  const last = new Map<number, LabelSetting>();
  const own = new Map<number, string>();
  await forEachLabel(session, (target, setting) => {
    if (isOnPath[target] !== 1) return;
    last.set(target, setting);
    if (isOnPath[setting.by] === 1) own.set(target, setting.label);
  });
  const late = [...last].filter(([target, { by, label }]) => isOnPath[by] !== 1 && label !== (own.get(target) ?? ''));
  return late.map(([, { by }]) => by).sort((a, b) => a - b);
}

/** A missing or wrong field without which agents lose an entry: such a fork would not validate. */
export function unusableField(value: JsonObject): string | undefined {
  const { type, id, parentId, message } = value;
  if (typeof type !== 'string') return 'type';
  if (typeof id !== 'string' || id === '') return 'id';
  if (parentId !== null && typeof parentId !== 'string') return 'parentId';
  if (type !== 'message') return undefined;
  if (!isObject(message)) return 'message';
  return typeof message['role'] === 'string' ? undefined : 'message.role';
}

const REPEATED = 'ids are repeated on the path, so the path is ambiguous';
/** omp rewrites the slot in place, so only one of exactly this size may precede a header. */
const TITLE_SLOT_BYTES = 256;

interface ForkOptions extends Omit<ForkIdentity, 'parentSession'> {
  /** Every entry gets a new id. */
  readonly newIds: boolean;
  /** Receives notes for the user. */
  readonly onNote: (note: string) => void;
}

/** The id of the session to fork. */
export function sourceId(session: Log): string {
  const id = session.header?.['id'];
  if (session.headerText === undefined || typeof id !== 'string')
    throw refused(session, 'has no header with an id, so a fork could not refer to it');
  if (session.fileVersion === 1)
    throw new LogError(session.name, "is a version 1 log, which has no tree; run 'sessionctl migrate' first");
  return id;
}

/** The lines of the fork: the path to a leaf. The whole path is checked before the first line is returned. */
export async function* forkLines(session: Log, leaf: number, options: ForkOptions): AsyncGenerator<string, void, void> {
  const { header, headerText = '', titleSlotText, name } = session;
  const { id, timestamp, newIds, onNote } = options;
  const identity = { id, timestamp, parentSession: sourceId(session) };
  const path = pathTo(session.index, leaf);
  const other = pathTo(session.index, leaf, 'last');
  // Agents disagree which entry a repeated id refers to.
  if (path.length !== other.length || path.some((at, place) => at !== other[place])) throw refused(session, REPEATED);
  const positions = [...path, ...(await lateLabels(session, path))];
  const ids = await readWhole(session, positions, id, newIds);
  const version = header && versionOf(header).known ? undefined : session.version;
  if (titleSlotText !== undefined) {
    if (Buffer.byteLength(titleSlotText, 'utf8') + 1 === TITLE_SLOT_BYTES) yield titleSlotText;
    else onNote(about(name, "its title slot is not 256 bytes long and was left out; 'sessionctl repair' fixes it"));
  }
  yield forkHeader(headerText, identity, version);
  let place = 0;
  let last: string | null = null;
  for await (const entry of session.entries(positions)) {
    const isLabel = place >= path.length;
    const parentId = place++ === 0 ? rootParent(session, leaf, entry, options) : isLabel ? last : undefined;
    yield forkEntry(entry.text, entry.value, ids, parentId);
    last = ids.of(entry.value['id'] as string);
  }
}

function refused(session: Log, why: string): LogError {
  return new LogError(session.name, `${why}; run 'sessionctl repair' first`, 'DAMAGED');
}

/** Reads everything once before the first byte is written: an incomplete fork is useless. */
async function readWhole(session: Log, positions: readonly number[], id: string, renames: boolean): Promise<ForkIds> {
  const ids = new ForkIds(id);
  const seen = session.index.repeatedIds > 0 ? new Set<unknown>() : undefined;
  let read = 0;
  for await (const { position, line, value } of session.entries(positions)) {
    if (position !== positions[read]) break;
    const field = unusableField(value);
    if (field !== undefined) throw refused(session, `line ${line}, which is on the path, has no usable ${field}`);
    if (seen?.has(value['id'])) throw refused(session, REPEATED);
    seen?.add(value['id']);
    if (renames) ids.add(value);
    read++;
  }
  const missing = positions[read];
  if (missing !== undefined)
    throw refused(session, `line ${session.index.lineOf(missing)}, which is on the path, is damaged`);
  if (renames) ids.rename();
  return ids;
}

/** The new parent of the first entry: null, or the header's id in dialects that use it; undefined if unchanged. */
function rootParent(session: Log, end: number, root: LogEntry, { id, onNote }: ForkOptions): string | null | undefined {
  const { index } = session;
  if (index.parentOf(root.position) === HEADER_PARENT) return id;
  const kind = pathEnd(index, root.position);
  if (kind === 'root') return undefined;
  // If the path is cut off from other entries, another note says so.
  if (!cutPath(index, end)) {
    const parent = `parent '${String(root.value['parentId'])}' of line ${root.line}`;
    const why = kind === 'cycle' ? `${parent} leads back to it` : `${parent} is not in the file`;
    onNote(about(session.name, `${why}; the fork starts there, as it does for agents`));
  }
  return null;
}
