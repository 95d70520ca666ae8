import type { JsonObject } from '../json/value.ts';
import { isHeader, isTitleSlot, messageOf } from './envelope-check.ts';

/** Who writes a log this way. Much is common to both, so most lines say nothing. */
export type Dialect = 'pi' | 'omp';

const PI_TYPES: ReadonlySet<string> = new Set(['session_info', 'usage', 'context_edit', 'active_tools_change']);
const OMP_TYPES: ReadonlySet<string> = new Set([
  'ttsr_injection',
  'session_init',
  'mode_change',
  'service_tier_change',
  'title_change',
  'model_usage',
  'credential_pin',
  'reset_boundary',
  'mcp_tool_selection',
]);
const OMP_ROLES: ReadonlySet<string> = new Set(['developer', 'pythonExecution', 'fileMention']);
/** Custom entries, which either agent reads, but only omp writes. */
const OMP_MARKS: ReadonlySet<unknown> = new Set(['tool_execution_start', 'session_exit']);
const OMP_HEADER = ['title', 'titleSource', 'additionalDirectories', 'previousSessionFiles', 'providerPromptCacheKey'];

/** The dialect that a line gives away; undefined where both write it so. */
export function dialectOf(value: JsonObject): Dialect | undefined {
  if (isHeader(value)) return OMP_HEADER.some((key) => Object.hasOwn(value, key)) ? 'omp' : undefined;
  if (isTitleSlot(value)) return 'omp';
  const type = value['type'];
  if (typeof type !== 'string') return undefined;
  if (type === 'model_change') {
    if (typeof value['modelId'] === 'string' && typeof value['provider'] === 'string') return 'pi';
    return typeof value['model'] === 'string' && value['model'].includes('/') ? 'omp' : undefined;
  }
  if (PI_TYPES.has(type)) return 'pi';
  if (OMP_TYPES.has(type)) return 'omp';
  const role = type === 'message' ? messageOf(value)?.['role'] : undefined;
  if (role === 'system') return 'pi';
  return typeof role === 'string' && OMP_ROLES.has(role) ? 'omp' : undefined;
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
