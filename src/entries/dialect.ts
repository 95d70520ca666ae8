import type { JsonObject } from '../json/value.ts';
import type { Dialect } from './entry-type.ts';
import { isHeader, isTitleSlot } from './envelope-check.ts';
import { entryTypeOf } from './types/index.ts';

export type { Dialect };

/** Custom entries that both agents read, but only omp writes. */
const OMP_MARKS: ReadonlySet<unknown> = new Set(['tool_execution_start', 'session_exit']);
const OMP_HEADER = ['title', 'titleSource', 'additionalDirectories', 'previousSessionFiles', 'providerPromptCacheKey'];

/** The dialect that a line shows; undefined if both write it. */
export function dialectOf(value: JsonObject): Dialect | undefined {
  if (isHeader(value)) return OMP_HEADER.some((key) => Object.hasOwn(value, key)) ? 'omp' : undefined;
  if (isTitleSlot(value)) return 'omp';
  const dialect = entryTypeOf(value['type'])?.dialect;
  return typeof dialect === 'function' ? dialect(value) : dialect;
}

/** Detects the dialect of a log from its lines; undefined if they contradict each other. */
export class DialectDetector {
  readonly #seen = new Set<Dialect>();

  add(value: JsonObject): void {
    const isOmpMark = value['type'] === 'custom' && OMP_MARKS.has(value['customType']);
    const dialect = isOmpMark ? 'omp' : dialectOf(value);
    if (dialect) this.#seen.add(dialect);
  }

  get dialect(): Dialect | undefined {
    return this.#seen.size === 1 ? [...this.#seen][0] : undefined;
  }
}
