import { close, fstat, open, read, readSync, type Stats, stat } from 'node:fs';
import { promisify } from 'node:util';

// The same as in node:fs/promises, which takes longer to load than a small log takes to be read.
export const statPath: (path: string | URL) => Promise<Stats> = promisify(stat);
const openPath = promisify(open);
const statOpen = promisify(fstat);
const closeOpen = promisify(close);

/** A file that is open, to be read and closed. */
export class OpenFile {
  #fd: number;
  readonly #readings = new Set<Promise<unknown>>();

  static async open(path: string, flags: number): Promise<OpenFile> {
    return new OpenFile(await openPath(path, flags));
  }

  private constructor(fd: number) {
    this.#fd = fd;
  }

  stat(): Promise<Stats> {
    return statOpen(this.#fd);
  }

  /** Bytes into the buffer, from a position or, where that is null, from where the last reading ended; 0 at the end. */
  read(buffer: Buffer, offset: number, length: number, position: number | null): Promise<number> {
    const reading = new Promise<number>((done, fail) => {
      read(this.#fd, buffer, offset, length, position, (error, bytes) => {
        this.#readings.delete(reading);
        if (error) fail(error);
        else done(bytes);
      });
    });
    this.#readings.add(reading);
    return reading;
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
    await Promise.allSettled(this.#readings);
    await closeOpen(fd);
  }
}
