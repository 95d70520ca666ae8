import { stableId } from '../formats/native/ids.ts';
import { applySplices, type Splice, setMember, skipSpace } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';

/** What makes a copied path a session of its own. */
export interface ForkIdentity {
  readonly id: string;
  readonly timestamp: string;
  /** The source's id. */
  readonly parentSession: string;
}

/** The header of the fork: the source's, with these members changed and every other byte as it was. */
export function forkHeader(text: string, identity: ForkIdentity, version: number | undefined): string {
  const set: [string, unknown][] = Object.entries(identity);
  if (version !== undefined) set.unshift(['version', version]);
  let out = text;
  // One after the other, because members that are new all go to the same place.
  for (const [key, value] of set) {
    const open = skipSpace(out, 0);
    out = applySplices(out, [setMember(out, open, key, JSON.stringify(value))]);
  }
  return out;
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
      this.#renamed.set(id, this.#mint(index + 1));
    });
  }

  /** What an id is called in the fork; ids of entries that are not in it stay. */
  of(id: string): string {
    return this.#renamed.get(id) ?? id;
  }

  #mint(position: number): string {
    for (let attempt = 0; ; attempt++) {
      const id = stableId(this.#session, position, attempt);
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** An entry's text for the fork; `parentId` where it hangs from another entry than before. Unchanged bytes where nothing changes. */
export function forkEntry(text: string, value: JsonObject, ids: ForkIds, parentId?: string | null): string {
  const open = skipSpace(text, 0);
  const splices: Splice[] = [];
  const change = (key: string, to: string | null): void => {
    splices.push(setMember(text, open, key, JSON.stringify(to)));
  };
  for (const key of ['id', ...REFERENCES]) {
    const before = value[key];
    if (key === 'parentId' && parentId !== undefined) {
      if (before !== parentId) change(key, parentId);
    } else if (typeof before === 'string' && ids.of(before) !== before) change(key, ids.of(before));
  }
  return applySplices(text, splices);
}

/** omp rewrites the slot in place, so only one of exactly this size may precede a header. */
const TITLE_SLOT_BYTES = 256;

export function isWholeTitleSlot(text: string): boolean {
  return Buffer.byteLength(text, 'utf8') + 1 === TITLE_SLOT_BYTES;
}

/** 16 random bytes as a UUID of version 4. */
export function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random.subarray(0, 16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** What a label entry says; empty where it clears. */
export function labelOf(entry: JsonObject): string {
  return typeof entry['label'] === 'string' ? entry['label'] : '';
}

/** The field without which agents lose an entry, where it is absent or of the wrong kind: a fork with such an entry would not validate. */
export function unusableField(value: JsonObject): string | undefined {
  const { type, id, parentId, message } = value;
  if (typeof type !== 'string') return 'type';
  if (typeof id !== 'string' || id === '') return 'id';
  if (parentId !== null && typeof parentId !== 'string') return 'parentId';
  if (type !== 'message') return undefined;
  if (!isObject(message)) return 'message';
  return typeof message['role'] === 'string' ? undefined : 'message.role';
}
