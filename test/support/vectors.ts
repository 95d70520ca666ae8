import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run.ts';

/** What an agent makes of a session: its messages, and the state it derives. */
interface AgentAnswer {
  readonly messages: readonly unknown[];
  readonly thinkingLevel: unknown;
  /** pi's. */
  readonly model?: { readonly provider?: string; readonly modelId?: string } | null;
  /** omp's, as are the others. */
  readonly models?: Readonly<Record<string, string>>;
  readonly injectedTtsrRules?: readonly unknown[];
  readonly mode?: unknown;
  readonly modeData?: unknown;
}

interface ContextVector {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** The entry to look from; the last one where the vector does not say. */
  readonly leaf: string | undefined;
  answer(agent: 'pi' | 'omp'): AgentAnswer | undefined;
  /** The real agent hangs or throws on it. */
  fails(agent: 'pi' | 'omp'): boolean;
}

/** All sessions of fixtures/vectors/context, with the agents' answers. */
export function contextVectors(): ContextVector[] {
  const folder = join(projectRoot, 'fixtures', 'vectors', 'context');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return names.sort().map((fileName) => {
    const name = fileName.slice(0, -'.jsonl'.length);
    const leafFile = join(folder, `${name}.leaf`);
    return {
      name,
      file: join(folder, fileName),
      text: readFileSync(join(folder, fileName), 'utf8'),
      leaf: existsSync(leafFile) ? readFileSync(leafFile, 'utf8').trim() : undefined,
      answer: (agent) => {
        const file = join(folder, `${name}.${agent}.json`);
        return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AgentAnswer) : undefined;
      },
      fails: (agent) => existsSync(join(folder, `${name}.${agent}.fails`)),
    };
  });
}

/** The agent's answer in the terms of `context --state`. */
export function stateOfAnswer(agent: 'pi' | 'omp', answer: AgentAnswer): object {
  if (agent === 'pi') {
    const model = answer.model;
    const known = model?.provider !== undefined && model.modelId !== undefined;
    return {
      thinkingLevel: answer.thinkingLevel,
      models: known ? { default: `${model.provider}/${model.modelId}` } : {},
    };
  }
  const { models, injectedTtsrRules, mode, modeData, thinkingLevel } = answer;
  return { thinkingLevel, models, injectedTtsrRules, mode, ...(modeData === undefined ? {} : { modeData }) };
}
