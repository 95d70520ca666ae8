import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const branches = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
const claude = join(projectRoot, 'fixtures/formats/claude-code/2.1.325/resume.jsonl');
const TIME = '2026-01-31T12:00:00.000Z';

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

describe('the library', () => {
  it.each([{ newIds: false }, { newIds: true }])('forks as the command does, new ids: $newIds', async ({ newIds }) => {
    const flags = ['--id', 's1', '--timestamp', TIME, ...(newIds ? ['--new-ids'] : [])];
    const ran = await run(['fork', branches, 'leaf:2', ...flags]);
    const forked = library.fork(readFileSync(branches), { leaf: 'leaf:2', id: 's1', timestamp: TIME, newIds });
    expect(await joined(forked)).toBe(ran.stdout);
  });

  it('refuses a fork without a time, and of a log that has no such entry', async () => {
    const wrong = { timestamp: 'now' };
    expect(() => library.fork(readFileSync(branches), wrong)).toThrow('fork: timestamp must be a time such as');
    const unknown = library.fork(readFileSync(branches), { leaf: 'nowhere', timestamp: TIME });
    await expect(joined(unknown)).rejects.toMatchObject({ name: 'AppError', code: 'UNKNOWN_REV' });
  });

  it.each(['pi', 'omp', 'sts', 'atif'])('converts to %s as the command does', async (to) => {
    const ran = await run(['convert', '--to', to, claude]);
    const name = claude;
    expect(await joined(library.convert(readFileSync(claude), { to, name }))).toBe(ran.stdout);
  });

  it('returns what became of the records of a conversion', async () => {
    const conversion = library.convert(readFileSync(claude));
    let step = await conversion.next();
    while (!step.done) step = await conversion.next();
    const { records, mapped, merged, custom, dropped } = step.value?.counts ?? ({} as never);
    expect(records).toBeGreaterThan(0);
    expect(mapped + merged + custom + dropped).toBe(records);
  });

  it('writes one of our own logs in another format', async () => {
    const ran = await run(['convert', '--to', 'sts', branches]);
    expect(await joined(library.convert(readFileSync(branches), { to: 'sts', name: branches }))).toBe(ran.stdout);
  });

  it('says what is no log that it converts', async () => {
    const conversion = library.convert(Buffer.from('{"hello":1}\n'));
    await expect(joined(conversion)).rejects.toMatchObject({ name: 'AppError', code: 'NOT_A_SESSION' });
  });

  it.each(['md', 'html'] as const)('exports %s as the command does', async (format) => {
    const ran = await run(['export', '--format', format, '--all', branches]);
    expect(await library.exportSession(readFileSync(branches), { format, all: true })).toBe(ran.stdout);
  });

  it('compares two branches of an open session as the command does', async () => {
    const ran = await run(['diff', '--json', branches, 'leaf:2', '@']);
    const session = await library.openSession(readFileSync(branches), { name: branches });
    expect(await library.diff(session, session, { leaf: 'leaf:2' })).toEqual(JSON.parse(ran.stdout));
    await session.close();
  });

  it.each(['llm', 'anthropic', 'openai', 'responses'] as const)('gives the messages as %s wants them', async (as) => {
    const ran = await run(['context', '--as', as, branches]);
    const { messages } = await library.contextOf(readFileSync(branches), { as });
    expect(`${messages.join('\n')}\n`).toBe(ran.stdout);
  });

  it('gives the bytes to append, after which the log still has no error', async () => {
    const log = readFileSync(branches);
    const entries = [
      { type: 'message', message: { role: 'user', content: 'And now?' } },
      { type: 'custom', customType: 'mine', data: { at: 1 } },
    ];
    const more = await library.append(log, entries, { timestamp: TIME });
    const file = join(scratchFolder(), 'grown.jsonl');
    writeFileSync(file, Buffer.concat([log, more]));
    expect((await run(['validate', file])).code).toBe(0);
    expect((await run(['log', '-n', '2', file])).stdout).toMatch(/ user {7}And now\?\n\w+ \(@\) custom/);
  });

  it.each([undefined, {}, { timestamp: 'yesterday' }, { timestamp: 7 }])(
    'appends nothing without a time that can be read: %j',
    async (options) => {
      const log = Buffer.from(`${HEADER}${user('a', null)}`);
      const appending = library.append(log, [{ type: 'custom', customType: 'x' }], options as never);
      await expect(appending).rejects.toThrow(TypeError);
      await expect(appending).rejects.toThrow(/^append: timestamp must be a /);
    },
  );

  it('refuses to append an entry with a time of its own, as the command does', async () => {
    const entry = { type: 'custom', customType: 'x', timestamp: TIME };
    const appending = library.append(Buffer.from(HEADER), [entry], { timestamp: TIME });
    await expect(appending).rejects.toThrow("append: entry 0 already has 'timestamp'");
  });

  it('refuses to append to a log of another agent, and says what it is', async () => {
    const appending = library.append(readFileSync(claude), [], { timestamp: TIME });
    await expect(appending).rejects.toThrow(/^not a pi or omp session log \(looks like a Claude Code transcript\)/);
  });

  it('refuses to append what has an id already, what fits no log, and to a torn log', async () => {
    const log = Buffer.from(`${HEADER}${user('a', null)}`);
    const options = { timestamp: TIME };
    await expect(library.append(log, [{ type: 'custom', id: 'x' }], options)).rejects.toThrow(
      "entry 0 already has 'id'",
    );
    await expect(library.append(log, [{ type: 'label' }], options)).rejects.toThrow(
      'entry 0 does not match the schema',
    );
    const torn = Buffer.from(`${HEADER}${user('a', null).slice(0, 20)}`);
    const refused = { code: 'DAMAGED', message: expect.stringContaining("run 'sessionctl repair' first") };
    await expect(library.append(torn, [], options)).rejects.toMatchObject(refused);
    await expect(joined(library.fork(Buffer.from(user('a', null)), options))).rejects.toMatchObject(refused);
  });
});

