import { stringOf } from '../entries/entry-type.ts';
import { openUnpacked } from '../files/unpack.ts';
import { isHiddenContext } from '../formats/index.ts';
import { type ByteStore, inMemory, memoryScratch } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { entryText } from '../overview/row.ts';
import { sessionTitle } from '../tree/labels.ts';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import type { SessionFile } from './find.ts';

/** What is known of a session without reading all of it. */
export interface SessionSummary extends SessionFile {
  /** The id that the agent gave it; '' where the file does not say. */
  readonly id: string;
  readonly format: string;
  readonly cwd: string;
  /** Its title, else the first prompt; '' where it has neither. */
  readonly title: string;
}

/** So much is read of the start of a log, and of its end. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 16 * 1024;
/** A first line that is longer than the head is read whole up to here. */
const LONGEST_LINE = 1024 * 1024;

type GlanceIo = Pick<Io, 'stdin' | 'random' | 'signal' | 'note'>;

/** The sessions of a file, the newest first: one, unless it is a database. Undefined where it is no session log. */
export async function glance(
  file: SessionFile,
  io: GlanceIo,
  onError: (error: AppError) => void = () => {},
): Promise<SessionSummary[] | undefined> {
  try {
    const store = await openUnpacked(file.path, io);
    const { database } = store;
    const log = await openLog(database ? store : await ends(store), {
      name: file.path,
      random: io.random,
      onWarning: () => {},
      scanner: 'off',
      scratch: memoryScratch,
    });
    try {
      const first = await summaryOf(file, log);
      const others = log.conversion?.sessions.filter(({ isSibling }) => isSibling) ?? [];
      return [first, ...others.reverse().map(({ id, title = '' }) => ({ ...first, id, title, cwd: '' }))];
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    onError(error);
    return undefined;
  }
}

async function summaryOf(file: SessionFile, log: Log): Promise<SessionSummary> {
  const { header, conversion, format } = log;
  return {
    ...file,
    id: conversion?.session ?? stringOf(header?.['id']),
    format: format?.id ?? 'pi',
    cwd: stringOf(header?.['cwd']),
    title: (await sessionTitle(log)) ?? (await firstPrompt(log)),
  };
}

async function firstPrompt(log: Log): Promise<string> {
  const { index } = log;
  for (let position = 0; position < index.size; position++) {
    if (index.roleOf(position) !== 'user') continue;
    const { value } = await log.entry(position);
    if (!isHiddenContext(value)) return entryText(value);
  }
  return '';
}

/** The whole lines at the start and the end of a log. */
async function ends(store: ByteStore): Promise<ByteStore> {
  try {
    let head = await bytesAt(store, 0, HEAD_BYTES);
    if (head.length === HEAD_BYTES && !head.includes(0x0a)) head = await bytesAt(store, 0, LONGEST_LINE);
    const size = store.size ?? head.length;
    if (size <= head.length) return inMemory(head);
    const start = Math.max(head.length, size - TAIL_BYTES);
    const tail = await bytesAt(store, start, TAIL_BYTES);
    const cut = start === head.length ? 0 : tail.indexOf(0x0a) + 1;
    const end = start === head.length ? head.length : head.lastIndexOf(0x0a) + 1;
    return inMemory(Buffer.concat([head.subarray(0, end || head.length), tail.subarray(cut)]));
  } finally {
    await store.close();
  }
}

async function bytesAt(store: ByteStore, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, await store.readAt(buffer, start));
}
