import type { JsonObject } from '../json/value.ts';
import type { Dialect } from './entry-type.ts';
import { isHeader, isTitleSlot } from './envelope-check.ts';
import { entryTypeOf } from './types/index.ts';

export type { Dialect };

/** Custom entries, which either agent reads, but only omp writes. */
const OMP_MARKS: ReadonlySet<unknown> = new Set(['tool_execution_start', 'session_exit']);
const OMP_HEADER = ['title', 'titleSource', 'additionalDirectories', 'previousSessionFiles', 'providerPromptCacheKey'];

/** The dialect that a line gives away; undefined where both write it so. */
export function dialectOf(value: JsonObject): Dialect | undefined {
  if (isHeader(value)) return OMP_HEADER.some((key) => Object.hasOwn(value, key)) ? 'omp' : undefined;
  if (isTitleSlot(value)) return 'omp';
  const dialect = entryTypeOf(value['type'])?.dialect;
  return typeof dialect === 'function' ? dialect(value) : dialect;
}

/** The dialect of a log, from all that its lines give away. Where they contradict each other nothing is said. */
export class DialectWatch {
  #pi = false;
  #omp = false;

  see(value: JsonObject): void {
    const dialect = dialectOf(value) ?? (isOmpMark(value) ? 'omp' : undefined);
    if (dialect === 'pi') this.#pi = true;
    else if (dialect === 'omp') this.#omp = true;
  }

  get dialect(): Dialect | undefined {
    if (this.#pi === this.#omp) return undefined;
    return this.#pi ? 'pi' : 'omp';
  }
}

function isOmpMark(value: JsonObject): boolean {
  return value['type'] === 'custom' && OMP_MARKS.has(value['customType']);
}
