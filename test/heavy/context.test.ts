import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const GIGABYTE = 1_000_000_000;

/** One long conversation with tool calls, and now and then an image of 3 MB. */
async function writeLog(file: string, bytes: number): Promise<number> {
  const out = createWriteStream(file);
  const stamp = '2026-01-01T00:00:00.000Z';
  let entries = 0;
  let written = 0;
  const line = async (text: string): Promise<void> => {
    written += text.length + 1;
    if (!out.write(`${text}\n`)) await once(out, 'drain');
  };
  const message = async (body: object): Promise<void> => {
    const parentId = entries === 0 ? null : `e${entries - 1}`;
    await line(JSON.stringify({ type: 'message', id: `e${entries}`, parentId, timestamp: stamp, message: body }));
    entries++;
  };
  await line(JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: stamp, cwd: '/w' }));
  while (written < bytes) {
    await message({ role: 'user', content: [{ type: 'text', text: 'word '.repeat(50 + (entries % 90)) }] });
    const call = { type: 'toolCall', id: `call_${entries}`, name: 'read', arguments: { path: 'a.ts' } };
    await message({
      role: 'assistant',
      content: [{ type: 'text', text: 'I look.' }, call],
      provider: 'anthropic',
      model: 'm',
    });
    const image = entries % 4_001 === 2 ? [{ type: 'image', data: 'A'.repeat(3_000_000), mimeType: 'image/png' }] : [];
    const text = 'a line of output\n'.repeat(40 + (entries % 300));
    await message({
      role: 'toolResult',
      toolCallId: call.id,
      toolName: 'read',
      content: [{ type: 'text', text }, ...image],
    });
  }
  out.end();
  await once(out, 'close');
  return entries;
}

test('a gigabyte on one path leaves message by message, in a heap that could not hold a tenth of it', {
  timeout: 900_000,
}, async () => {
  const file = join(scratch, 'gigabyte.jsonl');
  const entries = await writeLog(file, GIGABYTE);
  for (const [options, heap] of [
    ['', 64],
    ['--profile pi', 64],
    ['--state', 64],
    ['--explain', 64],
    ['--profile omp', 96],
    ['--as anthropic', 96],
    ['--as openai', 96],
  ] as const) {
    const script = `"$0" --max-old-space-size=${heap} "$1" context ${options} "$2" | wc -l`;
    const ran = await spawnCommand('bash', ['-o', 'pipefail', '-c', script, process.execPath, programPath, file]);
    expect(ran, options).toMatchObject({ code: 0, stderr: '' });
    // For anthropic a result and what the user says next are one message.
    expect(Number(ran.stdout)).toBeGreaterThanOrEqual(options === '--state' ? 1 : entries / 2);
  }
});
