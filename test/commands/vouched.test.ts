import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const logs = readdirSync(join(projectRoot, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl') && !name.startsWith('repair'))
  .map((name) => join(projectRoot, 'fixtures', name));

/** All that a run says, with the scanner or without it. */
async function outcome(argv: readonly string[], stdin: readonly Buffer[], scanner: string): Promise<unknown> {
  const ran = await run(argv, { stdin, env: { SESSIONCTL_SCANNER: scanner } });
  return { code: ran.code, out: ran.stdoutBytes.toString('latin1'), err: ran.stderr };
}

describe('externalize and inline', () => {
  it('do the same with the compiled scanner, with its twin and without one, on every fixture', async () => {
    const store = join(scratch, 'blobs');
    mkdirSync(store);
    for (const path of logs) {
      // A first block shows that the log is ours; what follows goes the fast way.
      const log = [Buffer.from(HEADER + user('first', null)), readFileSync(path)];
      for (const command of ['externalize', 'inline']) {
        const argv = [command, '--blobs', store];
        const plain = await outcome(argv, log, 'off');
        expect({ path, command, ...((await outcome(argv, log, 'compiled')) as object) }).toEqual({ path, command, ...(plain as object) });
        expect(await outcome(argv, log, 'twin')).toEqual(plain);
      }
    }
  });
});
