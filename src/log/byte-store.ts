/** Where the bytes of a log are: they can be read again, and from any place. */
export interface ByteStore {
  /** In bytes, when it was opened; undefined for what comes from a pipe. */
  readonly size?: number | undefined;
  /** From the start to the end. A chunk's memory is used again for the next one. */
  chunks(): AsyncIterable<Buffer>;
  /** Fills the buffer from a position on; fewer bytes only at the end. */
  readAt(buffer: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/** A place for bytes that become a store. */
export interface Scratch {
  write(bytes: Buffer): void;
  store(): ByteStore;
  /** Only where it does not become a store. */
  discard(): void;
}
