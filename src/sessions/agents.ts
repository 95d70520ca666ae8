import { type Environment, LOG_NAME } from '../formats/folders.ts';
import { foreignFormats } from '../formats/index.ts';
import { ompLocations, piLocations } from '../formats/native/locations.ts';
import { UsageError } from '../util/errors.ts';

/** An agent whose session folders are known. */
export interface Agent {
  /** As users name it. */
  readonly name: string;
  /** Other names of it, such as that of its format. */
  readonly aliases: readonly string[];
  readonly locations: (env: Environment) => readonly string[];
  /** Whether a file in one of these folders is a log, by its name. */
  readonly isLog: (name: string) => boolean;
}

const NATIVE: readonly Agent[] = Object.entries({ pi: piLocations, omp: ompLocations }).map(([name, locations]) => ({
  ...{ name, aliases: [], locations, isLog: (file: string) => LOG_NAME.test(file) },
}));

export const agents: readonly Agent[] = [
  ...NATIVE,
  ...foreignFormats.flatMap(({ id, agent: name = id, locations, logNames = LOG_NAME }) => {
    if (!locations) return [];
    return [{ name, aliases: name === id ? [] : [id], locations, isLog: (file: string) => logNames.test(file) }];
  }),
];

export function agentNamed(word: string): Agent | undefined {
  return agents.find(({ name, aliases }) => name === word || aliases.includes(word));
}

/** The name of the agent that wrote a log, else of its format. */
export function agentName(agent: Agent | undefined, format: string): string {
  return (agent ?? agentNamed(format))?.name ?? format;
}

export function agentNames(): string {
  return agents.map(({ name }) => name).join(', ');
}

/** Refuses a word that is not the name of an agent. */
export function requireAgent(word: string): Agent {
  const agent = agentNamed(word);
  if (agent) return agent;
  throw new UsageError(`'${word}' is neither a file nor an agent; agents are ${agentNames()}`);
}
