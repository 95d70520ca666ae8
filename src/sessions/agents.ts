import { foreignFormats } from '../formats/index.ts';
import { ompLocations, piLocations } from '../formats/native/locations.ts';
import { UsageError } from '../util/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An agent whose sessions are found by themselves. */
export interface Agent {
  /** As users name it. */
  readonly name: string;
  /** Other names of it, such as that of its format. */
  readonly aliases: readonly string[];
  readonly locations: (env: Environment) => readonly string[];
  /** Whether a file in one of these folders is a log, by its name. */
  readonly isLog: (name: string) => boolean;
}

/** Also those that OpenClaw has put aside. */
const LOG = /\.jsonl(?:\.zst|\.(?:deleted|reset)\.[^/]+|\.imported-[^/]+)?$/;
/** Where the format is called otherwise than the program. */
const NAMES: Readonly<Record<string, string>> = { 'claude-code': 'claude' };

const OURS: readonly Agent[] = Object.entries({ pi: piLocations, omp: ompLocations }).map(([name, locations]) => ({
  ...{ name, aliases: [], locations, isLog: (file: string) => LOG.test(file) },
}));

export const agents: readonly Agent[] = [
  ...OURS,
  ...foreignFormats.flatMap(({ id, locations, logNames = LOG }) => {
    const name = NAMES[id] ?? id;
    if (!locations) return [];
    return [{ name, aliases: name === id ? [] : [id], locations, isLog: (file: string) => logNames.test(file) }];
  }),
];

export function agentNamed(word: string): Agent | undefined {
  return agents.find(({ name, aliases }) => name === word || aliases.includes(word));
}

export function agentNames(): string {
  return agents.map(({ name }) => name).join(', ');
}

/** The agents that are named, for `ls` and its like; refuses a word that is neither an agent nor a file. */
export function requireAgent(word: string): Agent {
  const agent = agentNamed(word);
  if (agent) return agent;
  throw new UsageError(`'${word}' is neither a file nor an agent; agents are ${agentNames()}`);
}
