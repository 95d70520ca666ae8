import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';

type Json = Record<string, unknown>;

const text = (words: string): Json => ({ type: 'text', text: words });
const time = { created: 1_788_000_000_000 };
const asked = (id: string, ...parts: readonly Json[]): Json => ({ info: { id, role: 'user', time }, parts });
const said = (id: string, info: Json, ...parts: readonly Json[]): Json => ({
  info: { id, role: 'assistant', time, finish: 'stop', ...info },
  parts,
});

async function read(messages: readonly Json[], info: Json = {}) {
  const stdin = JSON.stringify({ info: { id: 'ses_damaged', time, ...info }, messages });
  const { stdout, stderr } = await run(['context', '-'], { stdin });
  const { stdout: native } = await run(['convert', '-'], { stdin });
  const valid = await run(['validate', '-'], { stdin: native });
  expect(valid.stdout).not.toContain(': error: ');
  const shown = stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Json] : []));
  const texts = shown.flatMap(
    ({ summary, content }) => summary ?? (content as Json[]).flatMap((one) => one['text'] ?? []),
  );
  return { texts, stderr, native };
}

describe('a compaction of OpenCode', () => {
  const before = [asked('msg_1', text('First.')), said('msg_2', {}, text('One.'))];
  const after = [asked('msg_5', text('Second.'))];
  const summary = (parentID: string): Json => said('msg_4', { summary: true, parentID }, text('They counted.'));

  it('hides nothing where the first message that it keeps is lost', async () => {
    const request = asked('msg_3', { type: 'compaction', tail_start_id: 'msg_lost' });
    const { texts } = await read([...before, request, summary('msg_3'), ...after]);
    expect(texts).toEqual(['They counted.', 'First.', 'One.', 'Second.']);
  });

  it('keeps what follows a prompt that the model did not see', async () => {
    const unseen = asked('msg_2b', { ...text('A note.'), ignored: true });
    const request = asked('msg_3', { type: 'compaction', tail_start_id: 'msg_2b' });
    const { texts } = await read([...before, unseen, said('msg_2c', {}, text('Kept.')), request, summary('msg_3')]);
    expect(texts).toEqual(['They counted.', 'Kept.']);
  });

  it('says where one keeps an earlier summary too, which is not shown', async () => {
    const first = [asked('msg_3', { type: 'compaction', tail_start_id: 'msg_1' }), summary('msg_3'), ...after];
    const again = (tail: string): Json[] => [
      asked('msg_6', { type: 'compaction', tail_start_id: tail }),
      { ...summary('msg_6'), info: { ...(summary('msg_6')['info'] as Json), id: 'msg_7' } },
    ];
    const note = 'a compaction kept other messages than those that are shown behind its summary';
    expect((await read([...before, ...first, ...again('msg_2')])).stderr).toContain(note);
    expect((await read([...before, ...first, ...again('msg_5')])).stderr).toBe('');
  });

  it('hides nothing where the summary is that of another prompt, and says so', async () => {
    const request = asked('msg_3', { type: 'compaction' });
    const { texts, stderr } = await read([...before, request, summary('msg_1'), ...after]);
    expect(texts).toEqual(['First.', 'One.', 'They counted.', 'Second.']);
    expect(stderr).toContain('a compaction has no summary, so what it replaced is still shown');
    expect((await read([...before, request, summary('msg_3'), ...after])).texts).toEqual(['They counted.', 'Second.']);
  });
});

describe('an interrupted call of OpenCode', () => {
  const call = (metadata: Json): Json => ({
    ...{ type: 'tool', callID: 'call_1', tool: 'bash' },
    state: { status: 'error', input: {}, error: 'Tool execution aborted', metadata, time: { start: 1, end: 2 } },
  });

  it('has as its result what it had printed so far, if anything', async () => {
    const printed = await read([said('msg_1', {}, call({ interrupted: true, output: 'step 1 of 3' }))]);
    expect(printed.texts).toEqual(['step 1 of 3']);
    const silent = await read([said('msg_1', {}, call({ interrupted: true }))]);
    expect(silent.texts).toEqual(['Tool execution aborted']);
    const failed = await read([said('msg_1', {}, call({ output: 'not sent' }))]);
    expect(failed.texts).toEqual(['Tool execution aborted']);
  });
});

describe('an OpenCode session that was reverted to a part of an answer', () => {
  const part = (id: string, words: string): Json => ({ id, ...text(words) });
  const messages = [
    asked('msg_1', text('Go.')),
    said('msg_2', {}, part('prt_1', 'Kept.'), part('prt_2', 'Taken back.')),
    asked('msg_3', part('prt_3', 'Later.'), part('prt_4', 'And this.')),
  ];

  it.each([
    ['msg_2', 'prt_2', ['Go.', 'Kept.']],
    ['msg_2', 'prt_1', ['Go.']],
    ['msg_2', 'prt_lost', ['Go.', 'Kept.', 'Taken back.']],
    ['msg_2', undefined, ['Go.']],
    ['msg_3', 'prt_lost', ['Go.', 'Kept.', 'Taken back.', 'Later.', 'And this.']],
    ['msg_3', 'prt_4', ['Go.', 'Kept.', 'Taken back.', 'Later.', 'And this.']],
    ['msg_3', 'prt_3', ['Go.', 'Kept.', 'Taken back.']],
  ])('has in view what is before it: %s, %s', async (messageID, partID, view) => {
    const { texts, native } = await read(messages, { revert: { messageID, partID } });
    expect(texts).toEqual(view);
    for (const words of ['Kept.', 'Taken back.', 'Later.', 'And this.']) expect(native).toContain(words);
  });
});
