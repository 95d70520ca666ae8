import { refsOf } from '../blobs/images.ts';
import { BlobStore } from '../blobs/store.ts';
import { encodeUtf8 } from '../lines/line.ts';
import type { BlobLookup } from '../rules/check/blob-check.ts';

/** What the blob rules ask of the store in a folder. */
export function blobLookup(path: string): BlobLookup {
  const store = new BlobStore(path);
  store.folder.require();
  return {
    problems: (text) =>
      refsOf(encodeUtf8(text)).flatMap(({ ref, path: at }) => {
        const problem = store.check(ref);
        return problem === undefined ? [] : [{ ref, path: at, problem }];
      }),
  };
}
