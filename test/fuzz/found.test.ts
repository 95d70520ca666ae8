import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

/** What the fuzzer found, each with the log that showed it. */
const fixture = (name: string): string => join(projectRoot, 'fixtures/fuzz', name);

describe('what the fuzzer found', () => {
  it.each(['externalize', 'inline'])(
    'lets %s pass a byte order mark through with a note and exit 1, as any other damage',
    async (command) => {
      const path = fixture('byte-order-mark.jsonl');
      const ran = await run([command, '--blobs', scratchFolder(), path]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('line 1 is damaged (byte-order-mark) and is passed through unchanged');
      expect(ran.stdoutBytes).toEqual(readFileSync(path));
    },
  );

  it('lets every command know a log by a header whose bytes are damaged, as repair does', async () => {
    const path = fixture('broken-header.jsonl');
    expect((await run(['repair', path])).code).toBe(0);
    for (const [command, code] of [
      ['validate', 1],
      ['tree', 1],
      ['log', 1],
      ['migrate', 2],
    ] as const) {
      const ran = await run([command, path]);
      expect(ran.code, command).toBe(code);
      expect(ran.stdout + ran.stderr).not.toContain('session log (looks like');
    }
  });
});
