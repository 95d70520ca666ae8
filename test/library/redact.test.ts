import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { run } from '../support/run.ts';
import { filled } from '../support/secrets.ts';
import { HEADER, user } from '../support/sessions.ts';

const TOKEN = filled('ghp_<36>');
const torn = '{"type":"message","id":"x';
const log = `${HEADER}${user('a', null, 'use wint3r-moon')}${user('b', 'a', `${TOKEN} password="wint3r-moon"`)}${torn}`;

async function redacted(...given: Parameters<typeof library.redact>) {
  const pieces: Uint8Array[] = [];
  const redacting = library.redact(...given);
  let next = await redacting.next();
  for (; !next.done; next = await redacting.next()) pieces.push(next.value);
  return { text: Buffer.concat(pieces).toString(), result: next.value };
}

async function* streamed(text: string): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < text.length; at += 50) yield Buffer.from(text.slice(at, at + 50));
}

describe('redact', () => {
  it('replaces secrets as the command does, and returns what was done', async () => {
    const { text, result } = await redacted(Buffer.from(log));
    expect(text).not.toMatch(/wint3r-moon|ghp_/);
    expect(result).toEqual({
      replaced: { 'github-token': 1, password: 2 },
      thinking: 0,
      refs: 0,
      damaged: [expect.objectContaining({ line: 4, rule: 'torn-line' })],
    });
    expect((await redacted(streamed(log))).text).toBe((await run(['redact'], { stdin: log })).stdout);
    expect((await redacted(() => streamed(log))).text).toBe(text);
  });

  it('gives a log without secrets back byte for byte', async () => {
    const clean = `${HEADER}${user('a', null, 'caf\u00e9 '.repeat(100_000))}`;
    for (const source of [Buffer.from(clean), () => streamed(clean)]) expect((await redacted(source)).text).toBe(clean);
  });

  it('takes the options of the command', async () => {
    const values: library.ReplacedValue[] = [];
    const options = {
      ignore: ['password'],
      allow: ['x'],
      emails: true,
      onMap: (one: library.ReplacedValue) => void values.push(one),
    };
    const { text } = await redacted(Buffer.from(log.replace('use ', 'ask ada@example.com, use ')), options);
    expect(text).toContain('wint3r-moon');
    expect(values).toEqual([
      { marker: '[redacted:email:1]', kind: 'email', value: 'ada@example.com' },
      { marker: '[redacted:github-token:1]', kind: 'github-token', value: TOKEN },
    ]);
    expect((await redacted(Buffer.from(log), { only: ['password'] })).text).toContain(TOKEN);
    expect((await redacted(Buffer.from(`{"a":"${TOKEN}"}\n`), { from: 'jsonl' })).text).not.toContain(TOKEN);
  });

  it('refuses wrong arguments, and what is no log of lines', async () => {
    const any = <Value>(value: unknown): Value => value as Value;
    expect(() => library.redact(any('log.jsonl'))).toThrow(TypeError);
    expect(() => library.redact(Buffer.alloc(0), { only: any('password') })).toThrow(
      "redact: only must be an array of strings, not 'password'",
    );
    expect(() => library.redact(Buffer.alloc(0), any({ map: 'f' }))).toThrow("redact: unknown option 'map'");
    await expect(redacted(Buffer.from(log), { ignore: ['pasword'] })).rejects.toThrow(
      new TypeError("redact: unknown kind 'pasword'"),
    );
    await expect(redacted(Buffer.from('{"a":1}\n'))).rejects.toMatchObject({ code: 'NOT_A_SESSION' });
  });

  it('can be left before its end', async () => {
    for await (const piece of library.redact(Buffer.from(`${HEADER}${user('a', null, 'x'.repeat(2_000_000))}`))) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });
});
