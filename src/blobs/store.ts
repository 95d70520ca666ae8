import { createHash } from 'node:crypto';
import { BlobFolder, type FolderContent } from '../files/blob-files.ts';
import type { Io } from '../util/io.ts';
import { hashOfRef } from './ref.ts';

/** What can be wrong with a ref; the names of the rules. */
export type RefError = 'bad-blob-ref' | 'missing-blob' | 'damaged-blob';

/** A larger blob cannot be part of a line that sessionctl reads. */
export const LARGEST_BLOB = 256 * 1024 * 1024;

export interface StoreTools extends Pick<Io, 'random' | 'signal' | 'now'> {
  /** What a new blob may be given at most. */
  readonly mode: number;
  /** Nothing is written. */
  readonly dryRun?: boolean;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Content by its hash. Every blob is looked at once in a run, however often it is named; so memory is a hash for each. */
export class BlobStore {
  readonly folder: BlobFolder;
  readonly #known = new Map<string, 'whole' | 'missing-blob' | 'damaged-blob'>();

  constructor(path: string) {
    this.folder = new BlobFolder(path);
  }

  get path(): string {
    return this.folder.path;
  }

  /**
   * Stores bytes and gives their hash; undefined where something else has their place, so that they must stay where
   * they are. A blob that is there is not written again. It is durable after `settle`.
   */
  put(bytes: Buffer, tools: StoreTools): string | undefined {
    const hash = sha256(bytes);
    if (this.#known.get(hash) === 'whole') return hash;
    const size = tools.dryRun && !this.folder.exists() ? undefined : this.folder.size(hash);
    if (size === undefined) {
      if (!tools.dryRun) this.folder.add(hash, bytes, tools.mode, tools.random, tools.signal);
    } else {
      if (size !== bytes.length || !this.#holds(hash, bytes)) return undefined;
      if (!tools.dryRun) this.folder.touch(hash, tools.now());
    }
    this.#known.set(hash, 'whole');
    return hash;
  }

  /** Everything that was put is durable when this returns. */
  settle(): void {
    this.folder.settle();
  }

  /** The bytes that a ref stands for, or why they cannot be had. Bytes that do not fit their hash are never given. */
  get(ref: string): Buffer | RefError {
    const hash = hashOfRef(ref);
    if (hash === undefined) return 'bad-blob-ref';
    const known = this.#known.get(hash);
    if (known === 'missing-blob' || known === 'damaged-blob') return known;
    const verdict = this.#sizeVerdict(hash);
    if (verdict) return this.#remember(hash, verdict);
    const bytes = this.folder.readWhole(hash, LARGEST_BLOB);
    if (!bytes || sha256(bytes) !== hash) return this.#remember(hash, 'damaged-blob');
    return bytes;
  }

  /** Whether a ref leads to whole bytes; undefined if it does. */
  check(ref: string): RefError | undefined {
    const hash = hashOfRef(ref);
    if (hash === undefined) return 'bad-blob-ref';
    const verdict = this.#known.get(hash) ?? this.verify(hash);
    return verdict === 'whole' ? undefined : verdict;
  }

  /** Reads a blob through and compares it with its name. */
  verify(hash: string): 'whole' | 'missing-blob' | 'damaged-blob' {
    const known = this.#known.get(hash);
    if (known) return known;
    const verdict = this.folder.size(hash) === undefined ? 'missing-blob' : this.#verifyBytes(hash);
    this.#known.set(hash, verdict);
    return verdict;
  }

  list(): FolderContent {
    return this.folder.list();
  }

  #sizeVerdict(hash: string): 'missing-blob' | 'damaged-blob' | undefined {
    const size = this.folder.size(hash);
    if (size === undefined) return 'missing-blob';
    return size < 0 || size > LARGEST_BLOB ? 'damaged-blob' : undefined;
  }

  #verifyBytes(hash: string): 'whole' | 'damaged-blob' {
    const sum = createHash('sha256');
    const there = this.folder.read(hash, (bytes) => sum.update(bytes));
    return there && sum.digest('hex') === hash ? 'whole' : 'damaged-blob';
  }

  /** Bytes whose hash is known need no second one to be compared. */
  #holds(hash: string, bytes: Buffer): boolean {
    let at = 0;
    let same = true;
    const there = this.folder.read(hash, (piece) => {
      same &&= piece.equals(bytes.subarray(at, at + piece.length));
      at += piece.length;
    });
    return there && same && at === bytes.length;
  }

  #remember<T extends 'missing-blob' | 'damaged-blob'>(hash: string, verdict: T): T {
    this.#known.set(hash, verdict);
    return verdict;
  }
}
