import { describe, expect, it } from 'vitest';
import type { NativeSink } from '../../src/formats/format.ts';
import { inMemory, memoryScratch } from '../../src/log/byte-store.ts';
import { nativeForm } from '../../src/log/native-form.ts';
import { openLog } from '../../src/log/open-log.ts';
import { memorySource } from '../support/native-form.ts';

const LONG = 300_000;

async function formOf(write: (sink: NativeSink) => void, change?: (raw: string) => string) {
  const toNative = async (_source: unknown, sink: NativeSink): Promise<void> => write(sink);
  const options = { dialect: 'pi', keep: 'meta', scratch: memoryScratch, onWarning: () => {}, change } as const;
  const form = await nativeForm(memorySource(Buffer.from('')), { toNative }, options);
  const chunks: Buffer[] = [];
  for await (const chunk of form.store.chunks()) chunks.push(Buffer.from(chunk));
  await form.store.close();
  return { ...form, text: Buffer.concat(chunks).toString('utf8') };
}

describe('a log in its native form', () => {
  it('has every piece in its place, texts and bytes, however long', async () => {
    const pieces = ['a', Buffer.from('é'), '漢'.repeat(LONG), Buffer.from('b'.repeat(LONG)), 'c', 'd'.repeat(LONG - 1)];
    const { text } = await formOf((sink) => {
      for (const piece of pieces) sink.pieces([piece, 'x'], 1);
      sink.line(Buffer.from('é'.repeat(LONG)).toString('latin1'), 2);
      sink.line('open', 3, true);
    });
    const lines = [...pieces.map((piece) => `${piece.toString()}x`), 'é'.repeat(LONG), 'open'];
    expect(text === lines.join('\n')).toBe(true);
  });

  it('is changed line by line where that is asked for, whatever a line is made of', async () => {
    const write = (sink: NativeSink): void => {
      sink.head(['key']);
      sink.pieces(['the ké', Buffer.from('y 漢'), ' key'], 1);
      sink.line('key', 0);
    };
    const { text, lineOf } = await formOf(write, (raw) => raw.replaceAll('key', '***'));
    expect(text).toBe('***\nthe kéy 漢 ***\n***\n');
    expect([1, 2, 3].map(lineOf)).toEqual([0, 1, 1]);
  });

  it('forgets what was written before it started again', async () => {
    const { text, damage } = await formOf((sink) => {
      sink.line('old', 1);
      sink.leftOut(2, 'torn-line');
      sink.restart();
      sink.line('new', 1);
    });
    expect(text).toBe('new\n');
    expect(damage).toEqual([]);
  });
});

it('a store is closed where its log turns out not to be what the user says', async () => {
  let isClosed = false;
  const codex = '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}\n';
  const store = {
    ...inMemory(Buffer.from(codex)),
    close: async () => {
      isClosed = true;
    },
  };
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes);
  const opened = openLog(store, {
    name: 'log',
    random,
    onWarning: () => {},
    scratch: memoryScratch,
    from: 'claude-code',
  });
  await expect(opened).rejects.toThrow();
  expect(isClosed).toBe(true);
});
