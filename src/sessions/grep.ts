import { stringOf } from '../entries/entry-type.ts';
import { fileChunks } from '../files/input.ts';
import { argumentsOf, saidBy } from '../formats/said.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { openSession } from '../shared/open-session.ts';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { LONGEST_IN_BYTES, type Matcher } from './matcher.ts';

/** Who speaks, as `--in` takes it. */
export const SPEAKERS = ['user', 'assistant', 'thinking', 'call', 'result'] as const;
export type Speaker = (typeof SPEAKERS)[number];

export interface GrepOptions {
  readonly matcher: Matcher;
  readonly speakers: ReadonlySet<string>;
  /** Only calls and results of this tool. */
  readonly tool: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly mostHits: number;
  /** So many texts before and behind a hit are given too. */
  readonly around: number;
}

/** A text in which something was found, or one near it. */
export interface Hit {
  readonly line: number;
  readonly id: string;
  readonly speaker: Speaker;
  readonly tool?: string | undefined;
  readonly text: string;
  /** Undefined for one that is only near a hit. */
  readonly match?: { readonly start: number; readonly end: number } | undefined;
}

/** What is left out of a file. */
export interface Searched {
  readonly damaged: number;
  /** Why nothing of it was searched. */
  readonly error?: AppError;
}

/** The hits in a file, in the order of its lines. */
export async function* hitsIn(path: string, options: GrepOptions, io: Io): AsyncGenerator<Hit, Searched, void> {
  const { matcher, around } = options;
  const session = await openCandidate(path, matcher, io).catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
  if (session instanceof AppError) return { damaged: 0, error: session };
  if (!session) return { damaged: 0 };
  try {
    const before: Hit[] = [];
    let behind = 0;
    let hits = 0;
    for await (const { line, value } of session.entries(Array(session.index.size).keys())) {
      for (const text of textsOf(value, line, options)) {
        const match = hits < options.mostHits ? matcher.find(text.text) : undefined;
        if (match) {
          hits++;
          yield* before.splice(0);
          yield { ...text, match };
          behind = around;
        } else if (behind > 0) {
          behind--;
          yield text;
        } else if (around > 0) {
          before.push(text);
          if (before.length > around) before.shift();
        }
      }
      if (hits >= options.mostHits && behind === 0) break;
      io.signal.throwIfAborted();
    }
    return { damaged: session.damage.length };
  } finally {
    await session.close();
  }
}

/** Undefined where no text in the file can match. */
async function openCandidate(path: string, matcher: Matcher, io: Io): Promise<Log | undefined> {
  if (/\.jsonl?$/.test(path) && !(await mayMatch(path, matcher))) return undefined;
  return await openSession(path, { ...io, note: () => {} });
}

/** Most files have no match, which their bytes show sooner than their records do. */
async function mayMatch(path: string, matcher: Matcher): Promise<boolean> {
  // A match may lie across two chunks.
  let rest = Buffer.alloc(0);
  for await (const chunk of fileChunks(path)) {
    const bytes = Buffer.concat([rest, chunk]);
    if (matcher.mayMatch(bytes)) return true;
    rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - LONGEST_IN_BYTES)));
  }
  return false;
}

/** What an entry says, text by text. */
function* textsOf(entry: JsonObject, line: number, { speakers, tool, since, until }: GrepOptions): Generator<Hit> {
  const said = saidBy(entry);
  if (!said) return;
  const time = Date.parse(stringOf(entry['timestamp']));
  if (time < (since ?? time) || time > (until ?? time)) return;
  const { by, content, message } = said;
  const id = stringOf(entry['id']);
  const speaker: Speaker = by === 'assistant' || by === 'result' ? by : 'user';
  for (const block of content) {
    const { type, text, thinking, name } = block;
    const hit =
      type === 'text'
        ? { speaker, text: stringOf(text), tool: by === 'result' ? stringOf(message['toolName']) : undefined }
        : type === 'thinking'
          ? { speaker: 'thinking' as const, text: stringOf(thinking), tool: undefined }
          : type === 'toolCall'
            ? { speaker: 'call' as const, text: callText(block), tool: stringOf(name) }
            : undefined;
    if (!hit || !speakers.has(hit.speaker) || (tool !== undefined && hit.tool !== tool)) continue;
    yield { line, id, ...hit };
  }
}

/** A call as its name and the texts it was given; numbers and keys are none. */
function callText(call: JsonObject): string {
  const texts: string[] = [];
  const waiting: unknown[] = [argumentsOf(call)];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) waiting.push(...value.reverse());
    else if (isObject(value)) waiting.push(...Object.values(value).reverse());
  }
  return [stringOf(call['name']), ...texts].join('\n');
}
