import { placeOf, type Rule } from '../rule.ts';

export type BlobProblem = 'bad-blob-ref' | 'missing-blob' | 'damaged-blob';

/** What the blob rules ask of a store; only there with --blobs. */
export interface BlobLookup {
  /** Every reference of an entry with its JSON path, and what is wrong with it, if anything. */
  readonly problems: (
    text: string,
  ) => readonly { readonly path: string; readonly ref: string; readonly problem: BlobProblem }[];
}

const MESSAGES: Readonly<Record<BlobProblem, (ref: string) => string>> = {
  'bad-blob-ref': (ref) => `'${ref}' is not a blob reference (blob:sha256: and 64 lowercase hex digits)`,
  'missing-blob': (ref) => `${ref} is not in the store`,
  'damaged-blob': (ref) => `the bytes of ${ref} do not match its hash`,
};

/** The check of one of the blob rules. */
export function blobCheck(problem: BlobProblem): NonNullable<Rule['object']> {
  return (object, log, report) => {
    if (log.blobs === undefined) return;
    for (const found of log.blobs.problems(object.text)) {
      if (found.problem === problem) report(placeOf(object, found.path), MESSAGES[problem](shortened(found.ref)));
    }
  };
}

function shortened(ref: string): string {
  return ref.length > 100 ? `${ref.slice(0, 100)}...` : ref;
}
