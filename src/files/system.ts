import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const RANDOM_DEVICE = '/dev/urandom';

/** Random bytes straight from the system's device; undefined where there is none. */
export function deviceRandom(bytes: number): Uint8Array | undefined {
  try {
    const fd = openSync(RANDOM_DEVICE, 'r');
    try {
      const random = new Uint8Array(bytes);
      return readSync(fd, random) === bytes ? random : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** False for a descriptor that is surely no terminal: a pipe, a file, a closed one. */
export function mayBeTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}
