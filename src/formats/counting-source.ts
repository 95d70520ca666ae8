import { createHash } from 'node:crypto';
import type { LogSource } from './format.ts';

/** What the stamp says of the bytes that were converted. */
export interface SourceFacts {
  readonly path?: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly lines: number;
}

/** Its path, where the log is a file. */
export function pathOf({ name }: Pick<LogSource, 'name'>): Pick<SourceFacts, 'path'> {
  return name === '' || name === '-' ? {} : { path: name };
}

/** The same chunks; what was counted of them is in `facts` at the end. */
export function countingSource(source: Pick<LogSource, 'name' | 'chunks' | 'isOnlyRead'>) {
  const digest = source.isOnlyRead ? undefined : createHash('sha256');
  let bytes = 0;
  let lines = 0;
  let endsOpen = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.chunks()) {
      digest?.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines++;
      endsOpen = chunk.at(-1) !== 0x0a;
      yield chunk;
    }
  }
  const facts = (): SourceFacts => {
    return { ...pathOf(source), sha256: digest?.digest('hex') ?? '', bytes, lines: lines + (endsOpen ? 1 : 0) };
  };
  return { chunks: chunks(), facts };
}
