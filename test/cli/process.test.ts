import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rawControls } from '../support/hostile.ts';
import { fixedEnv, programPath, projectRoot, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { hasTerminal, inTerminal } from '../support/terminal.ts';

const folder = scratchFolder();
const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n';
const LINE = '{"type":"label","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","targetId":"b"}\n';
const program = `'${process.execPath}' '${programPath}'`;

function bash(script: string): ReturnType<typeof spawnCommand> {
  return spawnCommand('bash', ['-c', script], { cwd: folder });
}

/** The program reading a stdin that stays open, as its own process. */
function waiting(): {
  kill: (signal: NodeJS.Signals) => Promise<void>;
  ended: Promise<{ code: number | null; stderr: string }>;
} {
  const child = spawn(process.execPath, [programPath, 'validate'], { env: fixedEnv, stdio: 'pipe' });
  child.stdin.write(header);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return {
    kill: async (signal) => {
      await until(() => isReady(child.pid));
      child.kill(signal);
    },
    ended: new Promise((done) => child.on('close', (code) => done({ code, stderr }))),
  };
}

/** Whether the program has its handlers: that for SIGHUP is the last, and Node has none by itself. */
function isReady(pid: number | undefined): boolean {
  if (!existsSync('/proc/self/status')) return performance.now() > 2_000;
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGHUP - 1)) & 1n) === 1n;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 10));
}

