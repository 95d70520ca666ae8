import { stableId } from '../formats/native/ids.ts';
import { applySplices, type Splice, setMember, skipSpace } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { eachLabel, type GivenLabel } from './labels.ts';
import { markPositions } from './path.ts';

/** What makes a copied path a session of its own. */
export interface ForkIdentity {
  readonly id: string;
  readonly timestamp: string;
  /** The source's id. */
  readonly parentSession: string;
}

/** The header of the fork: the source's, with these members changed and every other byte as it was. */
export function forkHeader(text: string, identity: ForkIdentity, version: number | undefined): string {
  const members = Object.entries(version === undefined ? identity : { version, ...identity });
  // One after the other, because members that are new all go to the same place.
  return members.reduce(
    (out, [key, value]) => applySplices(out, [setMember(out, skipSpace(out, 0), key, JSON.stringify(value))]),
    text,
  );
}

/** The members of an entry that name other entries. */
const REFERENCES = ['parentId', 'targetId', 'firstKeptEntryId', 'fromId', 'providerReplayThroughEntryId'] as const;

/** How the entries of a fork are called: as in the source, unless they are renamed. */
export class ForkIds {
  readonly #session: string;
  readonly #ids: string[] = [];
  readonly #taken = new Set<string>();
  readonly #renamed = new Map<string, string>();

  /** The fork's id, which new ids are made from. */
  constructor(session: string) {
    this.#session = session;
  }

  /** To be called with every entry that will be in the fork, in order. */
  know(entry: JsonObject): void {
    if (typeof entry['id'] === 'string') this.#ids.push(entry['id']);
    for (const key of ['id', ...REFERENCES]) {
      const id = entry[key];
      if (typeof id === 'string') this.#taken.add(id);
    }
  }

  /** Gives all known entries new ids; none of them is an id that any of them has or names. */
  rename(): void {
    this.#ids.forEach((id, index) => {
      let attempt = 0;
      let minted = '';
      do minted = stableId(this.#session, index + 1, attempt++);
      while (this.#taken.has(minted));
      this.#taken.add(minted);
      this.#renamed.set(id, minted);
    });
  }

  /** What an id is called in the fork; ids of entries that are not in it stay. */
  of(id: string): string {
    return this.#renamed.get(id) ?? id;
  }
}

/** An entry's text for the fork; `parentId` where it hangs from another entry than before. Else unchanged bytes. */
export function forkEntry(text: string, value: JsonObject, ids: ForkIds, parentId?: string | null): string {
  const splices: Splice[] = [];
  for (const key of ['id', ...REFERENCES]) {
    const before = value[key];
    const isMoved = key === 'parentId' && parentId !== undefined;
    const after = isMoved ? parentId : typeof before === 'string' ? ids.of(before) : before;
    if (after !== before) splices.push(setMember(text, skipSpace(text, 0), key, JSON.stringify(after)));
  }
  return applySplices(text, splices);
}

/** 16 random bytes as a UUID of version 4. */
export function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random.subarray(0, 16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Label entries that are not on the path and have the last word about an entry on it, in file order. */
export async function lateLabels(session: Log, path: Iterable<number>): Promise<number[]> {
  const isOnPath = markPositions(session.index, path);
  const last = new Map<number, GivenLabel>();
  const own = new Map<number, string>();
  await eachLabel(session, (target, given) => {
    if (isOnPath[target] !== 1) return;
    last.set(target, given);
    if (isOnPath[given.by] === 1) own.set(target, given.label);
  });
  const late = [...last].filter(([target, { by, label }]) => isOnPath[by] !== 1 && label !== (own.get(target) ?? ''));
  return late.map(([, { by }]) => by).sort((a, b) => a - b);
}

/** The field without which agents lose an entry, where it is absent or wrong: such a fork would not validate. */
export function unusableField(value: JsonObject): string | undefined {
  const { type, id, parentId, message } = value;
  if (typeof type !== 'string') return 'type';
  if (typeof id !== 'string' || id === '') return 'id';
  if (parentId !== null && typeof parentId !== 'string') return 'parentId';
  if (type !== 'message') return undefined;
  if (!isObject(message)) return 'message';
  return typeof message['role'] === 'string' ? undefined : 'message.role';
}
