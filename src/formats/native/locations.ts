import { below, dataFolder, homeFolder } from '../folders.ts';
import type { LogFormat } from '../format.ts';

/** Forks of pi that write the same logs, below the home folder. */
const FORKS = ['.prime/agent', '.senpi/agent', '.config/kimchi/harness', '.gjc/agent', '.campfire/agent'];

export const piLocations: NonNullable<LogFormat['locations']> = (env) => {
  const home = homeFolder(env);
  const own = env['PI_CODING_AGENT_DIR'] || below(home, '.pi/agent')[0];
  return [...below(own, 'sessions'), ...below(home, ...FORKS.map((fork) => `${fork}/sessions`), '.qclaw/agents')];
};

export const ompLocations: NonNullable<LogFormat['locations']> = (env) => [
  ...below(homeFolder(env), '.omp/agent/sessions', '.omp/profiles'),
  ...below(dataFolder(env), 'omp/sessions'),
];
