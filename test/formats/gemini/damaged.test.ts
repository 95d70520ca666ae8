import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';

type Json = Record<string, unknown>;

const folder = join(projectRoot, 'fixtures/formats/gemini');
const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trim().split('\n');
const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

async function contextOf(lines: readonly string[]) {
  const { code, stdout, stderr } = await run(['context', '-'], { stdin: textOf(lines) });
  const messages = stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Json] : []));
  return { code, stderr, texts: messages.flatMap(({ content }) => (content as Json[]).map(textIn)) };
}

const textIn = ({ type, text }: Json): unknown => (type === 'text' ? text : type);

describe('a Gemini CLI session that lost a prompt before it was resumed', () => {
  it.each([
    ['0.61.0/interrupted.jsonl', ['Run the slow job.', 'Starting it.', 'What happened?', 'You stopped it.']],
    [
      '0.61.0/image.jsonl',
      [
        'What is in this picture? @pixel.png',
        '\n--- Content from referenced files ---',
        'image',
        '\n--- End of content ---',
      ],
    ],
  ])('has the prompt and its answer from the list that the resume wrote: %s', async (name, texts) => {
    const whole = linesOf(name);
    const { texts: said } = await contextOf(whole.filter((_, at) => at !== 2));
    expect(said.slice(0, texts.length)).toEqual(texts);
    expect(said).toEqual((await contextOf(whole)).texts);
  });
});
