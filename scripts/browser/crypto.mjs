// What the program needs of node:crypto, for the build for browsers.
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer/';

const HASHES = { sha1, sha256 };

export function createHash(name) {
  const hash = HASHES[name].create();
  return {
    update(data, encoding) {
      hash.update(typeof data === 'string' ? Buffer.from(data, encoding) : data);
      return this;
    },
    digest: (encoding) => Buffer.from(hash.digest()).toString(encoding),
  };
}

export function hash(name, data, encoding) {
  return createHash(name).update(data).digest(encoding);
}
