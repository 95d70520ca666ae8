/** What stands in a log in place of an image: `blob:sha256:` and 64 lower-case hexadecimal digits. A ref is never a path. */
export const REF_PREFIX = 'blob:sha256:';

const REF = /^blob:sha256:([0-9a-f]{64})$/;

/** The hash that a ref names; undefined for anything else, be it ever so similar. */
export function hashOfRef(ref: string): string | undefined {
  return REF.exec(ref)?.[1];
}

/** Whether a string wants to be a ref, good or bad. */
export function looksLikeRef(text: string): boolean {
  return text.startsWith('blob:');
}

export function refOf(hash: string): string {
  return `${REF_PREFIX}${hash}`;
}