describe('the program as a process', () => {
  it('can be called in process with streams of the caller', async () => {
    const use = `
      import { PassThrough } from 'node:stream';
      import { main } from '${join(projectRoot, 'dist/main.cjs')}';
      const out = new PassThrough();
      const code = await main(['--version'], { stdin: new PassThrough().end(), stdout: out, stderr: new PassThrough(), env: {} });
      process.stdout.write(code + ' ' + out.read());
    `;
    const ran = await spawnCommand(process.execPath, ['--input-type=module', '-e', use]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^0 \d+\.\d+\.\d+\n$/);
  });

  it.skipIf(!hasTerminal)('writes all of a long report to a pipe that is full at times and does not wait', async () => {
    writeFileSync(join(folder, 'torn.jsonl'), header + '{"type":"label"\n'.repeat(5_000));
    const use = `
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(w, False)
ran = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=w)
os.close(w)
time.sleep(0.7)
print(os.fdopen(r).read().count('torn-line'), ran.wait())`;
    const argv = ['validate', '--pass', '--max-findings', '9999', join(folder, 'torn.jsonl')];
    const ran = await spawnCommand('python3', ['-c', use, process.execPath, programPath, ...argv]);
    expect(ran).toMatchObject({ stdout: '5000 1\n', stderr: '' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends with its own exit code at %s, quietly', async (signal, code) => {
    const { kill, ended } = waiting();
    await kill(signal);
    expect(await ended).toEqual({ code, stderr: '' });
  });

  it('ends in the middle of its work too, without a word about it', async () => {
    const line = '{"type":"label","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","targetId":"b"}';
    const ran = await bash(
      `{ echo '${header.trim()}'; yes '${line}'; } | { ${program} validate -q & pid=$!; sleep 0.7; kill -INT $pid; wait $pid; echo $?; }`,
    );
    expect(ran).toMatchObject({ stdout: '130\n', stderr: '' });
  });

  it('ends at once and quietly when the reader of its output goes away', async () => {
    const broken = header + '{"type":"label"\n'.repeat(200_000);
    writeFileSync(join(folder, 'big.jsonl'), broken);
    const ran = await bash(`${program} validate big.jsonl | head -1; echo "\${PIPESTATUS[@]}"`);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/^big\.jsonl:2: error: torn-line: .*\n1 0\n$/);
  });

  it.each(['status open', 'status open/a.jsonl', 'diff open/branches.jsonl'])(
    'exits as it would have where nobody reads the verdict: %s',
    async (call) => {
      mkdirSync(join(folder, 'open'), { recursive: true });
      for (const [name, copy] of Object.entries({ 'pending-call': 'a', branches: 'branches' }))
        copyFileSync(join(projectRoot, `fixtures/sessions/pi-${name}.jsonl`), join(folder, `open/${copy}.jsonl`));
      expect((await bash(`${program} ${call} | true; echo "\${PIPESTATUS[0]}"`)).stdout).toBe('1\n');
    },
  );

  it('keeps the pipe clean where nobody reads at all', async () => {
    for (const option of ['--help', '--version']) {
      const ran = await bash(`${program} ${option} | true; echo "\${PIPESTATUS[0]}"`);
      expect(ran).toMatchObject({ stdout: '0\n', stderr: '' });
    }
  });

  it('works with every standard stream closed', async () => {
    const ran = await bash(`${program} --version <&- >&- 2>&-; echo $?`);
    expect(ran.stdout).toMatch(/^[02]\n$/);
    expect(await bash(`${program} validate - <&-; echo $?`)).toMatchObject({
      stderr: expect.not.stringContaining('    at ') as string,
    });
  });

  it.skipIf(!existsSync('/dev/full'))('exits 2 when its output does not fit on the disk', async () => {
    for (const argv of ['--version', '--help', 'validate big.jsonl']) {
      expect(await bash(`${program} ${argv} > /dev/full; echo $?`)).toMatchObject({
        stdout: '2\n',
        stderr: 'sessionctl: standard output: no space left on the disk; free some space and run again\n',
      });
    }
  });

  it('writes to a file and behind what a file holds, and says why where it may not grow', async () => {
    writeFileSync(join(folder, 'log.jsonl'), header + LINE.repeat(5000));
    expect(
      await bash(
        `${program} migrate log.jsonl > out && ${program} migrate log.jsonl >> out && cat log.jsonl log.jsonl | cmp - out`,
      ),
    ).toEqual(expect.objectContaining({ code: 0, stdout: '', stderr: '' }));
    // What is written in one call may fit in part.
    writeFileSync(join(folder, 'short.jsonl'), header + LINE.repeat(1500));
    for (const name of ['log.jsonl', 'short.jsonl']) {
      expect(await bash(`ulimit -f 100; ${program} migrate ${name} > small; echo $?`)).toMatchObject({
        stdout: '2\n',
        stderr: 'sessionctl: standard output: the file would exceed a size limit; raise the limit or write elsewhere\n',
      });
    }
  });

  it('gives everything to a slow reader, also where another program has told the pipe not to wait', async () => {
    writeFileSync(join(folder, 'log.jsonl'), header + LINE.repeat(5000));
    const script = (before: string): string =>
      `{ ${before} ${program} migrate log.jsonl; echo $? > code; } | { sleep 0.5; cat; } | cmp - log.jsonl; cat code`;
    expect(await bash(script(''))).toMatchObject({ stdout: '0\n', stderr: '' });
    // Node lets nobody wait for a pipe that it writes to, until it ends.
    const other = `'${process.execPath}' -e 'process.stdout.write(""); require("fs").writeFileSync("ready", ""); setTimeout(() => {}, 1500)'`;
    const ran = await bash(script(`rm -f ready; ${other} & until [ -e ready ]; do sleep 0.05; done;`));
    expect(ran).toMatchObject({ stdout: '0\n', stderr: '' });
  });

  it('ends at a signal while its reader does not read', async () => {
    writeFileSync(join(folder, 'log.jsonl'), header + LINE.repeat(5000));
    const ran = await bash(
      `rm -f code; { ${program} migrate log.jsonl & pid=$!; sleep 0.7; kill -TERM $pid; wait $pid; echo $? > code; } | { until [ -s code ]; do sleep 0.1; done; }; cat code; rm code`,
    );
    expect(ran).toMatchObject({ stdout: '143\n', stderr: '' });
  });

  it('starts from a link and from any folder', async () => {
    const ran = await bash(`ln -sf '${programPath}' sc && ./sc --version`);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  it('says what to do where it was not built', async () => {
    const ran = await bash(
      `mkdir -p bare/bin && cp '${projectRoot}'/bin/* bare/bin/ && echo '{"type":"module"}' > bare/package.json && '${process.execPath}' bare/bin/sessionctl.js --version; echo $?`,
    );
    expect(ran).toMatchObject({
      stdout: '2\n',
      stderr: "sessionctl: the program is not built; run 'npm ci' in its folder\n",
    });
  });

  it('reads /dev/stdin and a FIFO like any other file', async () => {
    writeFileSync(join(folder, 'one.jsonl'), header);
    expect(await bash(`${program} validate /dev/stdin < one.jsonl`)).toMatchObject({ code: 0 });
    expect(await bash(`mkfifo f && { cat one.jsonl > f & } && ${program} validate f`)).toMatchObject({ code: 0 });
  });

  it('takes a file whose name starts with a dash behind --', async () => {
    writeFileSync(join(folder, '-x.jsonl'), header);
    expect(await spawnProgram(['validate', '--', '-x.jsonl'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await spawnProgram(['validate', '-x.jsonl'], { cwd: folder })).toMatchObject({ code: 2 });
  });
});

describe.skipIf(!hasTerminal)('a real terminal', () => {
  it('is not waited for where no file is named', async () => {
    expect(await inTerminal('sessionctl validate')).toEqual({
      code: 2,
      shown: expect.stringMatching(
        /^sessionctl: validate: no FILE given and standard input is a terminal\nusage: .*\n.*\n$/,
      ) as string,
    });
  });

  it('gets color and no raw controls', async () => {
    writeFileSync(
      join(folder, 'ugly.jsonl'),
      `${header}{"type":"label","id":"\\u001b[2J","parentId":"\\u001b[2Jgone"\n`,
    );
    const { code, shown } = await inTerminal('sessionctl validate ugly.jsonl', { cwd: folder });
    expect(shown).toContain('\u001b[31merror');
    expect(code).toBe(1);
    expect(rawControls(shown)).toEqual([]);
  });

  it('gets what needs no input: a rule explained and the list of rules, also in front of a pager', async () => {
    const plain = { env: { NO_COLOR: '1' } };
    const explained = (await spawnProgram(['validate', '--explain', 'dangling-parent'])).stdout;
    expect(await inTerminal('sessionctl validate --explain dangling-parent', plain)).toEqual({
      code: 0,
      shown: explained,
    });
    expect(await inTerminal('sessionctl validate --explain dangling-parent | cat', plain)).toEqual({
      code: 0,
      shown: explained,
    });
    const rules = (await spawnProgram(['validate', '--list-rules'])).stdout;
    expect(await inTerminal('sessionctl validate --list-rules', plain)).toEqual({ code: 0, shown: rules });
  });

  it('gets rows that fit, whatever the characters', async () => {
    const message = { role: 'user', content: '\u2705 done \u26a1 '.repeat(30) };
    const entry = { type: 'message', id: 'a', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message };
    writeFileSync(join(folder, 'emoji.jsonl'), `${header}${JSON.stringify(entry)}\n`);
    const { shown } = await inTerminal('sessionctl log emoji.jsonl', {
      cwd: folder,
      columns: 60,
      env: { NO_COLOR: '1' },
    });
    expect(shown).toMatch(/^a \(@\) user +\u2705 done .*\u2026\n$/);
    // Each of these two takes two columns.
    const columns = [...shown.trimEnd()].reduce((sum, one) => sum + (/[\u2705\u26a1]/.test(one) ? 2 : 1), 0);
    expect(columns).toBeLessThanOrEqual(60);
    expect(columns).toBeGreaterThan(56);
  });

  it('is taken for 80 columns wide where it does not know its width', async () => {
    const wide = async (columns: number): Promise<string> =>
      (await inTerminal('sessionctl log emoji.jsonl; sessionctl tree emoji.jsonl', { cwd: folder, columns })).shown;
    expect(await wide(0)).toBe(await wide(80));
  });
});
