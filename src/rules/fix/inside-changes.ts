import { elementRemover, isInsideAny, setAt, valueAt } from '../../json/path.ts';
import { parseObject } from '../../json/value.ts';
import { decodeUtf8, encodeUtf8 } from '../../lines/line.ts';
import type { ChangeReason, InnerEdit } from './repair-state.ts';

/** The value that a path gets: JSON, or how that is made from what is there. */
export interface PathChange extends ChangeReason {
  readonly json: string | ((value: unknown) => string);
}

/** What changes inside a record. */
export class InsideChanges {
  /** New values by path. */
  readonly set = new Map<string, PathChange>();
  /** The paths of blocks that leave. */
  readonly removed = new Map<string, ChangeReason>();
  /** How many blocks a list has that something was found in, by its path. */
  readonly lengths = new Map<string, number>();
  /** How many of them leave. */
  readonly leaving = new Map<string, number>();

  /** All of it as changes of the record's text. */
  edits(): InnerEdit[] {
    const inner: InnerEdit[] = [];
    const remove = elementRemover(new Set(this.removed.keys()));
    for (const [path, reason] of this.removed)
      inner.push({ ...reason, splices: (text, open) => remove(text, open, path) });
    for (const [path, { json, ...reason }] of this.set) {
      if (isInsideAny(path, this.removed)) continue;
      const jsonOf = (text: string): string =>
        typeof json === 'string' ? json : json(valueAt(parseObject(decodeUtf8(text)), path));
      inner.push({ ...reason, splices: (text, open) => setAt(text, open, path, encodeUtf8(jsonOf(text))) });
    }
    return inner;
  }
}
