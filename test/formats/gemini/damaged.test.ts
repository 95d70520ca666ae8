import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';

type Json = Record<string, unknown>;

const folder = join(projectRoot, 'fixtures/formats/gemini');
const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trim().split('\n');
const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const plain = linesOf('0.61.0/plain.jsonl');
const [header = '', ...others] = plain;

async function contextOf(lines: readonly string[]) {
  const { code, stdout, stderr } = await run(['context', '-'], { stdin: textOf(lines) });
  const messages = stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Json] : []));
  return { code, stderr, texts: messages.flatMap(({ content }) => (content as Json[]).map(textIn)) };
}

const textIn = ({ type, text }: Json): unknown => (type === 'text' ? text : type);

describe('a Gemini CLI session whose first line is no header', () => {
  const said = ['Say hello.', 'Hello, Ada.'];

  it.each([
    ['torn', [header.slice(0, 100), ...others]],
    ['torn early', [header.slice(0, 20), ...others]],
    ['torn, with the next line glued to it', [header.slice(0, 100) + others[0], ...others.slice(1)]],
    ['lost', others],
    ['lost, with the line after it', others.slice(1)],
  ])('is read line by line, and the header is missing: %s', async (_how, lines) => {
    const context = await contextOf(lines);
    expect(context.texts).toEqual(said);
    expect(context.stderr).toContain('its header is missing, so its id is made up');
    const { code, stdout } = await run(['validate', '-'], { stdin: textOf(lines) });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-:1: error: missing-header: no line is a header$/m);
    expect(stdout).not.toContain('document');
  });

  it('has the id of a header that is on a later line', async () => {
    const [first = '', ...rest] = others;
    const lines = [first, header, ...rest];
    expect(await contextOf(lines)).toMatchObject({ code: 0, stderr: '', texts: said });
    const { stdout } = await run(['convert', '-'], { stdin: textOf(lines) });
    expect(stdout).toContain(`"sourceId":"${JSON.parse(header)['sessionId']}"`);
  });
});

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

describe('a Gemini CLI session that lost a call before it was resumed', () => {
  const timestamp = '2026-09-02T09:00:00.000Z';
  const record = (id: string, type: string, content: unknown): Json => ({ id, timestamp, type, content });
  const prompt = record('u1', 'user', [{ text: 'Which port?' }]);
  const response = { id: 'c1', name: 'read', response: { output: 'port 3000' } };
  const results = record('u2', 'user', [{ functionResponse: response }]);
  const answer = record('m2', 'gemini', [{ text: '3000.' }]);
  const next = record('u3', 'user', [{ text: 'Thanks.' }]);
  const logOf = (...records: readonly Json[]): string[] => [header, ...records.map((one) => JSON.stringify(one))];

  it('has the result that the list of the resume has without its call', async () => {
    // Its first version had no call yet; Gemini CLI leaves out an empty answer, in the list too.
    const empty = record('m1', 'gemini', '');
    const list = { $set: { messages: [prompt, results, record('u2-again', 'user', results['content']), answer] } };
    const { texts } = await contextOf(logOf(prompt, empty, results, answer, list, next));
    expect(texts).toEqual(['Which port?', 'port 3000', '3000.', 'Thanks.']);
  });

  it('has no result that a later list took back, where nothing was before it', async () => {
    const taken = await contextOf(logOf(results, answer, { $set: { messages: [next] } }));
    expect(taken.texts).toEqual(['Thanks.']);
    const kept = await contextOf(logOf(results, answer, { $set: { messages: [results, answer, next] } }));
    expect(kept.texts).toEqual(['port 3000', '3000.', 'Thanks.']);
  });
});

describe('a Gemini CLI session in which no message is left', () => {
  const last = (lines: readonly string[]): string[] => [...lines, others[0] ?? ''];
  const rewind = JSON.stringify({ $rewindTo: 'nobody' });

  it.each([
    ['the list of a resume that was cut off', linesOf('0.61.0/interrupted.jsonl').slice(0, 9), 8],
    ['a list that was written again', last(plain), 7],
    ['a rewind to a message that is lost', [...plain, rewind], 7],
  ])('says so, with the line that took them back: %s', async (_how, lines, line) => {
    const { code, stdout } = await run(['validate', '-'], { stdin: textOf(lines) });
    expect(code).toBe(1);
    expect(stdout).toContain(
      `-:${line}: error: no-conversation: after this record no message of the conversation is in view`,
    );
    const { texts, stderr } = await contextOf(lines);
    expect(texts).toEqual([]);
    expect(stderr).toContain("all messages were taken back, so none is in view; 'sessionctl tree' shows them");
  });

  it.each([
    ['after an error of the API', linesOf('0.61.0/api-error.jsonl'), 5],
    ['after a rewind to the first prompt', [...plain, JSON.stringify({ $rewindTo: JSON.parse(plain[2] ?? '').id })], 7],
  ])('is only a warning where no answer was lost: %s', async (_when, lines, line) => {
    const { code, stdout } = await run(['validate', '-'], { stdin: textOf(lines) });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^-:${line}: warning: no-conversation: .*\n$`));
  });

  it('has messages again where some follow', async () => {
    const lines = last(plain);
    const { code, stdout } = await run(['validate', '-'], { stdin: textOf([...lines, plain[2] ?? '']) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('says where a rewind took back more than it should', async () => {
    const lines = [...plain, rewind, ...plain.slice(2)];
    const { texts, stderr } = await contextOf(lines);
    expect(texts).toEqual(['Say hello.', 'Hello, Ada.']);
    expect(stderr).toContain('-:7: it goes back to a message that is not in view, so nothing before it is');
    const { stdout } = await run(['validate', '-'], { stdin: textOf(lines) });
    expect(stdout).toBe("-:7: error: dangling-link: '$rewindTo' names 'nobody', which is no message in view\n");
  });
});
