import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ClaudeMaker, CodexMaker } from './foreign-data.ts';
import { makeRandom, Texts } from './texts.ts';

/** The kinds of data that the goals speak of. */
export type Kind = 'mixed' | 'small' | 'v1' | 'plain' | 'shapes' | 'straight' | 'claude' | 'codex';

/** Writes a session log of about so many bytes. Well-formed, without a finding; times and trees are realistic. */
export function writeSession(path: string, bytes: number, kind: Kind, seed = 1): void {
  const random = makeRandom(seed);
  const fd = openSync(path, 'w');
  let waiting: string[] = [];
  let waitingBytes = 0;
  let written = 0;
  const put = (value: object): void => {
    const line = `${JSON.stringify(value)}\n`;
    waiting.push(line);
    waitingBytes += line.length;
    written += line.length;
    if (waitingBytes > 1 << 22) flush();
  };
  const flush = (): void => {
    if (waiting.length > 0) writeSync(fd, waiting.join(''));
    waiting = [];
    waitingBytes = 0;
  };
  const session = makerOf(kind, random, put);
  session.header();
  while (written < bytes) session.turn();
  session.end();
  flush();
  closeSync(fd);
}

/** Many small sessions in a folder. */
/** The kinds take turns. */
export function writeManySessions(folder: string, files: number, bytesEach: number, kinds: readonly Kind[]): void {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < files; at++) {
    const kind = kinds[at % kinds.length] ?? 'small';
    writeSession(join(folder, `s${String(at).padStart(5, '0')}.jsonl`), bytesEach, kind, at + 10);
  }
}

function makerOf(kind: Kind, random: () => number, put: (value: object) => void) {
  if (kind === 'claude') return new ClaudeMaker(random, put);
  return kind === 'codex' ? new CodexMaker(random, put) : new Maker(random, kind, put);
}

class Maker {
  readonly #random: () => number;
  readonly #kind: Kind;
  readonly #put: (value: object) => void;
  #count = 0;
  #time = Date.parse('2026-01-05T08:00:00.000Z');
  #leaf: string | null = null;
  #calls = 0;
  #branchPoint: string | null = null;
  readonly #texts: Texts;

  constructor(random: () => number, kind: Kind, put: (value: object) => void) {
    this.#random = random;
    this.#kind = kind;
    this.#put = put;
    this.#texts = new Texts(random);
  }

  header(): void {
    const head = {
      type: 'session',
      id: this.#texts.uuid(),
      timestamp: new Date(this.#time).toISOString(),
      cwd: '/home/ada/project',
    };
    this.#put(
      this.#kind === 'v1'
        ? { ...head, provider: 'anthropic', modelId: 'm', thinkingLevel: 'off' }
        : { ...head, version: 3 },
    );
    if (this.#kind !== 'v1') this.#entry('model_change', { provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
  }

  /** A user message, a few rounds of calls and results, an answer; now and then a branch, a label, a compaction. */
  turn(): void {
    const random = this.#random;
    if (this.#kind !== 'v1' && this.#kind !== 'straight' && random() < 0.02 && this.#branchPoint)
      this.#leaf = this.#branchPoint;
    this.#time += 70_000;
    const user = this.#message({
      role: 'user',
      content: [{ type: 'text', text: this.#texts.slice(40, 600) }, ...this.#images()],
    });
    if (random() < 0.2) this.#branchPoint = this.#leaf;
    const rounds = 1 + Math.floor(random() * 5);
    for (let round = 0; round < rounds; round++) this.#round();
    this.#assistant([{ type: 'text', text: this.#texts.slice(80, 1500) }], 'stop');
    if (this.#kind === 'v1' || this.#kind === 'small' || this.#kind === 'straight') return;
    if (random() < 0.02) this.#entry('label', { targetId: user, label: 'here' });
    if (this.#kind !== 'plain' && random() < 0.004) {
      this.#entry('compaction', {
        summary: this.#texts.slice(1000, 6000),
        firstKeptEntryId: user,
        tokensBefore: 150_000,
      });
    }
  }

  /** Something to say at the end, so that the leaf hides nothing. */
  end(): void {
    this.#message({ role: 'user', content: [{ type: 'text', text: 'Thanks.' }] });
  }

  #round(): void {
    const calls = this.#random() < 0.2 ? 2 : 1;
    const ids = Array.from({ length: calls }, () => `toolu_${String(++this.#calls).padStart(20, '0')}`);
    const blocks = ids.map((id) => ({ type: 'toolCall', id, name: 'bash', arguments: this.#arguments() }));
    const thinking =
      this.#random() < 0.4
        ? [
            {
              type: 'thinking',
              thinking: this.#texts.slice(80, 900),
              thinkingSignature: this.#texts.base64.slice(0, 300),
            },
          ]
        : [];
    this.#assistant([...thinking, ...blocks], 'toolUse');
    for (const id of ids) {
      this.#message({
        role: 'toolResult',
        toolCallId: id,
        toolName: 'bash',
        content: [{ type: 'text', text: this.#resultText() }, ...this.#images()],
        isError: false,
      });
    }
  }

  #arguments(): object {
    return this.#kind === 'shapes' ? this.#oddKeys(6) : { command: this.#texts.slice(20, 200) };
  }

  /** Keys that no other line has. */
  #oddKeys(count: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (let at = 0; at < count; at++)
      made[`k${Math.floor(this.#random() * 1e9).toString(36)}`] = at % 2 === 0 ? at : this.#texts.slice(5, 60);
    return made;
  }

  #resultText(): string {
    const draw = this.#random();
    if (this.#kind === 'small' || this.#kind === 'shapes') return this.#texts.slice(10, 800);
    if (draw < 0.7) return this.#texts.slice(20, 1500);
    return draw < 0.98 ? this.#texts.slice(1500, 20_000) : this.#texts.slice(20_000, 55_000);
  }

  #images(): object[] {
    if (this.#kind === 'small' || this.#kind === 'shapes' || this.#kind === 'v1' || this.#random() > 0.0008) return [];
    const length = Math.floor(10_000 + this.#random() ** 3 * 3_000_000);
    let data = '';
    while (data.length < length) data += this.#texts.base64;
    return [{ type: 'image', data: data.slice(0, Math.floor(length / 4) * 4), mimeType: 'image/png' }];
  }

  #assistant(content: readonly object[], stopReason: string): void {
    const input = Math.floor(this.#random() * 20_000);
    const output = Math.floor(this.#random() * 2_000);
    const usage = {
      input,
      output,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: input + output,
      cost: { input: 0.01, output: 0.02, cacheRead: 0, cacheWrite: 0, total: 0.03 },
    };
    this.#message({
      role: 'assistant',
      content,
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage,
      stopReason,
    });
  }

  #message(message: object): string {
    // What is in arguments is no part of a line's shape, so every message gets a key of its own, too.
    const odd = this.#kind === 'shapes' ? this.#oddKeys(1) : {};
    return this.#entry('message', { message: { ...message, ...odd, timestamp: this.#time } });
  }

  #entry(type: string, rest: object): string {
    this.#time += 1000 + Math.floor(this.#random() * 4000);
    const id = ((++this.#count * 2654435761) % 2 ** 32).toString(16).padStart(8, '0');
    const timestamp = new Date(this.#time).toISOString();
    this.#put(
      this.#kind === 'v1' ? { type, timestamp, ...rest } : { type, id, parentId: this.#leaf, timestamp, ...rest },
    );
    this.#leaf = id;
    return id;
  }
}
