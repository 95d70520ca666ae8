import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRandom } from '../bench/texts.ts';
import { type Ran, run } from '../support/run.ts';
import { type Call, drawCall, HEALTHY, LOG } from './calls.ts';
import { judge } from './judge.ts';
import { BLOBS, type Draw, grown, mutated } from './mutate.ts';
import { hasProgram, MOST_PEAK_MB, runAlone } from './programs.ts';

const CALLS_PER_CASE = 4;
/** One call of so many goes to a process of its own. */
const ALONE = 1 / 24;
/** Nothing that a case holds takes so long. */
export const HANG_SECONDS = 30;

export interface Failure {
  readonly seed: number;
  readonly number: number;
  readonly argv: readonly string[];
  readonly problem: string;
  /** The log, one character a byte. */
  readonly log: string;
}

interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
  readonly seconds: number;
  /** Told before every call, so that somebody who watches knows where a hang is. */
  readonly before?: (failure: Failure) => void;
  /** The first case; those before it are skipped. */
  readonly from?: number;
}

export interface FuzzResult {
  readonly cases: number;
  readonly calls: number;
  /** Calls of the built program as a process of its own. */
  readonly alone: number;
  /** The most memory that such a process had, in MB. */
  readonly peak: number;
  /** How often each command was called. */
  readonly commands: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

/** Logs to begin with, one character a byte. */
interface Stock {
  /** Whole sessions of all dialects and versions. */
  readonly healthy: readonly string[];
  /** Everything else that the fixtures have: each shows one thing, and many are damaged. */
  readonly odd: readonly string[];
}

export function stockOf(root: string): Stock {
  const read = (path: string): string => readFileSync(join(root, 'fixtures', path), 'latin1');
  const names = readdirSync(join(root, 'fixtures'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  return {
    healthy: names.filter((name) => name.startsWith('sessions/')).map(read),
    odd: names.filter((name) => !name.startsWith('sessions/')).map(read),
  };
}

/** How a call is made. */
interface Way {
  readonly isTerminal: boolean;
  /** As a process of its own, and how that is treated. */
  readonly alone?: { readonly throughPipe: boolean; readonly closeAfter?: number; readonly stopAfter?: number };
}

/**
 * Calls the program on logs that nobody would write by hand, until so many cases were tried or so much time has passed:
 * mostly in this process, now and then as one of its own. The working directory becomes a scratch folder, and is put back.
 */
export async function fuzz(root: string, options: FuzzOptions): Promise<FuzzResult> {
  const stock = stockOf(root);
  const bench = new Bench(root, stock.healthy[0] as string);
  const end = Date.now() + options.seconds * 1000;
  const failures: Failure[] = [];
  const commands: Record<string, number> = {};
  const canBeAlone = hasProgram(root);
  let calls = 0;
  let alone = 0;
  let number = options.from ?? 0;
  try {
    for (; number < (options.from ?? 0) + options.cases && Date.now() < end; number++) {
      const draw = makeRandom(options.seed * 1_000_003 + number);
      const log = mutated(draw, stock.healthy, stock.odd);
      for (let count = 0; count < CALLS_PER_CASE; count++) {
        const call = await drawCall(draw);
        const way = drawWay(draw, canBeAlone);
        const bytes = way.alone && draw() < 0.3 ? grown(draw, log) : log;
        const failure = { seed: options.seed, number, argv: call.argv, problem: 'did not end', log: bytes };
        options.before?.(failure);
        calls++;
        if (way.alone) alone++;
        commands[call.command] = (commands[call.command] ?? 0) + 1;
        const problem = await bench.tries(bytes, call, way);
        if (problem !== undefined)
          failures.push({ ...failure, problem, log: await smaller(bench, bytes, call, way, problem) });
      }
    }
  } finally {
    bench.close();
  }
  return { cases: number - (options.from ?? 0), calls, alone, peak: Math.round(bench.peak), commands, failures };
}

function drawWay(draw: Draw, canBeAlone: boolean): Way {
  const isTerminal = draw() < 0.3;
  if (draw() >= ALONE || !canBeAlone) return { isTerminal };
  const kind = draw();
  return {
    isTerminal: false,
    alone: {
      throughPipe: draw() < 0.7,
      ...(kind < 0.3 ? { closeAfter: Math.floor(draw() ** 3 * 5000) } : {}),
      ...(kind > 0.8 ? { stopAfter: Math.floor(draw() * 400) } : {}),
    },
  };
}

/** A folder to work in. */
class Bench {
  readonly #root: string;
  readonly #healthy: string;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'sessionctl-fuzz-'));
  readonly #before = { folder: process.cwd(), temp: process.env['TMPDIR'] };
  peak = 0;

  constructor(root: string, healthy: string) {
    this.#root = root;
    this.#healthy = healthy;
  }

  async tries(log: string, call: Call, way: Way): Promise<string | undefined> {
    const { folder, temp } = this.#prepare(log);
    process.chdir(folder);
    process.env['TMPDIR'] = temp;
    const sent = call.readsLog ? Buffer.from(log, 'latin1') : Buffer.from(call.stdin);
    let ran: Ran;
    let isCut = false;
    if (way.alone) {
      const { throughPipe, closeAfter, stopAfter } = way.alone;
      const result = await runAlone(this.#root, call.argv, {
        cwd: folder,
        temp,
        stdin: call.readsLog && throughPipe ? { file: LOG } : { bytes: sent },
        ...(closeAfter === undefined ? {} : { closeAfter }),
        ...(stopAfter === undefined ? {} : { stopAfter }),
        seconds: HANG_SECONDS,
      });
      if (result.hangs) return 'hangs';
      const wasStopped = stopAfter !== undefined && (result.code === 143 || result.signal === 'SIGTERM');
      if (result.signal !== undefined && !wasStopped) return `ended by ${result.signal}`;
      if (!wasStopped && (result.code < 0 || result.code > 2))
        return `exit code ${result.code}: ${result.stderr.slice(0, 200)}`;
      if (closeAfter !== undefined && /EPIPE|ECONNRESET/.test(result.stderr))
        return `tells of the closed pipe: ${result.stderr}`;
      this.peak = Math.max(this.peak, result.peak ?? 0);
      if ((result.peak ?? 0) > MOST_PEAK_MB) return `took ${Math.round(result.peak ?? 0)} MB for ${log.length} bytes`;
      isCut = wasStopped || closeAfter !== undefined;
      ran = result;
    } else {
      ran = await run(call.argv, {
        stdin: sent,
        stdoutIsTerminal: way.isTerminal,
        ...(way.isTerminal ? { columns: 60 } : {}),
      });
      if (ran.code !== 0 && ran.code !== 1 && ran.code !== 2) return `exit code ${ran.code}`;
    }
    const around = readdirSync(this.#scratch).filter((name) => name !== 'case' && name !== 'temp');
    if (around.length > 0) return `wrote outside: ${around.join(', ')}`;
    if (readdirSync(temp).length > 0) return `left temporary files: ${readdirSync(temp).join(', ')}`;
    return await judge(call, ran, { log, isTerminal: way.isTerminal, isCut });
  }

  #prepare(log: string): { folder: string; temp: string } {
    rmSync(this.#scratch, { recursive: true, force: true });
    const folder = join(this.#scratch, 'case');
    const temp = join(this.#scratch, 'temp');
    mkdirSync(join(folder, 'blobs'), { recursive: true });
    mkdirSync(temp);
    writeFileSync(join(folder, LOG), log, 'latin1');
    writeFileSync(join(folder, HEALTHY), this.#healthy, 'latin1');
    writeFileSync(join(folder, 'classes.json'), '[{"pattern":"x*","class":"read"}]');
    for (const [name, bytes] of BLOBS) writeFileSync(join(folder, 'blobs', name), bytes);
    return { folder, temp };
  }

  close(): void {
    process.chdir(this.#before.folder);
    if (this.#before.temp === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = this.#before.temp;
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

/** The log with lines left out that the problem does not need; a few tries only. */
async function smaller(bench: Bench, log: string, call: Call, way: Way, problem: string): Promise<string> {
  // What depends on the moment would only be found by luck again.
  if (way.alone) return log;
  let lines = log.split('\n');
  const kind = problem.slice(0, 25);
  for (let size = Math.ceil(lines.length / 2), tries = 80; size > 0 && tries > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < lines.length && tries > 0; tries--) {
      const fewer = lines.toSpliced(at, size);
      const still = await bench.tries(fewer.join('\n'), call, way);
      if (still?.startsWith(kind)) lines = fewer;
      else at += size;
    }
  }
  return lines.join('\n');
}