describe('an entry that was read', () => {
  it('has its type, id and parent at hand, and none of them where they are something else', async () => {
    const log = `${HEADER}${user('a', null)}${user('b', 'a')}{"type":"custom","id":7,"parentId":[]}\n`;
    const read: unknown[] = [];
    for await (const one of library.readEntries(Buffer.from(log))) {
      if (one.kind === 'entry') read.push([one.type, one.id, one.parentId]);
    }
    expect(read).toEqual([
      ['message', 'a', null],
      ['message', 'b', 'a'],
      ['custom', undefined, undefined],
    ]);
    const session = await library.openSession(Buffer.from(`${HEADER}${user('a', null)}${user('b', 'a')}`));
    expect(await library.resolveRev(session, '@')).toMatchObject({ type: 'message', id: 'b', parentId: 'a' });
  });

  it('is told apart by guards, and stays unknown where its type or role is', () => {
    const value: unknown = JSON.parse(user('a', null));
    expect(library.isEntry(value, 'message') && library.isMessage(value.message, 'user')).toBe(true);
    expect(library.isEntry(value, 'compaction')).toBe(false);
    expect(library.isEntry({ type: 'of tomorrow' }, 'message')).toBe(false);
    expect(library.isMessage(null, 'user')).toBe(false);
    expect(library.isBlock({ type: 'text', text: 'x' }, 'text')).toBe(true);
    expect(library.isBlock('text', 'text')).toBe(false);
  });

  it('is any known one to a guard without a type or role', () => {
    expect(library.isEntry({ type: 'compaction' })).toBe(true);
    expect(library.isEntry({ type: 'of tomorrow' })).toBe(false);
    expect(library.isEntry({})).toBe(false);
    expect(library.isEntry(undefined)).toBe(false);
    expect(library.isMessage({ role: 'toolResult' })).toBe(true);
    expect(library.isMessage({ role: 'hookMessage' })).toBe(false);
    expect(library.isBlock({ type: 'thinking' })).toBe(true);
    expect(library.isBlock({ type: 'message' })).toBe(false);
  });

  it.each<[string, () => boolean]>([
    [
      "isEntry: type must be one of message, thinking_level_change, (?:\\w+, )+\\w+, not 'mesage'",
      () => library.isEntry({}, 'mesage' as never),
    ],
    ["isMessage: role must be one of user, assistant, .*, not 'tool'", () => library.isMessage({}, 'tool' as never)],
    ['isBlock: type must be one of text, image, .*, not 0', () => library.isBlock({ type: 'text' }, 0 as never)],
  ])('is not compared with a name that nothing has: %s', (message, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(new RegExp(`^${message}$`));
  });
});
