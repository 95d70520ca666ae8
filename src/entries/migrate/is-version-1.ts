import { readLines } from '../../lines/reader.ts';
import { isHeader, isTitleSlot, versionOf } from '../envelope-check.ts';
import { isObject } from '../json-value.ts';

/** By the header; everything that is wrong with it is told when the lines are migrated. */
export async function isVersion1(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const line of readLines(chunks)) {
    if (line.blank) continue;
    try {
      const value: unknown = JSON.parse(line.raw);
      if (isObject(value) && isTitleSlot(value)) continue;
      return isObject(value) && isHeader(value) && versionOf(value).version === 1;
    } catch {
      return false;
    }
  }
  return false;
}
