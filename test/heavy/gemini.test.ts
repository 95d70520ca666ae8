import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const TURNS = 50_000;
const TEXT = 'what was said, and then said again '.repeat(8);

/** A session as Gemini CLI wrote it before 0.20: one JSON document on many lines. */
async function writeDocument(file: string): Promise<void> {
  const out = createWriteStream(file);
  out.write('{\n"sessionId": "a1b2", "projectHash": "c3d4", "startTime": "2026-01-01T00:00:00.000Z", "messages": [');
  for (let n = 0; n < TURNS; n++) {
    const timestamp = new Date(1_767_225_600_000 + n * 1000).toISOString();
    const response = { id: `call-${n}`, name: 'read_file', response: { output: `${TEXT}${n}` } };
    const call = { id: `call-${n}`, name: 'read_file', args: { path: `f${n}` }, status: 'success', timestamp };
    const messages = [
      { id: `u-${n}`, timestamp, type: 'user', content: `${TEXT}${n}` },
      {
        ...{ id: `m-${n}`, timestamp, type: 'gemini', content: TEXT, model: 'gemini-2.5-pro' },
        toolCalls: [{ ...call, result: [{ functionResponse: response }] }],
      },
    ];
    const text = messages.map((message) => JSON.stringify(message, null, 2)).join(',\n');
    if (!out.write(n === 0 ? text : `,\n${text}`)) await once(out, 'drain');
  }
  out.end(']\n}\n');
  await once(out, 'close');
}

test('a document of many messages is converted and listed in a heap that cannot hold them', async () => {
  const file = join(scratch, 'session-many.json');
  await writeDocument(file);
  for (const command of ['convert', 'log', 'context']) {
    const script = `"$0" --max-old-space-size=32 "$1" ${command} "$2" | wc -l`;
    const ran = await spawnCommand('bash', ['-o', 'pipefail', '-c', script, process.execPath, programPath, file]);
    expect(ran.stderr, command).not.toContain('heap out of memory');
    expect(Number(ran.stdout), command).toBeGreaterThanOrEqual(3 * TURNS);
  }
});
