import { counting } from '../files/input.ts';
import { filesNear } from '../files/near.ts';
import { type Identity, probably, unsupportedMessage } from '../formats/index.ts';
import type { ByteStore } from '../log/byte-store.ts';
import { logSource } from '../log/open-log.ts';
import { RecordCheck, type RecordCheckOptions } from '../rules/check/check-records.ts';
import type { Io } from '../util/io.ts';
import { toJson } from '../util/to-json.ts';
import type { CheckResult } from './log-checker.ts';

interface DocumentCheckOptions extends Omit<RecordCheckOptions, 'checks'> {
  /** The format that the user says it has. */
  readonly from: string | undefined;
  /** Which session of a database. */
  readonly session: string | undefined;
  readonly onBytes: ((bytes: number) => void) | undefined;
}

/** Checks a log that is not one record per line: a document, or a database. Closes its store. */
export async function* checkDocument(
  { format, certainty }: Identity,
  store: ByteStore,
  { from, session, onBytes, ...options }: DocumentCheckOptions,
  io: Pick<Io, 'stdin' | 'random' | 'signal' | 'note'>,
): AsyncGenerator<void, CheckResult, void> {
  const known = await format.checks?.();
  const { file: name } = options;
  try {
    if (!known || !format.records) return { foreign: { noun: format.noun, reason: unsupportedMessage(format) } };
    const near = name === '-' ? undefined : filesNear(name, io);
    const source = logSource(store, { name, random: io.random, near });
    // Repair writes lines, so nothing of it is fixable.
    const { edit: _edit, ...checks } = known;
    const check = new RecordCheck({ ...options, checks });
    check.log.isDocument = true;
    const damaged = (line: number, damage: string): void => check.damaged(line, damage, store.database !== undefined);
    for await (const records of format.records(source, counting(store.chunks(), onBytes), damaged, session)) {
      for (const { value, line, offset } of records) check.record(value, toJson(value), { number: line, offset });
      yield;
    }
    check.end();
    return { entries: check.log.size, ...(certainty === 'probable' && !from ? { note: probably(format) } : {}) };
  } finally {
    await store.close();
  }
}
