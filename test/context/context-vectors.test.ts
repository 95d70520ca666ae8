import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/context/context.ts';
import { plainPath } from '../support/plain-path.ts';
import { contextVectors, stateOfAnswer } from '../support/vectors.ts';

const parsed = (messages: readonly string[]): unknown[] => messages.map((text) => JSON.parse(text) as unknown);

describe('the context that the real agents build', () => {
  for (const vector of contextVectors()) {
    for (const agent of ['pi', 'omp'] as const) {
      const answer = vector.answer(agent);
      if (!answer) continue;
      it(`is ours for ${vector.name} in the ${agent} profile`, () => {
        const context = buildContext(plainPath(vector.text, vector.leaf, 'last'), { profile: agent });
        expect(parsed(context.messages)).toEqual(answer.messages);
        expect(context.state).toMatchObject(stateOfAnswer(agent, answer));
        expect(context.state.models).toEqual((stateOfAnswer(agent, answer) as { models: unknown }).models);
      });
    }
  }
});
