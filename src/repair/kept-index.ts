import type { RepairEntry, RepairState } from '../rules/fix/repair-state.ts';
import { partitionPoint } from '../util/search.ts';

/**
 * In version 1 a compaction counts to the first entry that it keeps, and whoever wrote it counted entries that are lost
 * now: each number is set to where the entry stands that was meant. A header counts as the first; a rebuilt one takes
 * the place of the line that was lost.
 */
export function fixKeptIndexes(repair: RepairState): void {
  const { entries } = repair.index;
  const counting = entries.filter((one) => one.firstKeptEntryIndex !== undefined && !one.edits?.drop && !one.frozen);
  const staying = entries.filter(({ edits }) => !edits?.drop);
  const lost = lostBefore(repair);
  if (counting.length === 0 || (lost.length === 0 && staying.length === entries.length)) return;
  const firstDrop = entries.find(({ edits }) => edits?.drop);
  /** Where each entry stood for its writer, and where it stands in the output, the header being 0. */
  const counted = entries.map(({ position }) => {
    return 1 + position + partitionPoint(0, lost.length, (at) => (lost[at]?.before ?? 0) <= position);
  });
  const outputs = new Map(staying.map((entry, at) => [entry, at + 1]));
  for (const entry of counting) {
    const { position, firstKeptEntryIndex: kept = 0 } = entry;
    if (!Number.isInteger(kept) || kept < 1 || kept > (counted[position] ?? 0)) continue;
    // The counts rise with the entries. Where the one that is meant leaves, the next one counts that stays.
    let at = partitionPoint(0, position, (one) => (counted[one] ?? 0) < kept);
    while (at < position && entries[at]?.edits?.drop) at++;
    const meant = entries[at];
    const corrected = meant && outputs.get(meant);
    if (corrected === kept) continue;
    // A kept part never starts with a result: whoever wrote this number had not counted what was lost.
    const uncorrected = staying[kept - 1];
    if (isResult(meant) && uncorrected && uncorrected.position <= position && !isResult(uncorrected)) continue;
    const isLostFirst =
      lost[0] && lost[0].before < kept && (!firstDrop || lost[0].before <= firstDrop.position) ? lost[0] : undefined;
    repair.setMember(entry, {
      key: 'firstKeptEntryIndex',
      json: String(corrected),
      // That by which the first thing that the number counts along was lost.
      rule: (isLostFirst ?? firstDrop?.edits?.drop ?? lost[0])?.rule ?? 'torn-line',
      words: `the first kept entry is now number ${corrected}, was ${kept} (assumed)`,
      assumed: true,
    });
  }
}

function isResult(entry: RepairEntry | undefined): boolean {
  return entry?.role === 'toolResult';
}

/** What the writer counted and the output does not have, beside the entries that leave. */
function lostBefore({ index }: RepairState): { readonly before: number; readonly rule: string }[] {
  const dropped = index.headers.slice(1).filter(({ edits }) => edits?.drop);
  const lost = [
    ...index.lostBefore,
    ...dropped.map(({ position }) => ({ before: position, rule: 'second-header' })),
  ].sort((a, b) => a.before - b.before);
  // Without a header, the first thing that is lost before all entries was the header.
  return index.headers.length === 0 && lost[0]?.before === 0 ? lost.slice(1) : lost;
}
