/** Where bytes go, as far as commands need to know: every Writable is one. */
export interface Output {
  /** `done` is called when the bytes are gone or could not be written. */
  write(chunk: Uint8Array | string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** What is written until `uncork` may leave in one go. */
  cork(): void;
  uncork(): void;
}
