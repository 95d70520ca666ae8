import type { ConversionReport } from '../formats/format.ts';
import { counted, grouped } from '../util/words.ts';

/** What became of the records of a log, in one line. */
export function reportLine({ counts, losses }: ConversionReport): string {
  const { records, mapped, merged, custom, dropped } = counts;
  const parts = [
    ...[`${grouped(mapped)} mapped`, `${grouped(merged)} merged`],
    ...[`${grouped(custom)} kept as custom`, `${grouped(dropped)} dropped`],
  ];
  const list = losses.map(({ code, count }) => `${code} ${grouped(count)}`).join(', ');
  const lost = losses.length === 0 ? 'no losses' : `${counted(losses.length, 'loss', 'losses')} (${list})`;
  return `${counted(records, 'record')}: ${parts.join(', ')}; ${lost}`;
}

/** Whether the model would see something else than it saw. */
export function changesContext({ losses }: ConversionReport): boolean {
  return losses.some(({ severity }) => severity !== 'info');
}
