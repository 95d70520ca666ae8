import { stringOf } from '../entries/entry-type.ts';
import type { SessionPlace } from '../files/place.ts';
import { openUnpacked } from '../files/unpack.ts';
import { argumentsOf, modelMessageOf } from '../formats/model-message.ts';
import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { scannerKind } from '../scanner/layout.ts';
import { everySession } from '../shared/every-session.ts';
import { logOptions } from '../shared/open-session.ts';
import { AppError, UnsupportedLog } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import type { Matcher } from './matcher.ts';
import { LogScanner } from './scan.ts';

/** Who speaks, as `--in` takes it. */
export const SPEAKERS = ['user', 'assistant', 'thinking', 'call', 'result'] as const;
export type SearchedPart = (typeof SPEAKERS)[number];

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
  /** Of a database, where lines are counted in each session. */
  readonly session?: string | undefined;
  readonly line: number;
  readonly id: string;
  readonly speaker: SearchedPart;
  readonly tool?: string | undefined;
  readonly text: string;
  /** Undefined for one that is only near a hit. */
  readonly match?: { readonly start: number; readonly end: number } | undefined;
}

/** What is left out of a file. */
export interface Searched {
  readonly damaged: number;
  /** Why nothing of it was searched. */
  readonly error?: string;
  /** The error is that it is another kind of file. */
  readonly isOther?: boolean;
}

/** Whoever gets the hits. */
export interface HitTaker {
  /** False where no more is wanted. */
  hit(hit: Hit): boolean;
  /** Called now and then, for what takes its time. */
  pause(): Promise<void>;
}

export type SearchIo = Pick<Io, 'stdin' | 'random' | 'signal' | 'env'>;

/** Who runs the search tells how far it is, and what is wrong with a file. */
const SILENT = {
  note: () => {},
  progress: { wanted: false, expect: () => {}, read: () => {}, file: () => {}, phase: () => {} },
};

/** Finds the hits in one file after the other. */
export class FileSearch {
  readonly #options: GrepOptions;
  readonly #io: SearchIo;
  readonly #scanner: LogScanner;

  constructor(options: GrepOptions, io: SearchIo) {
    this.#options = options;
    this.#io = io;
    this.#scanner = new LogScanner(options.matcher.prefilter, io);
  }

  /** Gives the hits in the order of the lines, session by session. */
  async search({ path, session }: SessionPlace, taker: HitTaker): Promise<Searched> {
    try {
      // What stands near a hit is in entries that have none.
      const isScanned = this.#options.around === 0 && session === undefined;
      const scanned = isScanned ? await this.#inCandidates(path, taker) : undefined;
      return scanned ?? (await this.#inSessions({ path, session }, taker));
    } catch (error) {
      if (error instanceof AppError)
        return { damaged: 0, error: error.message, isOther: error instanceof UnsupportedLog };
      throw error;
    }
  }

  async #inCandidates(path: string, taker: HitTaker): Promise<Searched | undefined> {
    const { matcher, mostHits } = this.#options;
    let hits = 0;
    return await this.#scanner.scan(path, {
      find: (entry, line) =>
        textsOf(entry, line, this.#options).flatMap((text) => {
          const match = matcher.find(text.text);
          return match ? [{ ...text, match }] : [];
        }),
      take: (hit: Hit) => taker.hit(hit) && ++hits < mostHits,
      pause: () => this.#pause(taker),
    });
  }

  async #inSessions({ path, session: wanted }: SessionPlace, taker: HitTaker): Promise<Searched> {
    // Files beside it are searched by themselves.
    const io = { ...this.#io, ...SILENT };
    const { near: _, ...options } = logOptions(path, io);
    const opened = await openUnpacked(path, io);
    let damaged = 0;
    let left = this.#options.mostHits;
    for await (const log of everySession(opened, wanted, (store, session) =>
      openLog(store, { ...options, session, scanner: scannerKind(io.env) }),
    )) {
      const hits = await this.#inLog(log, left, taker);
      if (hits === undefined) break;
      // The sessions of a file share its lines.
      damaged = log.unit === 'row' ? damaged + log.damage.length : Math.max(damaged, log.damage.length);
      left -= hits;
      if (left <= 0) break;
    }
    return { damaged };
  }

  /** Gives the number of hits, which is not above the most; undefined where no more is wanted. */
  async #inLog(log: Log, most: number, taker: HitTaker): Promise<number | undefined> {
    const { matcher, around } = this.#options;
    const session = log.unit === 'row' ? log.conversion?.session : undefined;
    let before: Hit[] = [];
    let behind = 0;
    let hits = 0;
    for await (const { line, value } of log.entries(Array(log.index.size).keys())) {
      for (const text of textsOf(value, line, this.#options)) {
        const match = hits < most ? matcher.find(text.text) : undefined;
        const shown: Hit[] = match ? [...before, { ...text, match }] : behind > 0 ? [text] : [];
        before = match || behind > 0 || around === 0 ? [] : [...before, text].slice(-around);
        if (match) hits++;
        behind = match ? around : Math.max(0, behind - 1);
        for (const one of shown) if (!taker.hit({ ...one, session })) return undefined;
      }
      if (hits >= most && behind === 0) break;
      await this.#pause(taker);
    }
    return hits;
  }

  async #pause(taker: HitTaker): Promise<void> {
    this.#io.signal.throwIfAborted();
    await taker.pause();
  }
}

