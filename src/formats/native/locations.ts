import { dataFolder, homeFolder } from '../folders.ts';
import type { LogFormat } from '../format.ts';

/** Forks of pi that write the same logs, below the home folder. */
const FORKS = ['.prime/agent', '.senpi/agent', '.config/kimchi/harness', '.gjc/agent', '.campfire/agent'];

/** The folders of pi and its forks. */
export const piLocations: NonNullable<LogFormat['locations']> = (env) => {
  const home = homeFolder(env);
  const own = env['PI_CODING_AGENT_DIR'] || (home && `${home}/.pi/agent`);
  const forks = home ? [...FORKS.map((fork) => `${home}/${fork}/sessions`), `${home}/.qclaw/agents`] : [];
  return [...(own ? [`${own}/sessions`] : []), ...forks];
};

export const ompLocations: NonNullable<LogFormat['locations']> = (env) => {
  const home = homeFolder(env);
  const data = dataFolder(env);
  return [
    ...(home ? [`${home}/.omp/agent/sessions`, `${home}/.omp/profiles`] : []),
    ...(data ? [`${data}/omp/sessions`] : []),
  ];
};
