import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { projectRoot, run } from '../support/run.ts';
import { HEADER, user } from '../support/sessions.ts';

const folder = join(projectRoot, 'fixtures/sessions');
const sessions = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
// One of them is no session log at all.
const damaged = readdirSync(join(projectRoot, 'fixtures/vectors/damage')).filter((name) =>
  /^(?!l15).*\.jsonl$/.test(name),
);
const bytesOf = (text: string): Buffer => Buffer.from(text);

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await collected(pieces));
}

/** Small pieces whose memory is used again, as a careless source would hand them out. */
async function* reused(bytes: Buffer, size: number): AsyncGenerator<Uint8Array, void, void> {
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) yield memory.subarray(0, bytes.copy(memory, 0, at, at + size));
}

describe('readEntries', () => {
  it('gives every object with its line, its offset and its text, and the damage between them', async () => {
    const torn = '{"type":"message","id":"x';
    const log = `${HEADER}${user('a', null)}\n${torn}\n${user('b', 'a')}`;
    const items = await collected(library.readEntries(bytesOf(log)));
    expect(items.map(({ kind, line, offset }) => [kind, line, offset])).toEqual([
      ['header', 1, 0],
      ['entry', 2, HEADER.length],
      ['damage', 4, log.indexOf(torn)],
      ['entry', 5, log.indexOf(torn) + torn.length + 1],
    ]);
    expect(items[1]).toMatchObject({ text: user('a', null).trimEnd(), value: { id: 'a' } });
    expect(items[2]).toEqual({
      kind: 'damage',
      line: 4,
      offset: log.indexOf(torn),
      damage: 'torn-line',
      length: torn.length,
    });
  });

  it('digs the whole entries out of a line that holds two, and marks them', async () => {
    const items = await collected(
      library.readEntries(bytesOf(`${HEADER}${user('a', null).trimEnd()}${user('b', 'a')}`)),
    );
    expect(items.map((item) => [item.kind, item.damage])).toEqual([
      ['header', undefined],
      ['damage', 'glued-entries'],
      ['entry', 'glued-entries'],
      ['entry', 'glued-entries'],
    ]);
  });

  it('tells a byte order mark and a line over the limit', async () => {
    const items = await collected(
      library.readEntries(bytesOf(`\ufeff${HEADER}${user('a', null, 'x'.repeat(500))}`), { maxLineBytes: 300 }),
    );
    expect(items.map((item) => item.damage)).toEqual(['byte-order-mark', 'byte-order-mark', 'oversize-line']);
  });
});

describe('validate', () => {
  it.each(sessions)('finds in %s what the command finds', async (name) => {
    const path = join(folder, name);
    const ran = await run(['validate', '--format', 'json', path]);
    const findings = await collected(library.validate(createReadStream(path), { name: path }));
    expect(findings).toEqual(records(ran.stdout));
    expect(await library.summarize(createReadStream(path))).toMatchObject({ ok: true, errors: 0 });
  });

  it.each(damaged)('finds in the damaged %s what the command finds, in any pieces', async (name) => {
    const path = join(projectRoot, 'fixtures/vectors/damage', name);
    const ran = await run(['validate', '--format', 'json', path]);
    const bytes = readFileSync(path);
    const findings = await collected(library.validate(reused(bytes, 13), { name: path }));
    expect(findings).toEqual(records(ran.stdout));
    const summary = await library.summarize(bytes);
    expect(summary.errors).toBe(findings.filter((finding) => finding.severity === 'error').length);
    expect(Object.values(summary.rules).reduce((sum, count) => sum + count, 0)).toBe(findings.length);
  });

  it('takes levels of rules, and says what is no session log', async () => {
    const log = bytesOf(`${HEADER}\n${user('a', null)}`);
    expect(await library.summarize(log)).toMatchObject({ warnings: 1, rules: { 'blank-line': 1 } });
    expect(await library.summarize(log, { rules: { 'blank-line': 'error' } })).toMatchObject({ ok: false, errors: 1 });
    expect(await library.summarize(log, { rules: { 'blank-line': 'off' } })).toMatchObject({ ok: true, warnings: 0 });
    await expect(library.summarize(bytesOf('just text\n'))).rejects.toThrow(library.AppError);
  });
});

describe('migrate', () => {
  it.each(['pi-version-1.jsonl', 'pi-version-2.jsonl', 'omp-plan.jsonl'])(
    'gives for %s the bytes of the command',
    async (name) => {
      const bytes = readFileSync(join(folder, name));
      const ran = await run(['migrate', join(folder, name)]);
      expect(await joined(library.migrate(bytes))).toEqual(ran.stdoutBytes);
      expect(await joined(library.migrate(reused(bytes, 100)))).toEqual(ran.stdoutBytes);
      expect(await joined(library.migrate(() => reused(bytes, 1000)))).toEqual(ran.stdoutBytes);
    },
  );

  it('hands out what is before a damaged line, and then throws', async () => {
    const pieces: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of library.migrate(bytesOf(`${HEADER}${user('a', null)}{"torn`), { name: 'x.jsonl' }))
        pieces.push(piece);
    })();
    await expect(reading).rejects.toThrow("x.jsonl: line 3 is damaged (torn-line); run 'sessionctl repair' first");
    expect(Buffer.concat(pieces).toString()).toBe(HEADER + user('a', null));
  });
});

