/** What a log has in place of an image: `blob:sha256:` and 64 lower-case hexadecimal digits. It is never a path. */
const REF = /^blob:sha256:([0-9a-f]{64})$/;

export function refOf(hash: string): string {
  return `blob:sha256:${hash}`;
}

/** The hash that a ref names; undefined for anything else, however similar. */
export function hashOfRef(ref: string): string | undefined {
  return REF.exec(ref)?.[1];
}

/** What can be wrong with a ref; the names of the rules. */
export type RefError = 'bad-blob-ref' | 'missing-blob' | 'damaged-blob';
