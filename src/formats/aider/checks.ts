import type { LogSource, OnDamage, RecordChecks, SourceRecord } from '../format.ts';
import { readTextBlocks } from './blocks.ts';
import { findRuns } from './runs.ts';

/** The blocks of all runs; notes that somebody has written above the first run are none. */
export async function* readHistory(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
): AsyncGenerator<Iterable<SourceRecord>> {
  const { isStripped } = await findRuns(source.chunks());
  let hasBegun = false;
  for await (const { kind, line, damage } of readTextBlocks(chunks, 1, isStripped, onDamage)) {
    if (damage) onDamage(damage.line, damage.rule, 1);
    hasBegun ||= kind === 'header' || kind === 'user';
    if (hasBegun) yield [{ value: { type: kind }, line, offset: 0, length: 0, textsBefore: 0 }];
  }
}

/** A history has no members and no ids: what can be wrong with it are its bytes, and a run that was cut off. */
export const checks: RecordChecks = {
  levels: {
    'invalid-utf8': 'error',
    'nul-bytes': 'warning',
    'oversize-line': 'error',
    'missing-header': 'warning',
    'late-header': 'warning',
  },
  evidence: {},
  isRecord: () => true,
  describe: ({ type }) => ({
    type: String(type),
    isInConversation: type === 'user' || type === 'text',
    isHeader: type === 'header',
    conversation: '',
    blocks: [],
    timestamp: null,
    issues: [],
  }),
};