describe('repair', () => {
  it.each(damaged)('repairs %s as the command does', async (name) => {
    const path = join(projectRoot, 'fixtures/vectors/damage', name);
    const ran = await run(['repair', path]);
    const changes: library.ChangeRecord[] = [];
    const repairing = library.repair(() => createReadStream(path), { onChange: (change) => void changes.push(change) });
    const pieces: Uint8Array[] = [];
    let next = await repairing.next();
    for (; !next.done; next = await repairing.next()) pieces.push(next.value);
    expect(Buffer.concat(pieces)).toEqual(ran.stdoutBytes);
    expect(next.value.left.length > 0 ? 1 : 0).toBe(ran.code);
    expect(changes.length + next.value.left.length > 0).toBe(ran.stderr !== '');
  });

  it('can be left before its end', async () => {
    const log = bytesOf(`${HEADER}${user('a', null, 'x'.repeat(2_000_000))}${user('a', null)}`);
    for await (const piece of library.repair(log)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });

  it('says when its input is another one the second time', async () => {
    let opened = 0;
    const source = (): Buffer => bytesOf(`${HEADER}${user('a', null)}${opened++ === 0 ? user('b', 'a') : ''}`);
    await expect(joined(library.repair(source, { name: 'x' }))).rejects.toThrow(
      'x: was changed while it was being read',
    );
  });
});

describe('the rules', () => {
  const codex = join(projectRoot, 'fixtures/rules/orphan-result/codex');
  const only = ['orphan-result'];

  it('are listed as plain data', () => {
    expect(structuredClone(library.listRules())).toEqual(library.listRules());
  });

  it('that are fixable in logs of one agent alone are taken there as the command takes them', async () => {
    const bad = join(codex, 'bad.jsonl');
    const repaired = await joined(library.repair(readFileSync(bad), { only }));
    expect(repaired).toEqual(readFileSync(join(codex, 'repaired.jsonl')));
    expect(repaired).toEqual((await run(['repair', '--only', 'orphan-result', bad])).stdoutBytes);
    await expect(joined(library.repair(bytesOf(`${HEADER}${user('a', null)}`), { only }))).rejects.toThrow(
      "repair does not fix 'orphan-result' in such a log",
    );
  });

  it('are listed as fixable where `only` of repair may name them', () => {
    const fixable = library.listRules().filter((rule) => rule.fixable);
    for (const { id } of fixable) expect(() => library.repair(bytesOf(''), { only: [id] })).not.toThrow();
    expect(fixable.map(({ id }) => id)).toEqual(expect.arrayContaining(['orphan-result', 'torn-line']));
  });
});

describe('a session', () => {
  it('is read from a file without holding it, and says the same as from bytes', async () => {
    for (const name of sessions) {
      const file = await open(join(folder, name));
      const one = await library.openSession(file);
      const two = await library.openSession(readFileSync(join(folder, name)));
      expect(await collected(library.pathTo(one))).toEqual(await collected(library.pathTo(two)));
      expect(await collected(library.leaves(one))).toEqual(await collected(library.leaves(two)));
      expect(await library.status(one)).toEqual(await library.status(two));
      expect(await library.contextOf(one)).toEqual(await library.contextOf(two));
      await one.close();
      await file.close();
    }
  });

  it.each(sessions)('has in %s the context and the status that the commands tell', async (name) => {
    const path = join(folder, name);
    const session = await library.openSession(createReadStream(path));
    for (const profile of ['spec', 'pi', 'omp'] as const) {
      const ran = await run(['context', '--profile', profile, path]);
      const { messages } = await library.contextOf(session, { profile });
      expect(messages.map((message) => `${message}\n`).join('')).toBe(ran.stdout);
      const entries = await collected(
        library.pathTo(session, { duplicates: profile === 'spec' ? 'nearest-earlier' : 'last' }),
      );
      expect(library.buildContext(entries, { profile }).messages).toEqual(messages);
    }
    // What resumes it names the file, which the library does not know.
    const ran = await run(['status', '--json'], { stdin: readFileSync(path) });
    expect(await library.status(session)).toEqual(JSON.parse(ran.stdout));
  });

  it('resolves names, and tells labels and the title', async () => {
    const session = await library.openSession(createReadStream(join(folder, 'pi-branches.jsonl')));
    const last = await library.resolveRev(session, '@');
    expect(await library.resolveRev(session, `line:${last.line}`)).toEqual(last);
    await expect(library.resolveRev(session, 'nowhere')).rejects.toThrow(library.AppError);
    const all = await library.labels(session);
    for (const [id, label] of all) expect((await library.resolveRev(session, `label:${label}`)).value['id']).toBe(id);
    expect(all.size).toBeGreaterThan(0);
  });

  it('may be empty', async () => {
    const session = await library.openSession(new Uint8Array());
    expect(await collected(library.pathTo(session))).toEqual([]);
    expect((await library.contextOf(session)).messages).toEqual([]);
    expect((await library.status(session)).verdict).toBe('blocked');
  });

  it('makes messages of values that have no text', () => {
    const value = { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'hi' } };
    expect(library.buildContext([{ value }]).messages).toEqual(['{"role":"user","content":"hi"}']);
  });
});

