import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const folder = scratchFolder();
const TIME = '"timestamp":"2026-01-01T00:00:01.000Z"';
let files = 0;

function fileOf(log: string | Buffer): string {
  const path = join(folder, `log-${files++}.jsonl`);
  writeFileSync(path, log);
  return path;
}

/** Every command that reads a log, called plainly. */
const READERS: readonly (readonly string[])[] = [
  ...[
    ['validate'],
    ['migrate'],
    ['repair'],
    ['context'],
    ['context', '--as', 'anthropic'],
    ['context', '--as', 'openai'],
    ['context', '--explain'],
  ],
  ...[
    ['context', '--state'],
    ['tree'],
    ['tree', '--leaves'],
    ['tree', '--json'],
    ['log'],
    ['log', '--json'],
    ['diff'],
    ['status'],
    ['status', '--json'],
  ],
  ...[
    ['externalize', '--blobs', 'BLOBS'],
    ['inline', '--blobs', 'BLOBS'],
    ['blobs', 'ls', '--blobs', 'BLOBS'],
    ['export'],
    ['export', '--format', 'html'],
  ],
];

const blobs = join(folder, 'blobs');
mkdirSync(blobs);

/** What every command has to say about a log; none may crash. */
async function callAll(log: string): Promise<Map<string, { code: number; stdout: string; stderr: string }>> {
  const path = fileOf(log);
  const calls = [
    ...READERS.map((words) => [...words.map((word) => (word === 'BLOBS' ? blobs : word)), path]),
    ['fork', path, '@'],
  ];
  const all = new Map<string, { code: number; stdout: string; stderr: string }>();
  for (const argv of calls) {
    const ran = await run(argv);
    const name = argv.slice(0, -1).join(' ').replace(` ${path}`, '').replace(blobs, 'BLOBS');
    expect(ran.stderr, name).not.toContain('a bug in sessionctl');
    expect(ran.stderr, name).not.toMatch(/^\s+at .*:\d+:\d+/m);
    expect([0, 1, 2], name).toContain(ran.code);
    all.set(name, ran);
  }
  expect(readFileSync(path, 'utf8')).toBe(log);
  return all;
}

const NUMBERS = '[123456789012345678901234567890,1.0,-0,1e400,-1E+400,1e-7,0.10,9007199254740993]';

