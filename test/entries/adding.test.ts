import { describe, expect, it } from 'vitest';
import { type Body, entryLine, misfit, readBody } from '../../src/entries/new-entry.ts';
import { Line } from '../../src/lines/line.ts';
import { LogTail } from '../../src/log/log-tail.ts';

const line = (text: string, number = 1, terminated = true): Line =>
  new Line(number, 0, Buffer.from(text, 'utf8').toString('latin1'), terminated, 'invalid');
const envelope = { id: '0000abcd', parentId: null, timestamp: '2026-01-01T00:00:00.000Z' };

describe('the body of an entry that is to be added', () => {
  it.each([
    ['', 'is blank'],
    ['{"type":', 'is not a complete JSON object (torn-line)'],
    ['[]', 'is not a complete JSON object (not-an-object)'],
    ['\ufeff{"type":"custom"}', 'starts with a byte order mark'],
    ['{"type":"custom","id":"x"}', "already has 'id'; id, parentId and timestamp are set when the entry is added"],
    [
      '{"type":"custom","timestamp":null}',
      "already has 'timestamp'; id, parentId and timestamp are set when the entry is added",
    ],
    ['{"customType":"x"}', "has no string 'type'"],
    ['{"type":"session"}', "is of type 'session', which is not an entry"],
    ['{"type":"title"}', "is of type 'title', which is not an entry"],
  ])('%j %s', (text, why) => {
    expect(readBody(line(text))).toBe(why);
  });

  it('gets its envelope behind its type, and every byte of it stays', () => {
    const body = readBody(line('  { "n" : 1.0, "type" : "custom" , "customType":"\u00e9"}\r')) as Body;
    expect(Buffer.from(entryLine(body, envelope), 'latin1').toString('utf8')).toBe(
      '{ "n" : 1.0, "type" : "custom","id":"0000abcd","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z" , "customType":"\u00e9"}\n',
    );
  });

  it('does not fit where an agent would stumble, or the other dialect is spoken', () => {
    const why = (text: string, dialect?: 'pi' | 'omp'): string | undefined =>
      misfit(readBody(line(text)) as Body, envelope, 3, dialect);
    expect(why('{"type":"custom","customType":"x","anything":1}')).toBeUndefined();
    expect(why('{"type":"something_new"}')).toBeUndefined();
    expect(why('{"type":"message"}')).toBe('does not match the schema: expected an object at message, found nothing');
    expect(why('{"type":"message","message":{"role":7}}')).toContain('message.role');
    expect(why('{"type":"session_info","name":"x"}', 'omp')).toBe(
      'is an entry in the form that pi writes, but this is a log of omp, which would not read it that way',
    );
    expect(why('{"type":"session_info","name":"x"}', 'pi')).toBeUndefined();
  });
});

describe('the end of a log that is added to', () => {
  const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}';
  const entry = (id: string): string => `{"type":"custom","id":${id},"parentId":null,"timestamp":"x","customType":"x"}`;
  function seen(...texts: string[]): LogTail {
    const tail = new LogTail('log.jsonl', (bytes) => new Uint8Array(bytes).fill(7));
    for (const [at, text] of texts.entries()) tail.see(line(text, at + 1));
    return tail;
  }

  it('is the last entry; blank lines, a title slot and further headers are none', () => {
    const tail = seen(
      '{"type":"title","v":1,"title":"t","pad":""}',
      HEADER,
      entry('"a"'),
      '',
      HEADER.replace('3', '2'),
      '  ',
    );
    expect([tail.leaf, tail.version, tail.lines]).toEqual(['a', 3, 6]);
    expect(() => tail.end()).not.toThrow();
    expect(seen(HEADER).leaf).toBeNull();
  });

  it('cannot be named where the last entry has no id', () => {
    for (const id of ['7', '""']) {
      const tail = seen(HEADER, entry('"a"'), entry(id));
      expect(() => tail.leaf).toThrow(
        "log.jsonl: the last entry, line 3, has no id that the next one could use as its parent; run 'sessionctl repair' first",
      );
    }
  });

  it('is never given an id that is there', () => {
    const first = seen(HEADER).newId();
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    let draws = 0;
    const tail = new LogTail('log.jsonl', (bytes) => new Uint8Array(bytes).fill(draws++ < 2 ? 7 : 8));
    for (const [at, text] of [HEADER, entry(`"${first}"`)].entries()) tail.see(line(text, at + 1));
    expect(tail.newId()).toBe('08080808');
  });

  it.each<[string, string[]]>([
    ['starts with a byte order mark', [`\ufeff${HEADER}`]],
    ['line 2 is damaged (torn-line)', [HEADER, '{"type":']],
    ['an entry comes before the header', [entry('"a"'), HEADER]],
    ['version 4 is unknown', [HEADER.replace('3', '4')]],
    ['is a version 1 log', ['{"type":"session","id":"s"}']],
  ])('is refused: %s', (why, texts) => {
    expect(() => seen(...texts)).toThrow(`log.jsonl: ${why}`);
  });

  it('is refused where the last line is open, and where there is no header at all', () => {
    const tail = seen(HEADER);
    expect(() => tail.see(line(entry('"a"'), 2, false))).toThrow('the last line has no newline');
    expect(() => seen('', ' ').end()).toThrow('log.jsonl: has no header');
    expect(() => seen().end()).not.toThrow();
  });
});