describe('a wrong argument', () => {
  const any = (value: unknown): never => value as never;
  it.each<[string, () => unknown]>([
    [
      'readEntries: the log must be bytes, not a string; for a file, pass createReadStream(path)',
      () => library.readEntries(any('x')),
    ],
    [
      'readEntries: the log must be an async iterable of Uint8Array, not undefined',
      () => library.readEntries(any(undefined)),
    ],
    [
      'readEntries: maxLineBytes must be a positive integer, not -1',
      () => library.readEntries(Buffer.alloc(0), { maxLineBytes: -1 }),
    ],
    [
      "validate: unknown option 'level'; the options are name, rules, maxLineBytes, random",
      () => library.validate(Buffer.alloc(0), any({ level: {} })),
    ],
    [
      "validate: rules: unknown rule 'no-such'",
      () => library.validate(Buffer.alloc(0), { rules: { 'no-such': 'off' } }),
    ],
    [
      "validate: rules: the level of blank-line must be one of error, warning, off, not 'bad'",
      () => library.validate(Buffer.alloc(0), { rules: { 'blank-line': any('bad') } }),
    ],
    ["migrate: to must be one of 2, 3, not '3'", () => library.migrate(Buffer.alloc(0), { to: any('3') })],
    [
      'repair: the log is read more than once; pass a Uint8Array or a function that reopens it',
      () => library.repair(any(createReadStream('/dev/null'))),
    ],
    [
      "repair: only: 'oversize-line' is not a rule that repair can fix",
      () => library.repair(Buffer.alloc(0), { only: ['oversize-line'] }),
    ],
    ['pathTo: expected a session from openSession, not an object', () => library.pathTo(any({}))],
    ['leaves: expected a session from openSession, not null', () => library.leaves(any(null))],
    ['buildContext: the path must be an array of entries, root first, not 7', () => library.buildContext(any(7))],
    ['buildContext: entry 0 of the path has a value that is not an object', () => library.buildContext([any({})])],
    [
      "buildContext: profile must be one of spec, pi, omp, not 'x'",
      () => library.buildContext([], { profile: any('x') }),
    ],
    ['validate: options must be an object, not 7', () => library.validate(Buffer.alloc(0), any(7))],
  ])('is a TypeError that says: %s', (message, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  it('is a TypeError also where the answer is a promise', async () => {
    await expect(library.openSession(any('x.jsonl'))).rejects.toThrow(TypeError);
    await expect(library.openSession(any({}))).rejects.toThrow(TypeError);
    await expect(library.status(Buffer.alloc(0), { leaf: any(1) })).rejects.toThrow(
      "status: leaf must be a string such as '@', not 1",
    );
    const optional = { pattern: 'x', class: 'read', why: undefined };
    expect((await library.status(bytesOf(HEADER), { classes: [any(optional)] })).verdict).toBe('ready');
    await expect(library.status(Buffer.alloc(0), { classes: [any({ pattern: 'x', class: 'bad' })] })).rejects.toThrow(
      TypeError,
    );
    await expect(library.exportSession(Buffer.alloc(0), { tz: 'Nowhere' })).rejects.toThrow(
      new TypeError("exportSession: tz must be a time zone such as 'Europe/Berlin', not 'Nowhere'"),
    );
    const session = await library.openSession(Buffer.alloc(0));
    expect(() => library.pathTo(session, { duplicates: any('first') })).toThrow(TypeError);
    await expect(library.contextOf(any(7))).rejects.toThrow('contextOf: the log must be an async iterable');
    const text = createReadStream(join(folder, 'omp-plan.jsonl'), 'utf8');
    await expect(collected(library.readEntries(any(text)))).rejects.toThrow(
      'every chunk of the log must be a Uint8Array',
    );
  });
});

function records(stdout: string): unknown[] {
  const all = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  return all.filter((record) => !('summary' in record));
}
