import { isHeader, isTitleSlot, versionOf } from '../../entries/envelope-check.ts';
import { parseObject } from '../../json/value.ts';
import { readLines } from '../../lines/reader.ts';

/** By the header; everything that is wrong with it is told when the lines are migrated. */
export async function isVersion1(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const line of readLines(chunks)) {
    if (line.blank) continue;
    const value = parseObject(line.raw);
    if (value && isTitleSlot(value)) continue;
    return value !== undefined && isHeader(value) && versionOf(value).version === 1;
  }
  return false;
}
