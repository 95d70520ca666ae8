import {
  type LogSource,
  NO_FACTS,
  type OnDamage,
  type RecordChecks,
  type SourceRecord,
  sourceRecord,
} from '../format.ts';
import { levelsOf } from '../rule-table.ts';
import { readTextBlocks } from './blocks.ts';
import { findRuns } from './runs.ts';

/** The blocks of all runs, without text above the first run. */
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
    if (hasBegun) yield [sourceRecord({ type: kind }, line)];
  }
}

/** A history has no members and no ids: only its bytes can be damaged, or a run cut off. */
export const checks: RecordChecks = {
  levels: levelsOf('invalid-utf8 oversize-line', 'nul-bytes missing-header late-header'),
  isRecord: () => true,
  describe: ({ type }) => ({
    ...NO_FACTS,
    isInConversation: type === 'user' || type === 'text',
    isHeader: type === 'header',
  }),
};
