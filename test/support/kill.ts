import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Starts a program that rewrites a file for ever, kills it at a moment nobody chose, and looks at the file; many times. */
export async function killWhileRewriting(
  program: string,
  folder: string,
  times: number,
): Promise<{ readonly whole: number; readonly torn: readonly string[] }> {
  const file = join(folder, 'f');
  const old = `a${'x'.repeat(199)}\n`.repeat(1500);
  const swapped = `b${'x'.repeat(199)}\n`.repeat(1500);
  writeFileSync(file, old);
  let whole = 0;
  const torn: string[] = [];
  for (let time = 0; time < times; time++) {
    const child = spawn(process.execPath, [program, '-i', '--for-ever', file], { stdio: 'ignore' });
    const gone = new Promise((done) => child.on('close', done));
    await changed(file);
    // A rewrite takes a few milliseconds, so this falls on every part of it.
    await new Promise((later) => setTimeout(later, (time * 7) % 23));
    child.kill('SIGKILL');
    await gone;
    const now = readFileSync(file, 'latin1');
    if (now === old || now === swapped) whole++;
    else torn.push(`${now.length} bytes`);
  }
  return { whole, torn };
}

async function changed(file: string): Promise<void> {
  const first = readFileSync(file, 'latin1')[0];
  while (readFileSync(file, 'latin1')[0] === first) await new Promise((later) => setTimeout(later, 5));
}
