import { close, closeSync, constants, fstat, fstatSync, open, openSync, read, readSync, type Stats, statSync } from 'node:fs';
import { promisify } from 'node:util';

// node:fs/promises has all of this, but takes longer to load than a small log takes to be read.
const openPath = promisify(open);
const statOpen = promisify(fstat);
const closeOpen = promisify(close);

/** To wait for so little here costs less than to ask another thread to wait. */
const SMALL = 1024 * 1024;

export async function statPath(path: string | URL): Promise<Stats> {
  return statSync(path);
}

let waiting = 0;

/** From now on a thread opens, reads or writes something and may have to wait; call what it gives when it is back. */
export function threadWaits(): () => void {
  waiting++;
  return () => {
    waiting--;
  };
}

/** Whether another thread opens, reads or writes something, and perhaps waits for whoever is at the other end of a pipe. */
export function isThreadWaiting(): boolean {
  return waiting > 0;
}

/** A file that is open, to be read and closed. */
export class OpenFile {
  #fd: number;
  readonly #isSmall: boolean;
  readonly #readings = new Set<Promise<unknown>>();

  static async open(path: string, flags: number): Promise<OpenFile> {
    const facts = statSync(path, { throwIfNoEntry: false });
    // Should it have become a pipe meanwhile, opening it must not wait for a writer.
    if (facts?.isFile() && facts.size < SMALL) return new OpenFile(openSync(path, flags | constants.O_NONBLOCK), true);
    const threadIsBack = threadWaits();
    try {
      return new OpenFile(await openPath(path, flags), false);
    } finally {
      threadIsBack();
    }
  }

  private constructor(fd: number, isSmall: boolean) {
    this.#fd = fd;
    this.#isSmall = isSmall;
  }

  async stat(): Promise<Stats> {
    return this.#isSmall ? fstatSync(this.#fd) : await statOpen(this.#fd);
  }

  /** Bytes into the buffer, from a position or, where that is null, from where the last reading ended; 0 at the end. */
  async read(buffer: Buffer, offset: number, length: number, position: number | null): Promise<number> {
    return this.#isSmall ? readSync(this.#fd, buffer, offset, length, position) : await this.#readAside(buffer, offset, length, position);
  }

  /** The same without waiting for another thread, and with everything else waiting. */
  readNow(buffer: Buffer, position: number): number {
    return readSync(this.#fd, buffer, 0, buffer.length, position);
  }

  /** Waits for what is being read: another file may get the same number at once. */
  async close(): Promise<void> {
    const fd = this.#fd;
    if (fd < 0) return;
    this.#fd = -1;
    if (this.#isSmall) {
      closeSync(fd);
      return;
    }
    await Promise.allSettled(this.#readings);
    await closeOpen(fd);
  }

  #readAside(buffer: Buffer, offset: number, length: number, position: number | null): Promise<number> {
    const reading = new Promise<number>((done, fail) => {
      const threadIsBack = threadWaits();
      read(this.#fd, buffer, offset, length, position, (error, bytes) => {
        threadIsBack();
        this.#readings.delete(reading);
        if (error) fail(error);
        else done(bytes);
      });
    });
    this.#readings.add(reading);
    return reading;
  }
}
