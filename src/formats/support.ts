import type { Environment } from './folders.ts';
import type { LogFormat } from './format.ts';
import { canRepair, foreignFormats, ORIGINS } from './index.ts';
import { ompLocations, piLocations } from './native/locations.ts';

/** What the program supports for a format. */
export interface Support {
  readonly id: string;
  /** The files that are read. */
  readonly files: string;
  /** The versions of the agent that it is tested with; empty where the logs of the tests were made by hand. */
  readonly versions: readonly string[];
  readonly reads: boolean;
  readonly checks: boolean;
  readonly repairs: boolean;
  readonly writes: boolean;
  /** The folders where the agent keeps its logs. */
  readonly locations: readonly string[];
}

const NATIVE = {
  pi: { locations: piLocations, versions: ['0.73.1', '1.5.0'] },
  omp: { locations: ompLocations, versions: ['18.2.3'] },
} as const;

/** All formats that are more than recognized. */
export function supportedFormats(env: Environment): Support[] {
  const own = ORIGINS.map((id) => {
    const { locations, versions } = NATIVE[id];
    const can = { reads: true, checks: true, repairs: true, writes: true };
    return { id, files: 'JSONL, versions 1 to 3', versions, ...can, locations: locations(env) };
  });
  const others = foreignFormats.filter(({ toNative, fromNative }) => toNative ?? fromNative);
  return [...own, ...others.map((format) => supportOf(format, env))];
}

function supportOf(format: LogFormat, env: Environment): Support {
  return {
    id: format.id,
    files: format.files ?? 'JSONL',
    versions: format.versions ?? [],
    reads: format.toNative !== undefined,
    checks: (format.checks ?? format.nativeSessions) !== undefined,
    repairs: canRepair(format),
    writes: format.fromNative !== undefined,
    locations: format.locations?.(env) ?? [],
  };
}
