import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settings } from '../support/properties.ts';
import { projectRoot, type Ran, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const vectors = join(projectRoot, 'fixtures/vectors/migrate');
const scratch = scratchFolder();

/** What the agents do and we do on purpose not: each of these has a test of its own. */
const DIFFERENT = /^(m02|m03|m06|m10|m11)-/;

const HEADER = '{"type":"session","id":"s1","timestamp":"2026-02-16T10:00:00.000Z","cwd":"/w"}';
const USER = '{"type":"message","timestamp":"2026-02-16T10:00:01.000Z","message":{"role":"user","content":"a"}}';

function log(...lines: string[]): string {
  return `${lines.join('\n')}\n`;
}

async function migrate(input: string | Buffer, ...options: string[]): Promise<Ran> {
  return await run(['migrate', '--ids', 'sequence', ...options], { stdin: input });
}

/** A file with this content, in the scratch folder. */
function file(name: string, content: string): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
}

function lines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** As the agents do it: all in memory, by JSON.parse and JSON.stringify. */
function byTheBook(text: string): string {
  const entries = lines(text).map((line) => JSON.parse(line) as Record<string, unknown>);
  let previous: string | null = null;
  let count = 0;
  for (const entry of entries) {
    if (entry['type'] === 'session') {
      entry['version'] = 3;
      continue;
    }
    count++;
    entry['id'] = count.toString(16).padStart(8, '0');
    entry['parentId'] = previous;
    previous = entry['id'] as string;
    if (entry['type'] === 'compaction' && typeof entry['firstKeptEntryIndex'] === 'number') {
      const target = entries[entry['firstKeptEntryIndex']];
      if (target && target['type'] !== 'session' && target['id'] !== undefined)
        entry['firstKeptEntryId'] = target['id'];
      delete entry['firstKeptEntryIndex'];
    }
    const message = entry['message'] as Record<string, unknown> | null | undefined;
    if (entry['type'] === 'message' && message?.['role'] === 'hookMessage') message['role'] = 'custom';
  }
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

describe('migrate on what the agents were tried on', () => {
  const names = readdirSync(vectors).filter((name) => name.endsWith('.jsonl') && !name.includes('.expected.'));

  it.each(names.filter((name) => !DIFFERENT.test(name)))('gives what the agents give for %s', async (name) => {
    const expected = readFileSync(join(vectors, name.replace('.jsonl', '.expected.jsonl')), 'utf8');
    const ran = await run(['migrate', '--ids', 'sequence', join(vectors, name)]);
    expect(ran.code).toBe(0);
    if (/^g\d+\./.test(name)) expect(ran.stdout).toBe(expected);
    const parsed = lines(ran.stdout).map((line) => JSON.stringify(JSON.parse(line)));
    expect(parsed).toEqual(lines(expected).map((line) => JSON.stringify(JSON.parse(line))));
  });

  it('refuses a damaged line, names it and repair, and gives what is before it', async () => {
    const ran = await run(['migrate', '--ids', 'sequence', join(vectors, 'm02-corrupt-before-compaction.jsonl')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(
      /m02-corrupt-before-compaction\.jsonl: line 3 is damaged \(torn-line\); run 'sessionctl repair' first\n$/,
    );
    expect(lines(ran.stdout).map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'session',
      'message',
    ]);
  });

  it('refuses lines that are no objects', async () => {
    const ran = await run(['migrate', join(vectors, 'm10-v1-primitives.jsonl')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("line 3 is damaged (not-an-object); run 'sessionctl repair' first");
  });

  it('keeps the ids and the tree of a version 1 log that has them', async () => {
    const path = join(vectors, 'm03-version1-with-ids-tree.jsonl');
    const ran = await run(['migrate', path]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toBe(readFileSync(path, 'utf8').replace('"version": 1', '"version": 3'));
  });

  it.each([
    ['neg', '-1'],
    ['null', 'null'],
    ['str1', '"1"'],
    ['str3', '"3"'],
    ['strx', '"x"'],
    ['v2.5', '2.5'],
    ['v4', '4'],
    ['zero', '0'],
  ])('refuses the unknown version of m06-version-%s by name and writes nothing', async (name, version) => {
    const ran = await run(['migrate', join(vectors, `m06-version-${name}.jsonl`)]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`has version ${version}; only versions 1, 2 and 3 are known`);
  });

  it('refuses a log without a header and names repair', async () => {
    const ran = await run(['migrate', join(vectors, 'm11-no-header-v1.jsonl')]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain("has no header before its first entry; run 'sessionctl repair' first");
    expect((await migrate('')).stderr).toContain("-: has no header; run 'sessionctl repair' first");
    expect((await migrate('\n\n')).code).toBe(2);
  });
});

describe('the ids that migrate makes', () => {
  function stable(...parts: (string | number)[]): string {
    return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);
  }

  function idsOf(text: string): unknown[] {
    return lines(text).map((line) => (JSON.parse(line) as { id: unknown }).id);
  }

  it('are made from the header and the position, so that every run gives the same', async () => {
    const ran = await run(['migrate'], { stdin: log(HEADER, USER, '', HEADER, USER) });
    const [, first, , , last] = ran.stdout
      .split('\n')
      .map((line) => (line === '' ? {} : (JSON.parse(line) as { id?: string; parentId?: string })));
    expect(first?.id).toBe(stable('s1', 1));
    expect(last?.id).toBe(stable('s1', 3));
    expect(last?.parentId).toBe(stable('s1', 1));
  });

  it('hash the header id as UTF-8, however it is spelled', async () => {
    const plain = await run(['migrate'], { stdin: log('{"type":"session","id":"sé日"}', USER) });
    const escaped = await run(['migrate'], { stdin: log('{"type":"session","id":"s\\u00e9\\u65e5"}', USER) });
    expect(idsOf(plain.stdout)[1]).toBe(stable('sé日', 1));
    expect(idsOf(escaped.stdout)[1]).toBe(stable('sé日', 1));
  });

  it.each([
    ['{"type":"session"}', ''],
    ['{"type":"session","id":7}', '7'],
  ])('are made from the text of what stands for the id in %s', async (header, text) => {
    expect(idsOf((await run(['migrate'], { stdin: log(header, USER) })).stdout)[1]).toBe(stable(text, 1));
  });

  it('try again where an entry of the file has the id, also a later one', async () => {
    const taken = stable('s1', 1);
    const own = `{"type":"custom","customType":"x","id":"${taken}","parentId":null}`;
    for (const input of [
      log(HEADER, USER, own),
      log(HEADER, USER, own.replace(taken, `\\u00${taken.charCodeAt(0).toString(16)}${taken.slice(1)}`)),
      log(HEADER, USER, own.replace('"id":', '"\\u0069d" : ')),
      ...[100, 118, 123, 200].map((blanks) => log(HEADER, USER, own.replace('"id":', `"id"${' '.repeat(blanks)}:`))),
    ]) {
      for (const ran of [
        await run(['migrate', file('taken.jsonl', input)]),
        await run(['migrate'], { stdin: input }),
      ]) {
        expect(ran.code).toBe(0);
        expect(idsOf(ran.stdout)).toEqual(['s1', stable('s1', 1, 1), taken]);
      }
    }
    // Inside of an entry it is not an entry's id.
    const inside = `{"type":"custom","customType":"x","data":{"id":"${taken}"}}`;
    expect(idsOf((await run(['migrate', file('inside.jsonl', log(HEADER, USER, inside))])).stdout)[1]).toBe(taken);
  });

  it('count in hexadecimal and pass over ids of the file', async () => {
    const own = '{"type":"custom","customType":"x","id":"00000002","parentId":null}';
    const path = file('sequence.jsonl', log(HEADER, ...Array<string>(10).fill(USER), own));
    const ran = await run(['migrate', '--ids', 'sequence', path]);
    expect(idsOf(ran.stdout).slice(1)).toEqual([
      '00000001',
      ...['3', '4', '5', '6', '7', '8', '9', 'a', 'b'].map((digit) => digit.padStart(8, '0')),
      '00000002',
    ]);
  });

  it('may be random, and are drawn again where they are taken', async () => {
    const draws = [0, 0, 1, 2, 0, 0, 1, 2, 0xff, 0xff, 0xff, 0xff];
    // Ids take four bytes; the keys of tables take eight.
    const random = (bytes: number): Uint8Array =>
      bytes === 4 ? Uint8Array.from(draws.splice(0, 4)) : new Uint8Array(bytes);
    const path = file('random.jsonl', log(HEADER, USER, USER));
    const ran = await run(['migrate', '--ids', 'random', path], { random });
    expect(idsOf(ran.stdout).slice(1)).toEqual(['00000102', 'ffffffff']);
  });
});

describe('what migrate does to an entry', () => {
  it('chains an entry that has an id but no parent, and keeps a parent that is without an id', async () => {
    const ran = await migrate(
      log(HEADER, USER, '{"id":"own","type":"custom"}', '{"type":"custom","parentId":"own"}', '{"type":"custom"}'),
    );
    expect(lines(ran.stdout).slice(2)).toEqual([
      '{"id":"own","type":"custom","parentId":"00000001"}',
      '{"type":"custom","parentId":"own","id":"00000002"}',
      '{"type":"custom","id":"00000003","parentId":"00000002"}',
    ]);
  });

  it('replaces an id or parent that is no string where it is', async () => {
    const ran = await migrate(
      log(HEADER, USER, '{"id":7,"type":"custom","parentId":{"a":[1]},"x":1}', '{"id":null,"parentId":null}', '{}'),
    );
    expect(lines(ran.stdout).slice(2)).toEqual([
      '{"id":"00000002","type":"custom","parentId":"00000001","x":1}',
      '{"id":"00000003","parentId":null}',
      '{"id":"00000004","parentId":"00000003"}',
    ]);
  });

  it('makes a parent that is the header none, and reports what names no entry', async () => {
    const header = '{"type":"session","id":"s1","version":1}';
    const ran = await migrate(
      log(
        header,
        '{"type":"message","id":"m1","parentId":"s1","message":{"role":"user"}}',
        '{"type":"custom","id":"m2","parentId":"m3"}',
        '{"type":"custom","id":"m3","parentId":"gone"}',
        '{"type":"label","id":"m4","parentId":"m3","targetId":"lost"}',
        '{"type":"branch_summary","id":"m5","parentId":"m3","fromId":"root"}',
      ),
    );
    expect(lines(ran.stdout)[1]).toBe('{"type":"message","id":"m1","parentId":null,"message":{"role":"user"}}');
    expect(ran.stderr).toBe(
      "sessionctl: -:4: warning: parentId 'gone' is not in this file\nsessionctl: -:5: warning: targetId 'lost' is not in this file\n",
    );
    expect(ran.code).toBe(0);
  });

  it('lists a few dangling references and counts the others', async () => {
    const many = Array.from({ length: 13 }, (_, index) => `{"type":"custom","id":"x${index}","parentId":"gone"}`);
    const ran = await migrate(log(HEADER, ...many));
    expect(ran.stderr.split('\n')).toHaveLength(12);
    expect(ran.stderr).toContain('-: warning: 3 more references to entries that are not in this file');
  });

  it('writes ids of other scripts as they are', async () => {
    const ran = await migrate(
      log(HEADER, '{"type":"custom","id":"日本","parentId":null}', '{"type":"custom","id":"\\u65e5\\"x"}', USER),
    );
    expect(lines(ran.stdout)[2]).toBe('{"type":"custom","id":"\\u65e5\\"x","parentId":"日本"}');
    expect(lines(ran.stdout)[3]).toContain('"parentId":"日\\"x"');
  });

  it('counts to the first kept entry over ids of both kinds', async () => {
    const ran = await migrate(
      log(HEADER, USER, '{"type":"custom","id":"own"}', '{"type":"compaction","firstKeptEntryIndex":2e0,"summary":""}'),
    );
    expect(lines(ran.stdout)[3]).toBe(
      '{"type":"compaction","summary":"","id":"00000002","parentId":"own","firstKeptEntryId":"own"}',
    );
  });

  it('removes an index that is last, is there twice, or is the only thing between others', async () => {
    const ran = await migrate(
      log(
        HEADER,
        '{"type":"compaction","firstKeptEntryIndex":1}',
        '{"firstKeptEntryIndex":9,"type":"compaction","firstKeptEntryIndex":1,"x":1}',
        '{ "firstKeptEntryIndex" : 9 , "type" : "compaction" }',
        '{"type":"custom","firstKeptEntryIndex":1}',
      ),
    );
    expect(lines(ran.stdout).slice(1)).toEqual([
      '{"type":"compaction","id":"00000001","parentId":null,"firstKeptEntryId":"00000001"}',
      '{"type":"compaction","x":1,"id":"00000002","parentId":"00000001","firstKeptEntryId":"00000001"}',
      '{ "type" : "compaction","id":"00000003","parentId":"00000002" }',
      '{"type":"custom","firstKeptEntryIndex":1,"id":"00000004","parentId":"00000003"}',
    ]);
    expect(ran.stderr).toContain(
      '-:4: warning: firstKeptEntryIndex 9 does not refer to an earlier entry and was removed; this compaction keeps nothing before it\n',
    );
    const both = await migrate(
      log(HEADER, USER, '{"type":"compaction","firstKeptEntryIndex":9,"firstKeptEntryId":"00000001"}'),
    );
    expect(both.stdout).toContain('{"type":"compaction","firstKeptEntryId":"00000001","id":"00000002"');
    expect(both.stderr).toContain(
      '-:3: warning: firstKeptEntryIndex 9 does not refer to an earlier entry and was removed; its firstKeptEntryId is kept\n',
    );
  });

  it('keeps every other byte: numbers, escapes, key order, repeated keys, blanks, bytes of other scripts', async () => {
    const body =
      '"z":1.0,"a":1e3,"big":12345678901234567890,"neg":-0,"huge":1e400,"s":"\\u00e9\\/é\\ud83d","a":2,"__proto__":{"id":1}';
    const ran = await migrate(log(HEADER, `{"type":"custom",${body}}`, `\t{ "type" : "custom" , ${body} } `));
    expect(lines(ran.stdout)[1]).toBe(`{"type":"custom",${body},"id":"00000001","parentId":null}`);
    expect(lines(ran.stdout)[2]).toBe(`\t{ "type" : "custom" , ${body},"id":"00000002","parentId":"00000001" } `);
  });

  it('keeps line ends, blank lines and the title slot, which counts for nothing', async () => {
    const slot = `{"type":"title","v":1,"title":"t","pad":"${' '.repeat(20)}"}`;
    const ran = await migrate(
      `${slot}\r\n\r\n${HEADER}\r\n \r\n${USER}\r\n{"type":"compaction","summary":"","firstKeptEntryIndex":1}`,
    );
    expect(ran.stdout).toBe(
      `${slot}\r\n\r\n${HEADER.slice(0, -1)},"version":3}\r\n \r\n${USER.slice(0, -1)},"id":"00000001","parentId":null}\r\n` +
        '{"type":"compaction","summary":"","id":"00000002","parentId":"00000001","firstKeptEntryId":"00000001"}\r\n',
    );
  });

  it('gives every header the version, in its place or at the end', async () => {
    const ran = await migrate(
      log('{"type":"session","version":1.0,"id":"s1"}', HEADER, '{"type":"session","version":"x","id":"s2"}'),
    );
    expect(ran.stdout).toBe(
      log(
        '{"type":"session","version":3,"id":"s1"}',
        `${HEADER.slice(0, -1)},"version":3}`,
        '{"type":"session","version":3,"id":"s2"}',
      ),
    );
  });

  it('does nothing to a log of the wanted version, not even a missing newline', async () => {
    const v3 = `{"type":"session","version":3,"id":"s1"}\n\n{"type":"message","id":"a","parentId":"s1","message":{"role":"hookMessage"}}`;
    expect(await migrate(v3)).toMatchObject({ code: 0, stdout: v3, stderr: '' });
    const v2 = v3.replace('"version":3', '"version":2');
    expect(await migrate(v2, '--to', '2')).toMatchObject({ code: 0, stdout: v2 });
    expect((await migrate(v2)).stdout).toBe(`${v3.replace('hookMessage', 'custom')}\n`);
  });

  it('stops at version 2 where told, and never goes back', async () => {
    const hook = '{"type":"message","message":{"role":"hookMessage"}}';
    const ran = await migrate(log(HEADER, hook), '--to', '2');
    expect(lines(ran.stdout)).toEqual([
      `${HEADER.slice(0, -1)},"version":2}`,
      `${hook.slice(0, -1)},"id":"00000001","parentId":null}`,
    ]);
    const back = await migrate(log('{"type":"session","version":3,"id":"s"}'), '--to', '2');
    expect(back).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'sessionctl: -: already has version 3; it cannot be downgraded to version 2\n',
    });
  });

  it('migrates an entry that is nested very deeply', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const ran = await migrate(log(HEADER, `{"type":"custom","data":${deep},"id":5}`));
    expect(lines(ran.stdout)[1]).toBe(`{"type":"custom","data":${deep},"id":"00000001","parentId":null}`);
  });

  it.each([
    ['byte-order-mark', `\ufeff${HEADER}\n`, 1],
    ['nul-bytes', `${HEADER}\n\0\0${USER}\n`, 2],
    ['glued-entries', `${HEADER}\n${USER}${USER}\n`, 2],
    [
      'invalid-utf8',
      Buffer.concat([Buffer.from(`${HEADER}\n{"type":"custom","x":"`), Buffer.from([0xff]), Buffer.from('"}\n')]),
      2,
    ],
    ['not-json', `${HEADER}\n${USER}\n<<<<<<< HEAD\n`, 3],
    ['torn-line', `{"type":"session","version":3,"id":"s"}\n{"type":"mess`, 2],
  ])('refuses %s', async (rule, input, number) => {
    const ran = await migrate(input);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`-: line ${number} is damaged (${rule}); run 'sessionctl repair' first`);
    expect(lines(ran.stdout)).toHaveLength(number - 1);
  });
});

describe('migrate on files', () => {
  it('changes files in place, keeps a backup, and leaves new ones alone', async () => {
    const old = file('old.jsonl', log(HEADER, USER));
    const current = file('current.jsonl', log('{"type":"session","version":3,"id":"s"}'));
    const before = statSync(current);
    const ran = await run(['migrate', '-i', '--backup', old, current]);
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(old, 'utf8')).toContain('"version":3}');
    expect(readFileSync(`${old}.bak`, 'utf8')).toBe(log(HEADER, USER));
    expect(statSync(current).mtimeMs).toBe(before.mtimeMs);
    expect(statSync(current).ino).toBe(before.ino);
  });

  it('does not touch a file with a damaged line, also behind lines that would change', async () => {
    const path = file('damaged.jsonl', `${log(HEADER, USER)}{"type":"mess\n`);
    const out = join(scratch, 'damaged-out.jsonl');
    expect((await run(['migrate', '-i', path])).code).toBe(2);
    expect((await run(['migrate', '-o', out, path])).code).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(`${log(HEADER, USER)}{"type":"mess\n`);
    expect(readdirSync(scratch)).not.toContain('damaged-out.jsonl');
    expect(readdirSync(scratch).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('says by its exit code whether a file would change', async () => {
    const old = file('check-old.jsonl', log(HEADER, USER));
    const current = file('check-current.jsonl', log('{"type":"session","version":3,"id":"s"}'));
    expect(await run(['migrate', '--check', current])).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['migrate', '--check', current, old])).toMatchObject({ code: 1, stdout: '' });
    expect(await run(['migrate', '-n', old])).toMatchObject({ code: 1, stdout: '' });
    expect(await run(['migrate', '--check'], { stdin: log(HEADER) })).toMatchObject({ code: 1, stdout: '' });
    expect(readFileSync(old, 'utf8')).toBe(log(HEADER, USER));
  });

  it('takes several files only with -i or --check', async () => {
    const path = file('several.jsonl', log(HEADER));
    const ran = await run(['migrate', path, path]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('several FILEs need -i or --check');
  });

  it('goes on with the other files after one that is refused', async () => {
    mkdirSync(join(scratch, 'many'), { recursive: true });
    const bad = file('many/bad.jsonl', log('{"type":"session","version":4,"id":"s"}'));
    const good = file('many/good.jsonl', log(HEADER));
    const ran = await run(['migrate', '-i', bad, join(scratch, 'none.jsonl'), good]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('bad.jsonl: has version 4');
    expect(ran.stderr).toContain('none.jsonl: no such file');
    expect(readFileSync(good, 'utf8')).toContain('"version":3');
  });

  const LISTED = "; 'sessionctl formats' lists what can be read";

  it.each([
    [
      'another agent',
      '{"parentUuid":null,"sessionId":"x","uuid":"u","type":"user","message":{"role":"user","content":"hi"}}\n',
      "a Claude Code transcript); 'sessionctl convert' makes one of it",
    ],
    ['a JSON document', '{\n  "name": "x"\n}\n', `one JSON document, not one JSON object per line)${LISTED}`],
    ['plain text', 'hello\nworld\n', `plain text)${LISTED}`],
  ])('says what a file of %s seems to be, and refuses it', async (_what, content, said) => {
    const ran = await run(['migrate', file('foreign.jsonl', content)]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/foreign\.jsonl: not a pi or omp session log \(looks like .+\n$/);
    expect(ran.stderr).toContain(`(looks like ${said}\n`);
  });

  it('refuses options that make no sense', async () => {
    for (const options of [['--to', '4'], ['--ids', 'uuid'], ['-i']]) {
      expect((await run(['migrate', ...options], { stdin: log(HEADER) })).code).toBe(2);
    }
  });

  it('gives the same from a file, from stdin and from the built program', async () => {
    const path = join(vectors, 'g901.jsonl');
    const fromFile = await run(['migrate', path]);
    const fromStdin = await run(['migrate'], { stdin: readFileSync(path) });
    const spawned = await spawnProgram(['migrate', path]);
    expect(fromStdin.stdout).toBe(fromFile.stdout);
    expect(spawned).toMatchObject({ code: 0, stdout: fromFile.stdout });
  });

  it('works in a pipe, and ends quietly when its reader goes away', async () => {
    const program = join(projectRoot, 'bin/sessionctl.js');
    const big = file('big.jsonl', log(HEADER, ...Array<string>(50_000).fill(USER)));
    const script = `"$0" "$1" migrate "$2" | head -1; echo "\${PIPESTATUS[0]}"`;
    const ran = await spawnCommand('bash', ['-c', script, process.execPath, program, big]);
    expect(ran.stdout).toBe(`${HEADER.slice(0, -1)},"version":3}\n0\n`);
    expect(ran.stderr).toBe('');
  });
});

describe('for any session', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const entry = fc.oneof(
    fc.record({
      type: fc.constant('message'),
      message: fc.record({ role: fc.constantFrom('user', 'hookMessage', 'assistant'), content: value }),
    }),
    fc.record({ type: fc.constant('message'), message: value }),
    fc.record({
      type: fc.constantFrom('custom', 'unheard_of', 'label'),
      data: value,
      timestamp: fc.string({ unit: 'binary' }),
    }),
    fc.record({
      type: fc.constant('compaction'),
      summary: fc.string({ unit: 'binary' }),
      firstKeptEntryIndex: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: -1, max: 12 }) },
        fc.double({ noNaN: true, min: -2, max: 9 }),
        fc.string(),
      ),
      later: value,
    }),
    fc.record({ type: fc.constant('session'), id: fc.string() }),
  );
  const session = fc
    .array(entry, { maxLength: 12 })
    .map((entries) => log(HEADER, ...entries.map((one) => JSON.stringify(one))));

  it('writes what the agents write, byte for byte, where the input is as they write it', async () => {
    await fc.assert(
      fc.asyncProperty(session, async (input) => {
        // Most entries may be of a type that is not known.
        expect((await migrate(input, '--from', 'pi')).stdout).toBe(byTheBook(input));
      }),
      settings(150),
    );
  });

  it('changes nothing the second time, and needs no more than one step at a time', async () => {
    await fc.assert(
      fc.asyncProperty(session, fc.constantFrom('stable', 'sequence'), async (input, ids) => {
        const migrate = ['migrate', '--from', 'pi', '--ids', ids];
        const once = await run(migrate, { stdin: input });
        expect(once.stdout).not.toBe('');
        expect((await run(migrate, { stdin: once.stdout })).stdout).toBe(once.stdout);
        const halfway = await run([...migrate, '--to', '2'], { stdin: input });
        expect((await run(migrate, { stdin: halfway.stdout })).stdout).toBe(once.stdout);
      }),
      settings(60),
    );
  });
});
