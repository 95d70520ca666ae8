import { counting } from '../files/input.ts';
import type { LogFormat } from '../formats/format.ts';
import { chooseSession } from '../formats/sessions.ts';
import { LineBlock, readBlocks } from '../lines/reader.ts';
import type { ByteStore } from '../log/byte-store.ts';
import { logSource } from '../log/open-log.ts';
import { LogCheck, type LogCheckOptions } from '../rules/check/check-log.ts';
import type { Finding } from '../rules/rule.ts';
import type { CheckResult } from './log-checker.ts';

interface SessionCheckOptions extends LogCheckOptions {
  /** Only this one, else all of them. */
  readonly session: string | undefined;
  readonly maxLineBytes: number | undefined;
  readonly onBytes: ((bytes: number) => void) | undefined;
}

/** Checks the sessions of a database whose rows are native lines; each finding names its session and row. */
export async function* checkSessions(
  sessionsOf: NonNullable<LogFormat['nativeSessions']>,
  store: ByteStore,
  { session: wanted, maxLineBytes, onBytes, ...options }: SessionCheckOptions,
  random: (bytes: number) => Uint8Array,
): AsyncGenerator<void, CheckResult, void> {
  const { file: name } = options;
  const all = await sessionsOf(logSource(store, { name, random }));
  const chosen = wanted === undefined ? all : [chooseSession(name, all, wanted)];
  let entries = 0;
  for (const session of chosen) {
    if (!session) continue;
    // Repair writes files, so nothing of it is fixable.
    const onFinding = (finding: Finding): void =>
      options.onFinding({
        ...finding,
        message: `session ${session.id}, row ${finding.line}: ${finding.message}`,
        fixable: false,
      });
    const check = new LogCheck({ ...options, onFinding });
    for await (const piece of readBlocks(counting(session.lines(), onBytes), { maxLineBytes })) {
      if (piece instanceof LineBlock) check.block(piece);
      else check.line(piece);
      yield;
    }
    check.end();
    entries += check.log.index.size;
  }
  return { entries };
}