describe('what JSON.parse would change', () => {
  const odd = `{"type":"custom","id":"n","parentId":null,${TIME},"customType":"x","data":{"numbers":${NUMBERS},"a":1,"a":2,"__proto__":{"x":1.0},"constructor":{"prototype":-0},"\\u0061":"\\ud800 \\/ \\u0041"}}\n`;

  it.each([
    ['migrate'],
    ['repair'],
    ['externalize', '--blobs', blobs, '--min-chars', '1'],
    ['inline', '--blobs', blobs],
  ])('leaves %s byte for byte', async (...words) => {
    const log = `${HEADER}${odd}${user('a', 'n')}`;
    const ran = await run([...words, fileOf(log)]);
    expect(ran.stdout).toBe(log);
  });

  it('leaves migrate of version 1 byte for byte, but for the id', async () => {
    const old = `{"type":"message",${TIME},"message":{"role":"user","content":"x","odd":${NUMBERS},"k":1,"k":2,"__proto__":{"y":1.0}}}`;
    const ran = await run([
      'migrate',
      '--ids',
      'sequence',
      fileOf(`{"type":"session","id":"s",${TIME},"cwd":"/"}\n${old}\n`),
    ]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\n')[1]).toBe(`${old.slice(0, -1)},"id":"00000001","parentId":null}`);
  });

  it('leaves fork byte for byte', async () => {
    const ran = await run(['fork', fileOf(`${HEADER}${odd}${user('a', 'n')}`), '@']);
    expect(ran.code).toBe(0);
    expect(ran.stdout.slice(ran.stdout.indexOf('\n') + 1)).toBe(odd + user('a', 'n'));
  });

  it('leaves repair byte for byte where a neighbor is repaired, and where the entry itself gets a parent', async () => {
    const lost = odd.replace('"parentId":null', '"parentId":"gone"');
    const ran = await run(['repair', fileOf(`${HEADER}${user('a', null)}${lost}{"torn`)]);
    expect(ran.stdout).toBe(`${HEADER}${user('a', null)}${odd.replace('"parentId":null', '"parentId":"a"')}`);
  });

  it('leaves a message that the model sees as the text of the log', async () => {
    const message = `{"role":"user","content":"x","odd":${NUMBERS},"__proto__":{"y":1.0},"content":"second"}`;
    const ran = await run([
      'context',
      fileOf(`${HEADER}{"type":"message","id":"a","parentId":null,${TIME},"message":${message}}\n`),
    ]);
    expect(ran.stdout).toBe(`${message}\n`);
  });
});

describe('every command', () => {
  it('takes keys and values that are names of what objects have', async () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];
    const lines = names.map((name, at) => user(name, at === 0 ? null : (names[at - 1] as string)));
    const labels = names.map(
      (name, at) =>
        `{"type":"label","id":"l${at}","parentId":"valueOf",${TIME},"targetId":"${name}","label":"${name}"}\n`,
    );
    const typed = names.map(
      (name, at) => `{"type":"${name}","id":"t${at}","parentId":"valueOf",${TIME},"__proto__":null,"constructor":7}\n`,
    );
    const call = `{"type":"message","id":"c","parentId":"valueOf",${TIME},"message":{"role":"assistant","content":[{"type":"toolCall","id":"__proto__","name":"constructor","arguments":{"__proto__":1}}],"provider":"__proto__","model":"constructor","stopReason":"toolUse"}}\n`;
    const all = await callAll(HEADER + lines.join('') + labels.join('') + typed.join('') + call);
    expect(all.get('validate')?.stdout).not.toContain(': error: ');
    expect(all.get('context')?.stdout.split('\n').length).toBe(7);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('takes an id that is an object, a number, an array or empty', async () => {
    const odd = ['{"a":1}', '7', '[]', '""', 'true'].map(
      (id) => `{"type":"message","id":${id},"parentId":${id},${TIME},"message":{"role":"user","content":"x"}}\n`,
    );
    const all = await callAll(HEADER + user('a', null) + odd.join(''));
    expect(all.get('validate')?.stdout).toContain('log-');
    expect(all.get('validate')?.stdout).toContain(': error: wrong-type: ');
    expect(all.get('repair')?.code).toBe(0);
  });

  it('takes lines that are arrays, numbers and strings', async () => {
    const all = await callAll(`${HEADER}[]\n[1,2]\n7\n"x"\nnull\n${user('a', null)}`);
    expect(all.get('validate')?.stdout.match(/not-an-object/g)).toHaveLength(5);
    expect(all.get('migrate')?.stderr).toContain("line 2 is damaged (not-an-object); run 'sessionctl repair' first");
    expect(all.get('repair')?.stdout).toBe(HEADER + user('a', null));
  });

  it('takes lone surrogates, in values, keys, ids and labels', async () => {
    const id = '\\ud800';
    const log = `${HEADER}{"type":"message","id":"${id}","parentId":null,${TIME},"message":{"role":"user","content":"\\udfff\\ud800","\\udc00":1}}\n{"type":"label","id":"l","parentId":"${id}",${TIME},"targetId":"${id}","label":"\\ud83d"}\n`;
    const all = await callAll(log);
    expect(all.get('validate')?.stdout).toContain('warning: lone-surrogate: ');
    for (const name of ['migrate', 'repair']) expect(all.get(name)?.stdout, name).toBe(log);
  });

  it('takes a key of a megabyte', async () => {
    const key = 'k'.repeat(1 << 20);
    const log = `${HEADER}{"type":"message","id":"a","parentId":null,${TIME},"${key}":1,"message":{"role":"user","content":"x","${key}":2}}\n`;
    const all = await callAll(log);
    for (const name of ['migrate', 'repair']) expect(all.get(name)?.stdout === log, name).toBe(true);
    expect(all.get('validate')?.stdout).not.toContain(': error: ');
  });

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('takes %s that are nested 100,000 deep: a finding, and no crash', async (_, opening, closing) => {
    const deep = `${opening.repeat(100_000)}1${closing.repeat(100_000)}`;
    const entries = [
      `{"type":"custom","id":"d","parentId":"a",${TIME},"customType":"x","data":${deep}}\n`,
      `{"type":"message","id":"e","parentId":"d",${TIME},"message":{"role":"user","content":"x","deep":${deep}}}\n`,
      `{"type":"message","id":"f","parentId":"e",${TIME},"message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"bash","arguments":{"deep":${deep}}}],"stopReason":"toolUse"}}\n`,
    ];
    const log = HEADER + user('a', null) + entries.join('');
    const all = await callAll(log);
    expect(all.get('validate')?.stdout.match(/: warning: deep-nesting: |: error: /g)?.length).toBeGreaterThanOrEqual(3);
    for (const name of ['migrate', 'repair'])
      if (all.get(name)?.code === 0) expect(all.get(name)?.stdout === log, name).toBe(true);
  });

  it('tells a header whose version and id are nested 100,000 deep in one short line', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const all = await callAll(
      `{"type":"session","version":${deep},"id":${deep},${TIME},"cwd":"/"}\n${user('a', null)}`,
    );
    expect(all.get('migrate')).toMatchObject({ code: 2 });
    for (const [name, { stderr }] of all) expect(stderr.length, name).toBeLessThan(1000);
  });

  it('takes a cycle of 10,000 entries', async () => {
    const size = 10_000;
    const lines = Array.from({ length: size }, (_, at) => user(`n${at}`, `n${(at + 1) % size}`));
    const path = fileOf(HEADER + lines.join(''));
    const checked = await run(['validate', '--format', 'json', path]);
    const cycles = checked.stdout.split('\n').filter((line) => line.includes('"parent-cycle"'));
    expect(cycles).toHaveLength(1);
    expect(JSON.parse(cycles[0] as string)).toMatchObject({ line: 2 });
    for (const argv of [
      ['context', path],
      ['tree', path],
      ['log', '-n', '1', path],
      ['status', path],
      ['fork', path, '@'],
      ['export', path],
      ['diff', path],
    ]) {
      const ran = await run(argv);
      expect(ran.stderr, argv[0]).not.toContain('a bug in sessionctl');
      expect([0, 1, 2], argv[0]).toContain(ran.code);
    }
    const repaired = await run(['repair', path]);
    expect(repaired.code).toBe(0);
    expect((await run(['validate', '-q', '-'], { stdin: repaired.stdoutBytes })).code).toBe(0);
  });

  it('keeps ids apart that collide in common hashes', async () => {
    // Pairs with the same sum and the same 31-fold hash ('Aa' and 'BB'), many times over.
    const words = Array.from({ length: 1024 }, (_, at) =>
      Array.from({ length: 10 }, (_, bit) => ((at >> bit) & 1 ? 'Aa' : 'BB')).join(''),
    );
    const log = HEADER + words.map((id, at) => user(id, at === 0 ? null : (words[at - 1] as string))).join('');
    const path = fileOf(log);
    expect((await run(['validate', path])).stdout).toBe('');
    const context = await run(['context', path]);
    expect(context.stdout.trimEnd().split('\n')).toHaveLength(1024);
  });
});
