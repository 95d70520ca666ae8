import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedEnv, programPath, spawnProgram } from './run.ts';

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

/**
 * Moves the images of a log out and back in by the real program, in place, and kills it at moments spread over its run.
 * Tells which moments left the old file and which the new one.
 */
export async function killRealRewrites(
  folder: string,
  times: number,
): Promise<{ readonly old: number; readonly replaced: number; readonly torn: readonly string[] }> {
  const file = join(folder, 'f.jsonl');
  const blobs = join(folder, 'blobs');
  const image = (number: number): string =>
    `{"type":"message","id":"${number}","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"image","data":"${Buffer.alloc(60_000, number).toString('base64')}","mimeType":"image/png"}]}}\n`;
  const whole = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n${Array.from({ length: 60 }, (_, at) => image(at)).join('')}`;
  writeFileSync(file, whole);
  const begun = Date.now();
  await spawnProgram(['externalize', '-i', '--blobs', blobs, file]);
  const duration = Date.now() - begun;
  const slim = readFileSync(file, 'latin1');
  const torn: string[] = [];
  const count = { old: 0, replaced: 0 };
  for (let time = 0; time < times; time++) {
    const inline = readFileSync(file, 'latin1') === slim;
    const child = spawn(
      process.execPath,
      [programPath, inline ? 'inline' : 'externalize', '-i', '--blobs', blobs, file],
      {
        stdio: 'ignore',
        env: fixedEnv,
      },
    );
    const gone = new Promise((done) => child.on('close', done));
    const moment = duration * (0.3 + (0.8 * ((time * 7) % times)) / times);
    const timer = setTimeout(() => child.kill('SIGKILL'), moment);
    await gone;
    clearTimeout(timer);
    const now = readFileSync(file, 'latin1');
    if (now === (inline ? slim : whole)) count.old++;
    else if (now === (inline ? whole : slim)) count.replaced++;
    else torn.push(`${now.length} bytes`);
  }
  return { ...count, torn };
}

async function changed(file: string): Promise<void> {
  const first = readFileSync(file, 'latin1')[0];
  while (readFileSync(file, 'latin1')[0] === first) await new Promise((later) => setTimeout(later, 5));
}
