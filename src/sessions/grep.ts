import { stringOf } from '../entries/entry-type.ts';
import type { SessionPlace } from '../files/place.ts';
import { openUnpacked } from '../files/unpack.ts';
import { modelMessageOf } from '../formats/model-message.ts';
import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject, objectsIn } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { everySession } from '../shared/every-session.ts';
import { logOptions } from '../shared/open-session.ts';
import { namedArguments } from '../transcript/turns.ts';
import { AppError, UnsupportedLog } from '../util/errors.ts';
import { type Io, NO_PROGRESS } from '../util/io.ts';
import type { Matcher } from './matcher.ts';
import { LogScanner } from './scan.ts';

/** The values of `--in`. */
export const SPEAKERS = ['user', 'assistant', 'thinking', 'call', 'result'] as const;
type Speaker = (typeof SPEAKERS)[number];

export interface GrepOptions {
  readonly matcher: Matcher;
  readonly speakers: ReadonlySet<string>;
  /** Only calls and results of this tool. */
  readonly tool: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly mostHits: number;
  /** How many texts before and after a hit are given too. */
  readonly around: number;
}

/** A text in which something was found, or one near it. */
export interface Hit {
  /** Of a database, where lines are counted in each session. */
  readonly session?: string | undefined;
  readonly line: number;
  readonly id: string;
  readonly speaker: Speaker;
  readonly tool?: string | undefined;
  readonly text: string;
  /** Undefined for one that is only near a hit. */
  readonly match?: { readonly start: number; readonly end: number } | undefined;
}

/** How the search in a file went. */
export interface Searched {
  readonly damaged: number;
  /** Why it was not searched. */
  readonly error?: string;
  /** The file is no session log. */
  readonly isOther?: boolean;
}

/** Receives the hits. */
interface HitSink {
  /** False stops the search. */
  hit(hit: Hit): boolean;
  /** Called between entries, to wait for the output. */
  pause(): Promise<void>;
}

export type SearchIo = Pick<Io, 'stdin' | 'random' | 'signal' | 'env'>;

/** The caller shows the progress and the errors. */
const SILENT = { note: () => {}, progress: NO_PROGRESS };

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
  async search({ path, session }: SessionPlace, sink: HitSink): Promise<Searched> {
    try {
      // The texts around a hit are in entries without one.
      const isScanned = this.#options.around === 0 && session === undefined;
      const scanned = isScanned ? await this.#inCandidates(path, sink) : undefined;
      return scanned ?? (await this.#inSessions({ path, session }, sink));
    } catch (error) {
      if (error instanceof AppError)
        return { damaged: 0, error: error.message, isOther: error instanceof UnsupportedLog };
      throw error;
    }
  }

  async #inCandidates(path: string, sink: HitSink): Promise<Searched | undefined> {
    const { matcher, mostHits } = this.#options;
    let hits = 0;
    return await this.#scanner.scan(path, {
      find: (entry, line) =>
        textsOf(entry, line, this.#options).flatMap((text) => {
          const match = matcher.find(text.text);
          return match ? [{ ...text, match }] : [];
        }),
      accept: (hit: Hit) => hits < mostHits && sink.hit(hit) && ++hits < mostHits,
      pause: () => this.#pause(sink),
    });
  }

  async #inSessions({ path, session: wanted }: SessionPlace, sink: HitSink): Promise<Searched> {
    // Files beside it have a search of their own.
    const io = { ...this.#io, ...SILENT };
    const { near: _, ...options } = logOptions(path, io);
    const opened = await openUnpacked(path, io);
    let damaged = 0;
    let left = this.#options.mostHits;
    for await (const log of everySession(opened, wanted, (store, session) => openLog(store, { ...options, session }))) {
      const hits = await this.#inLog(log, left, sink);
      if (hits === undefined) break;
      // All sessions of a file count the same damaged lines; those of a database each their own.
      damaged = log.unit === 'row' ? damaged + log.damage.length : Math.max(damaged, log.damage.length);
      left -= hits;
      if (left <= 0) break;
    }
    return { damaged };
  }

  /** Gives the number of hits, at most `most`; undefined where the sink has stopped the search. */
  async #inLog(log: Log, most: number, sink: HitSink): Promise<number | undefined> {
    const { matcher, around } = this.#options;
    const session = log.unit === 'row' ? log.conversion?.session : undefined;
    let before: Hit[] = [];
    let after = 0;
    let hits = 0;
    for await (const { line, value } of log.entries(Array(log.index.size).keys())) {
      for (const text of textsOf(value, line, this.#options)) {
        const match = hits < most ? matcher.find(text.text) : undefined;
        const shown: Hit[] = match ? [...before, { ...text, match }] : after > 0 ? [text] : [];
        before = match || after > 0 || around === 0 ? [] : [...before, text].slice(-around);
        if (match) hits++;
        after = match ? around : Math.max(0, after - 1);
        for (const one of shown) if (!sink.hit({ ...one, session })) return undefined;
      }
      if (hits >= most && after === 0) break;
      await this.#pause(sink);
    }
    return hits;
  }

  async #pause(sink: HitSink): Promise<void> {
    this.#io.signal.throwIfAborted();
    await sink.pause();
  }
}

/** The texts of an entry that the options ask for. */
function textsOf(entry: JsonObject, line: number, { speakers, tool, since, until }: GrepOptions): readonly Hit[] {
  const sent = modelMessageOf(entry);
  if (!sent) return [];
  if (since !== undefined || until !== undefined) {
    const time = Date.parse(stringOf(entry['timestamp']));
    if (time < (since ?? time) || time > (until ?? time)) return [];
  }
  const { kind, message } = sent;
  const id = stringOf(entry['id']);
  const speaker: Speaker = kind === 'assistant' || kind === 'result' ? kind : 'user';
  const hits: Hit[] = [];
  const add = (speaker: Speaker, text: string, name?: string): void => {
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

/** In a converted entry a string may stand for a number. */
function textIn(value: unknown): string {
  return numberOf(value) === undefined ? stringOf(value) : '';
}

/** The commands and files of a user, without the words that are added for the model. */
function recorded({ role, command, code, output, files }: JsonObject): readonly JsonObject[] | undefined {
  const block = (...texts: readonly unknown[]): JsonObject => ({ type: 'text', text: texts.map(stringOf).join('\n') });
  if (role === 'bashExecution' || role === 'pythonExecution') return [block(command ?? code, output)];
  if (role !== 'fileMention' || !Array.isArray(files)) return undefined;
  return objectsIn(files).map(({ path, content }) => block(path, content));
}

/** The name of a call and the strings in its arguments, without numbers and keys. */
function callText(call: JsonObject): string {
  const texts: string[] = [];
  const waiting: unknown[] = [namedArguments(call)];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && numberOf(value) === undefined) texts.push(value);
    else if (Array.isArray(value)) waiting.push(...value.toReversed());
    else if (isObject(value)) waiting.push(...Object.values(value).reverse());
  }
  return [stringOf(call['name']), ...texts].join('\n');
}
