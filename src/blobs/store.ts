import { createHash } from 'node:crypto';
import { hashOfRef, type RefError } from '../entries/blob-ref.ts';
import { BlobFolder } from '../files/blob-files.ts';
import type { Io } from '../util/io.ts';

/** A larger blob cannot be part of a line that sessionctl reads. */
const LARGEST_BLOB = 256 * 1024 * 1024;

interface PutOptions extends Pick<Io, 'random' | 'signal' | 'now'> {
  /** What a new blob may be given at most. */
  readonly mode: number;
  /** Nothing is written. */
  readonly dryRun?: boolean;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Content by its hash. A blob is looked at once per run, however often it is named: memory is a hash for each. */
export class BlobStore {
  readonly folder: BlobFolder;
  readonly #known = new Map<string, 'whole' | 'missing-blob' | 'damaged-blob'>();

  constructor(path: string) {
    this.folder = new BlobFolder(path);
  }

  /**
   * Stores bytes and gives their hash; undefined where something else has their place, so that they must stay where
   * they are. A blob that is there is not written again. It is durable after `settle`.
   */
  put(bytes: Buffer, { mode, dryRun, random, signal, now }: PutOptions): string | undefined {
    const hash = sha256(bytes);
    if (this.#known.get(hash) === 'whole') return hash;
    const isThere = (!dryRun || this.folder.exists()) && this.folder.size(hash) !== undefined;
    // Bytes whose hash is known need no second one to be compared.
    if (isThere && !this.folder.readWhole(hash, bytes.length)?.equals(bytes)) return undefined;
    if (isThere && !dryRun) this.folder.touch(hash, now());
    if (!isThere && !dryRun) this.folder.add(hash, bytes, mode, random, signal);
    this.#known.set(hash, 'whole');
    return hash;
  }

  /** Everything that was put is durable when this returns. */
  settle(): void {
    this.folder.settle();
  }

  /** The bytes of a ref, or what is wrong with it. Bytes that do not match their hash are never returned. */
  get(ref: string): Buffer | RefError {
    const hash = hashOfRef(ref);
    if (hash === undefined) return 'bad-blob-ref';
    const known = this.#known.get(hash);
    if (known && known !== 'whole') return known;
    const isThere = this.folder.size(hash) !== undefined;
    const bytes = isThere ? this.folder.readWhole(hash, LARGEST_BLOB) : undefined;
    if (bytes && sha256(bytes) === hash) return bytes;
    const error = isThere ? 'damaged-blob' : 'missing-blob';
    this.#known.set(hash, error);
    return error;
  }

  /** What is wrong with a ref, if anything. */
  check(ref: string): RefError | undefined {
    const hash = hashOfRef(ref);
    const verdict = hash === undefined ? 'bad-blob-ref' : this.verify(hash);
    return verdict === 'whole' ? undefined : verdict;
  }

  /** Reads a blob through and compares it with its name. */
  verify(hash: string): 'whole' | 'missing-blob' | 'damaged-blob' {
    const known = this.#known.get(hash);
    if (known) return known;
    const sum = createHash('sha256');
    const isThere = this.folder.size(hash) !== undefined;
    const isWhole = isThere && this.folder.read(hash, (bytes) => sum.update(bytes)) && sum.digest('hex') === hash;
    const verdict = isWhole ? 'whole' : isThere ? 'damaged-blob' : 'missing-blob';
    this.#known.set(hash, verdict);
    return verdict;
  }
}
