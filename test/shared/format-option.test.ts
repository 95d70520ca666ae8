import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';
import { addToyFormat } from '../support/toy-format.ts';

addToyFormat();
const scratch = scratchFolder();
const CERTAIN = '{"toy":1}\n{"say":"first"}\n{"say":"second"}\n';
const PROBABLE = CERTAIN.replace('1', '2');
const NAMELESS = CERTAIN.replace('"toy"', '"toys"');
const codex = readFileSync(join(projectRoot, 'fixtures', 'foreign', 'codex.jsonl'));

/** Every command that reads one log, with what else it needs. */
const READERS: readonly (readonly string[])[] = [
  ['log'],
  ['tree'],
  ['context'],
  ['status'],
  ['export'],
  ['fork', '-', '@'],
  ['diff', '-', '@~1', '@'],
];

describe("another agent's log", () => {
  it('is read by every reader', async () => {
    for (const argv of READERS) {
      const ran = await run(argv, { stdin: CERTAIN });
      expect(ran.stdout, argv[0]).not.toBe('');
      expect(ran, argv[0]).toMatchObject({ code: argv[0] === 'diff' ? 1 : 0, stderr: '' });
    }
  });

  it('is named once on a terminal, and only there', async () => {
    const ran = await run(['log'], { stdin: CERTAIN, stderrIsTerminal: true });
    expect(ran.stderr).toBe('sessionctl: reading a toy log (0.1)\n');
  });

  it('is read with a note that names its format where that is only probable', async () => {
    const said = "sessionctl: -: warning: probably a toy log, and read as one; '--from toy' confirms it\n";
    for (const argv of READERS) {
      const ran = await run(argv, { stdin: PROBABLE });
      expect(ran.stdout, argv[0]).not.toBe('');
      expect(ran.stderr, argv[0]).toBe(said);
      expect((await run([...argv, '--from', 'toy'], { stdin: PROBABLE })).stderr, argv[0]).toBe('');
    }
  });

  it('is read by --from though nothing at its start shows what it is', async () => {
    expect((await run(['log'], { stdin: NAMELESS })).code).toBe(2);
    const ran = await run(['log', '--from', 'toy'], { stdin: NAMELESS });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('second');
  });

  it('is refused where it does not fit --from, and said to be what it looks like', async () => {
    const refusal = async (from: string, stdin: string | Buffer): Promise<string> => {
      const ran = await run(['log', '--from', from], { stdin });
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      return ran.stderr;
    };
    const unfit = "sessionctl: -: does not fit '--from toy'; it looks like";
    expect(await refusal('toy', codex)).toBe(`${unfit} a Codex rollout\n`);
    expect(await refusal('toy', HEADER + user('a', null))).toBe(`${unfit} a pi or omp session log\n`);
    expect(await refusal('toy', '{"meta":1}\n{"meta":2}\n')).toBe(`${unfit} JSON Lines in an unknown format\n`);
    expect(await refusal('toy', 'notes\nmore notes\n')).toBe(`${unfit} plain text\n`);
    expect(await refusal('pi', CERTAIN)).toBe("sessionctl: -: does not fit '--from pi'; it looks like a toy log\n");
    expect(await refusal('nothing', CERTAIN)).toContain('toy');
  });

  it('is read with notes about losses that change what is shown, and about damaged lines', async () => {
    const log = `${CERTAIN}{"loss":"COMPACTION_HALF","severity":"lossy"}\n{"loss":"TIME_SYNTH","severity":"info"}\n{"say":"th`;
    const file = join(scratch, 'losses.jsonl');
    writeFileSync(file, log);
    const ran = await run(['log', file]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      `sessionctl: ${file}:4: a compaction has no summary, so what it replaced is still shown\n` +
        `sessionctl: ${file}: line 6 is damaged (torn-line) and was left out\n`,
    );
  });

  it.each([
    ['validate', "looks like a toy log, which is read and not checked; check what 'sessionctl convert' makes of it"],
    ['repair', 'repair does not write logs of this format (looks like a toy log); nothing was written'],
    ['migrate', "not a pi or omp session log (looks like a toy log); 'sessionctl convert' makes one of it"],
    ['inline', "not a pi or omp session log (looks like a toy log); 'sessionctl convert' makes one of it"],
  ])('is refused by %s, which does not take its format, in one line', async (command, reason) => {
    const ran = await run([command], { stdin: CERTAIN });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`-: ${reason}\n`);
  });
});