/** What an entry says, text by text. */
function textsOf(entry: JsonObject, line: number, { speakers, tool, since, until }: GrepOptions): readonly Hit[] {
  const sent = modelMessageOf(entry);
  if (!sent) return [];
  if (since !== undefined || until !== undefined) {
    const time = Date.parse(stringOf(entry['timestamp']));
    if (time < (since ?? time) || time > (until ?? time)) return [];
  }
  const { kind, message } = sent;
  const id = stringOf(entry['id']);
  const speaker: SearchedPart = kind === 'assistant' || kind === 'result' ? kind : 'user';
  const hits: Hit[] = [];
  const add = (speaker: SearchedPart, text: string, name?: string): void => {
    if (speakers.has(speaker) && (tool === undefined || name === tool))
      hits.push({ line, id, speaker, tool: name, text });
  };
  for (const block of recorded(message) ?? sent.content) {
    const { type, text, thinking, name } = block;
    if (type === 'text') add(speaker, textIn(text), kind === 'result' ? stringOf(message['toolName']) : undefined);
    else if (type === 'thinking') add('thinking', textIn(thinking));
    else if (type === 'toolCall') add('call', callText(block), stringOf(name));
  }
  return hits;
}

/** A converted entry has texts in the place of some numbers. */
function textIn(value: unknown): string {
  return numberOf(value) === undefined ? stringOf(value) : '';
}

/** What a user ran or mentioned, without the words in which the model is told of it. */
function recorded({ role, command, code, output, files }: JsonObject): readonly JsonObject[] | undefined {
  const block = (...texts: readonly unknown[]): JsonObject => ({ type: 'text', text: texts.map(stringOf).join('\n') });
  if (role === 'bashExecution' || role === 'pythonExecution') return [block(command ?? code, output)];
  if (role !== 'fileMention' || !Array.isArray(files)) return undefined;
  return files.filter(isObject).map(({ path, content }) => block(path, content));
}

/** A call as its name and the texts it was given; numbers and keys are none. */
function callText(call: JsonObject): string {
  const texts: string[] = [];
  const waiting: unknown[] = [argumentsOf(call)];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && numberOf(value) === undefined) texts.push(value);
    else if (Array.isArray(value)) waiting.push(...value.toReversed());
    else if (isObject(value)) waiting.push(...Object.values(value).reverse());
  }
  return [stringOf(call['name']), ...texts].join('\n');
}
