import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const session = '5f0c1c5e-8f0a-4c39-9d5c-0d2f3c5b7a10';

/** A log that is large enough to be read ahead, with lines of every kind. */
function largeLog(): Buffer {
  const lines: Buffer[] = [];
  let parent: string | null = null;
  for (let at = 0; at < 6000; at++) {
    const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const content = `${at} ${['word ', '漢字 ', '🙂 "', '\\ \n\u0001'][at % 4]}`.repeat(at % 3 === 0 ? 3 : 900);
    const record = {
      ...{ parentUuid: parent, isSidechain: false, type: 'user', message: { role: 'user', content: [] as unknown[] } },
      ...{ uuid, timestamp: new Date(1_700_000_000_000 + at).toISOString(), cwd: '/', sessionId: session },
    };
    record.message.content.push({ type: 'tool_result', tool_use_id: `call-${at}`, content });
    lines.push(Buffer.from(JSON.stringify(record)));
    if (at % 1500 === 700) lines.push(Buffer.from(`{"type":"user","content":"${'y'.repeat(2000)}`));
    if (at % 1500 === 800) lines.push(Buffer.concat([Buffer.from('{"type":"'), Buffer.of(0xff), Buffer.from('"}')]));
    if (at % 1500 === 900) lines.push(Buffer.from('{ "type": "system", "cost": 1.0 }\r'), Buffer.from(' '));
    parent = uuid;
  }
  lines.push(Buffer.from('{"type":"user","torn'));
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from('\n'), line])));
}

describe('a large log that another thread reads ahead', () => {
  const path = join(scratch, 'large.jsonl');
  const log = largeLog();
  writeFileSync(path, log);

  it('gives the same session and the same damage as one that is read line by line', async () => {
    const convert = async (name: string, env = {}) => {
      const output = join(scratch, name);
      const { code, stderr } = await spawnProgram(['convert', '-o', output, path], { env });
      return { code, stderr, session: readFileSync(output) };
    };
    const ahead = await convert('ahead.jsonl');
    const here = await convert('here.jsonl', { SESSIONCTL_SCANNER: 'off' });
    expect(log.length).toBeGreaterThan(32 * 1024 * 1024);
    expect(ahead.stderr).toBe(here.stderr);
    expect(ahead.session.equals(here.session)).toBe(true);
    expect(ahead.code).toBe(1);
    expect(ahead.stderr).toMatch(/9 lines|DAMAGED_LINE 9/);
  });
});
