import { BYTE_ORDER_MARK, type Damage, readContent } from '../entries/damage.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';

/** What a line holds, for commands that read or change it as text. */
export interface EditableLine {
  readonly damage: Damage | 'byte-order-mark' | undefined;
  /** Undefined for a blank line, a damaged one but for a byte order mark, and a message that is surely whole. */
  readonly value: JsonObject | undefined;
  /** Where the object may begin: behind a byte order mark. */
  readonly from: number;
}

export function editableLine(line: Line, version: number | undefined): EditableLine {
  const { damage, objects } = readContent(line, version);
  const value = damage ? undefined : objects[0]?.value;
  const from = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  return { damage: value && from > 0 ? 'byte-order-mark' : damage, value, from };
}
