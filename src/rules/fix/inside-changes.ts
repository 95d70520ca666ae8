import { elementRemover, isInsideAny, setAt, valueAt } from '../../json/path.ts';
import { parseObject } from '../../json/value.ts';
import { decodeUtf8, encodeUtf8 } from '../../lines/line.ts';
import type { ChangeReason, InnerEdit } from './repair-state.ts';

/** A new value for a path: JSON, or a function that makes it from the current value. */
export interface PathChange extends ChangeReason {
  readonly json: string | ((value: unknown) => string);
}

/** The changes inside a record. */
export class InsideChanges {
  /** New values by path. */
  readonly set = new Map<string, PathChange>();
  /** The paths of removed blocks. */
  readonly removed = new Map<string, ChangeReason>();
  /** By the path of a list with findings: how many blocks it has. */
  readonly lengths = new Map<string, number>();
  /** By the path of a list: how many of its blocks are removed. */
  readonly leaving = new Map<string, number>();

  /** All changes as edits of the record's text. */
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
