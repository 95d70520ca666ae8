import type { ChangeRecord, QuarantineRecord } from '../../src/repair/index.ts';

/**
 * The input of a repair, from what it left behind: the output, the quarantine and the report. This follows the
 * description of the report and nothing in the code, so it fails when a byte is not accounted for.
 */
export function rebuildInput(
  output: Buffer,
  changes: readonly ChangeRecord[],
  quarantine: readonly QuarantineRecord[],
): Buffer {
  const kept = unchanged(output, changes);
  const parts: Buffer[] = [];
  let inputAt = 0;
  let keptAt = 0;
  for (const change of [...changes].sort((a, b) => a.offset - b.offset)) {
    if (change.offset < inputAt) throw new Error(`a change at byte ${change.offset} reaches into the one before it`);
    const same = change.offset - inputAt;
    parts.push(kept.subarray(keptAt, keptAt + same));
    keptAt += same;
    const before = inputBytes(output, change, quarantine);
    if (before.length !== change.length)
      throw new Error(`the change at byte ${change.offset} tells ${before.length} bytes, not ${change.length}`);
    parts.push(before);
    inputAt = change.offset + change.length;
  }
  parts.push(kept.subarray(keptAt));
  return Buffer.concat(parts);
}

/** The output without what changes put there. */
function unchanged(output: Buffer, changes: readonly ChangeRecord[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  const places = changes
    .flatMap(({ out }) => (out ? [out] : []))
    .sort((a, b) => a.offset - b.offset || a.length - b.length);
  for (const { offset, length } of places) {
    if (offset < at) throw new Error(`two changes claim byte ${offset} of the output`);
    parts.push(output.subarray(at, offset));
    at = offset + length;
  }
  parts.push(output.subarray(at));
  return Buffer.concat(parts);
}

function inputBytes(output: Buffer, change: ChangeRecord, quarantine: readonly QuarantineRecord[]): Buffer {
  if (change.length === 0) return Buffer.alloc(0);
  const reported =
    bytesOf(change) ??
    bytesOf(quarantine.find(({ offset, length }) => offset === change.offset && length === change.length));
  if (reported) return reported;
  if (change.action === 'moved' && change.out)
    return output.subarray(change.out.offset, change.out.offset + change.out.length);
  throw new Error(`the ${change.length} bytes at ${change.offset} are in neither output, quarantine nor report`);
}

export function bytesOf(record: ChangeRecord | QuarantineRecord | undefined): Buffer | undefined {
  if (record?.raw !== undefined) return Buffer.from(record.raw, 'utf8');
  return record?.rawBase64 === undefined ? undefined : Buffer.from(record.rawBase64, 'base64');
}

export function readRecords<Kind>(text: string): Kind[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Kind);
}
