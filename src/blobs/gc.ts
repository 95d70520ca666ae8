import type { BlobFacts } from '../files/blob-files.ts';
import type { BlobStore } from './store.ts';

export interface GcPlan {
  /** What nothing names and is old enough. */
  readonly dead: readonly BlobFacts[];
  /** What nothing names but is too young to be taken. */
  readonly young: readonly BlobFacts[];
  /** Temp files of killed writers, old enough. */
  readonly leftovers: readonly string[];
  readonly total: number;
  /** More than half of the store would go: rather a mistake than a collection. */
  readonly large: boolean;
  /** The time before which a blob must have been written, in ms. */
  readonly youngest: number;
}

export function planGc(store: BlobStore, referenced: ReadonlySet<string>, youngest: number): GcPlan {
  const { blobs, leftovers } = store.list();
  const unnamed = blobs.filter((blob) => !referenced.has(blob.hash));
  const dead = unnamed.filter((blob) => blob.modified <= youngest);
  return {
    dead,
    young: unnamed.filter((blob) => blob.modified > youngest),
    leftovers: leftovers.filter((one) => one.modified <= youngest).map((one) => one.name),
    total: blobs.length,
    large: dead.length * 2 > blobs.length,
    youngest,
  };
}

/** Takes what the plan says, and tells each blob that really went: one that was named anew meanwhile stays. */
export function* collectGarbage(store: BlobStore, plan: GcPlan, destroy: boolean, signal: AbortSignal): Generator<BlobFacts, void, void> {
  try {
    for (const blob of plan.dead) if (store.folder.takeBlob(blob, plan.youngest, destroy, signal)) yield blob;
    for (const name of plan.leftovers) store.folder.take(name, plan.youngest, true, signal);
  } finally {
    store.settle();
  }
}
