import { readFileSync, writeFileSync } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const TIME = '2026-01-31T12:00:00.000Z';
const log = Buffer.from(`${HEADER}${user('a', null)}`);
const noLog = Buffer.from('{"hello":1}\n');
const torn = Buffer.from(`${HEADER}${user('a', null)}{"torn`);
/** A frame of zstd whose header has a reserved bit. */
const packed = Buffer.from(`28b52ffd08${'00'.repeat(200)}`, 'hex');
const NOTHING = /^(?:not a |is JSON Lines in an unknown format)/;

async function ended(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

type Named = { readonly name?: string };

/** What each function throws about a log; those that take a name get one the second time. */
const THROWN: readonly [string, RegExp, (named: Named) => Promise<unknown>][] = [
  ['validate', NOTHING, (named) => ended(library.validate(noLog, named))],
  ['validate of a damaged archive', /^cannot be unpacked/, (named) => ended(library.validate(packed, named))],
  ['summarize', NOTHING, (named) => library.summarize(noLog, named)],
  ['repair', NOTHING, (named) => ended(library.repair(noLog, named))],
  ['redact', NOTHING, (named) => ended(library.redact(noLog, named))],
  ['convert', NOTHING, (named) => ended(library.convert(noLog, named))],
  ['migrate', NOTHING, (named) => ended(library.migrate(noLog, named))],
  ['migrate of a torn log', /^line 3 is damaged/, (named) => ended(library.migrate(torn, named))],
  ['append', /^line 3 is damaged/, (named) => library.append(torn, [], { ...named, timestamp: TIME })],
  ['openSession', NOTHING, (named) => library.openSession(noLog, named)],
  [
    'resolveRev',
    /^'\w+' does not match any entry/,
    async (named) => library.resolveRev(await library.openSession(log, named), 'nowhere'),
  ],
  [
    'pathTo',
    /^'\w+' does not match any entry/,
    async (named) => ended(library.pathTo(await library.openSession(log, named), { leaf: 'no' })),
  ],
  [
    'contextOf',
    /^'\w+' does not match any entry/,
    async (named) => library.contextOf(await library.openSession(log, named), { leaf: 'no' }),
  ],
  [
    'fork',
    /^'\w+' does not match any entry/,
    async (named) => ended(library.fork(await library.openSession(log, named), { leaf: 'no', timestamp: TIME })),
  ],
];

describe('a message about a log', () => {
  it('advises --from, which is an option of the library too', async () => {
    const codex = readFileSync(join(projectRoot, 'fixtures/rules/torn-line/codex/good.jsonl'));
    const probable = codex.subarray(codex.indexOf('\n') + 1);
    const few = Buffer.from(`${HEADER}${'{"type":"x","id":"a"}\n'.repeat(3)}`);
    await expect(ended(library.repair(probable))).rejects.toThrow('--from codex');
    await ended(library.repair(probable, { from: 'codex' }));
    await expect(library.append(few, [], { timestamp: TIME })).rejects.toThrow('--from pi');
    await library.append(few, [], { timestamp: TIME, from: 'pi' });
    const notes: string[] = [];
    const onNote = (note: string): void => void notes.push(note);
    await library.openSession(probable, { onNote });
    expect(notes).toEqual([expect.stringContaining('--from codex')]);
    await library.openSession(probable, { onNote, from: 'codex' });
    expect(notes).toHaveLength(1);
  });

  it.each(THROWN)('does not start with a name where %s got none', async (_, message, call) => {
    const error = await call({}).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(library.AppError);
    const { message: reported, stack } = error as library.AppError;
    expect(reported).toMatch(message);
    expect(stack?.split('\n')[0]).toBe(`AppError: ${reported}`);
    await expect(call({ name: 'x.jsonl' })).rejects.toMatchObject({ message: `x.jsonl: ${reported}` });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['contextOf', () => library.contextOf(noLog)],
    ['status', () => library.status(noLog)],
    ['fork', () => ended(library.fork(noLog, { timestamp: TIME }))],
    ['diff', () => library.diff(log, noLog)],
    ['exportSession', () => library.exportSession(noLog)],
  ])('does not start with a name in %s, which takes bytes and no name', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'AppError', message: expect.stringMatching(NOTHING) });
  });

  it('is of the command line as before', async () => {
    const { stderr } = await run(['fork', '-', 'nowhere'], { stdin: log });
    expect(stderr).toMatch(/-: 'nowhere' does not match any entry/);
  });

  it('names no file that became shorter, in what a session gives by itself either', async () => {
    const path = join(scratchFolder(), 'short.jsonl');
    const label =
      '{"type":"label","id":"b","parentId":"a","timestamp":"2026-01-31T12:00:00.000Z","targetId":"a","label":"x"}\n';
    const info = '{"type":"session_info","id":"c","parentId":"b","timestamp":"2026-01-31T12:00:00.000Z","name":"x"}\n';
    writeFileSync(path, `${log}${label}${info}`);
    const file = await open(path);
    const session = await library.openSession(file);
    await truncate(path, HEADER.length);
    const message = expect.stringMatching(/^became shorter while it was being read/);
    await expect(ended(session.entries([0]))).rejects.toMatchObject({ message, code: 'CHANGED' });
    await expect(ended(library.leaves(session))).rejects.toMatchObject({ message });
    await expect(library.labels(session)).rejects.toMatchObject({ message });
    await expect(library.sessionTitle(session)).rejects.toMatchObject({ message });
    await file.close();
  });

  it('is the only place of the name: what has none is called nothing elsewhere either', async () => {
    expect((await library.validate(torn).next()).value).toMatchObject({ rule: 'torn-line', file: '' });
    expect(await library.openSession(log)).toMatchObject({ name: '' });
    const converted = library.convert(log);
    let next = await converted.next();
    while (!next.done) next = await converted.next();
    expect(next.value?.source).not.toHaveProperty('path');
  });

  it('says the line where the log has no name, also as a note', async () => {
    const notes: string[] = [];
    const onNote = (note: string): void => void notes.push(note);
    await library.openSession(Buffer.from(HEADER.replace(/"version":3/, '"version":99')), { onNote });
    const old = `${HEADER.replace('"version":3', '"version":1')}{"type":"compaction","summary":"","firstKeptEntryIndex":"x"}\n`;
    await library.openSession(Buffer.from(old), { onNote });
    const lost = await library.openSession(Buffer.from(`${HEADER}${user('a', 'gone')}`));
    await ended(library.fork(lost, { timestamp: TIME, onNote }));
    expect(notes).toEqual([
      'version 99 is unknown; reading it as version 3',
      'line 2: firstKeptEntryIndex is not a number and was left unchanged',
      "parent 'gone' of line 2 is not in the file; the fork starts there, as it does for agents",
    ]);
  });
});
