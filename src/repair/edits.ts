import { counted } from '../base/words.ts';
import { applySplices, type Splice, setMember, skipSpace } from '../json/text.ts';
import { encodeUtf8 } from '../lines/line.ts';
import type { FixedLine, Mend, Piece, Region, Unit } from './region.ts';

export type Action = 'split' | 'removed' | 'rewritten' | 'inserted' | 'moved';

/** A change of the bytes of a region. */
export interface Edit {
  /** In bytes from the start of the region. */
  readonly start: number;
  readonly end: number;
  /** What stands there instead, one character a byte. */
  readonly text: string;
  readonly line: number;
  readonly rule: string;
  readonly action: Action;
  /** The bytes leave for the quarantine; else they are told in the report. */
  readonly quarantine: boolean;
  /** What was done, for people; a change that belongs to the one before says nothing. */
  readonly words: string | undefined;
  readonly idBefore?: string | undefined;
  readonly idAfter?: string | undefined;
  readonly assumed?: boolean | undefined;
  /** The header that was moved: told once, where it stood. */
  readonly header?: FixedLine | undefined;
}

/** Bytes that the quarantine gets although the object stays. */
export interface OldBytes {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly rule: string;
}

export interface RegionEdits {
  /** In order, none reaches into another. */
  readonly edits: readonly Edit[];
  readonly old: readonly OldBytes[];
}

export interface EditOptions {
  readonly mendOf: (unit: Unit) => Mend | undefined;
  /** For a region without a line end of its own. */
  readonly newline: string;
  /** Whether a last line without an end gets one although nothing else is wrong with it. */
  readonly endsLine: boolean;
}

/** The line end that the bytes have: '\n', '\r\n' or none. */
export function endingOf(raw: string): string {
  if (!raw.endsWith('\n')) return '';
  return raw.endsWith('\r\n') ? '\r\n' : '\n';
}

/** All changes of the lines of one region. */
export function editRegion(region: Region, raw: string, options: EditOptions): RegionEdits {
  const writer = new RegionWriter(region, raw, options);
  return writer.write();
}

class RegionWriter {
  readonly #region: Region;
  readonly #raw: string;
  readonly #options: EditOptions;
  readonly #ending: string;
  readonly #newline: string;
  readonly #edits: Edit[] = [];
  readonly #old: OldBytes[] = [];
  #lineStart = 0;
  #linesBefore = 0;
  #hasNewLines = false;

  constructor(region: Region, raw: string, options: EditOptions) {
    this.#region = region;
    this.#raw = raw;
    this.#options = options;
    this.#ending = endingOf(raw);
    this.#newline = this.#ending === '' ? options.newline : this.#ending;
  }

  write(): RegionEdits {
    const { pieces } = this.#region;
    if (pieces.some((piece) => this.#stays(piece))) this.#writeStaying(pieces);
    else this.#writeLeaving(pieces);
    return { edits: this.#edits, old: this.#old };
  }

  #stays(piece: Piece): boolean {
    if (piece.kind !== 'object' || piece.unit === undefined) return false;
    const mend = this.#options.mendOf(piece.unit);
    return !mend?.drop && !mend?.moved;
  }

  /** Nothing of the line stays, so its line end goes as well, with the last piece. */
  #writeLeaving(pieces: readonly Piece[]): void {
    pieces.forEach((piece, index) => {
      const start = index === 0 ? 0 : (pieces[index - 1]?.end ?? 0);
      const end = index === pieces.length - 1 ? this.#raw.length : piece.end;
      this.#leave(piece, start, end);
    });
  }

  #writeStaying(pieces: readonly Piece[]): void {
    let stayed = false;
    // The slot's line has a fixed size, so no white space may stay on it; nothing stays before the slot.
    let onSlotLine = pieces.some((piece) => isSlot(piece) && this.#stays(piece));
    let at = 0;
    for (const piece of pieces) {
      if (onSlotLine) this.#cutSpace(at, piece.start);
      at = piece.end;
      if (!this.#stays(piece)) {
        this.#leave(piece, piece.start, piece.end);
        continue;
      }
      if (stayed) this.#add(piece.start, piece.start, this.#newline, 'split', { words: 'split it from the entry before it' });
      stayed = true;
      onSlotLine &&= isSlot(piece);
      this.#mend(piece);
    }
    if (onSlotLine) this.#cutSpace(at, this.#raw.length - this.#ending.length);
    // A line that had to be mended is ended too; of a line that is otherwise whole it is a finding of its own.
    const damaged = this.#region.rule !== '';
    const { length } = this.#raw;
    if (this.#ending === '' && damaged)
      this.#add(length, length, this.#newline, 'inserted', { words: 'added a newline at the end of the line' });
    else if (this.#ending === '' && (this.#options.endsLine || this.#hasNewLines)) {
      this.#add(length, length, this.#newline, 'inserted', {
        rule: 'missing-final-newline',
        words: 'added a newline at the end of the last line',
      });
    }
  }

  #cutSpace(start: number, end: number): void {
    if (start === end) return;
    this.#add(start, end, '', 'removed', { words: `removed ${counted(end - start, 'byte')} of white space beside the title slot` });
  }

  #leave(piece: Piece, start: number, end: number): void {
    const mend = piece.unit === undefined ? undefined : this.#options.mendOf(piece.unit);
    if (mend?.moved && typeof piece.unit === 'object') {
      this.#add(start, end, '', 'moved', { ...mend.moved, header: piece.unit });
    } else if (mend?.drop) {
      this.#add(start, end, '', 'removed', { ...mend.drop, quarantine: true });
    } else if (piece.kind === 'blank') {
      this.#add(start, end, '', 'removed', { words: 'removed the blank line' });
    } else if (piece.kind === 'nuls') {
      this.#add(start, end, '', 'removed', { words: `removed ${counted(piece.end - piece.start, 'NUL byte')}` });
    } else {
      this.#add(start, end, '', 'removed', { words: `moved ${counted(piece.end - piece.start, 'byte')} to quarantine`, quarantine: true });
    }
  }

  #mend(piece: Piece): void {
    const mend = piece.unit === undefined ? undefined : this.#options.mendOf(piece.unit);
    const changes = mend && (mend.members.length > 0 || mend.inner.length > 0) ? this.#changes(piece, mend) : [];
    const covered = (one: Splice): boolean =>
      changes.some(({ splice }) => splice.end > splice.start && one.start >= splice.start && one.end <= splice.end);
    let first = true;
    const all: { splice: Splice; told?: Partial<Edit> }[] = [
      ...changes,
      ...piece.mends.filter((one) => !covered(one)).map((splice) => ({ splice })),
    ];
    // The order among equals stays: members that are appended come in theirs, and before a cut that follows.
    all.sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end);
    for (const { splice, told } of all) {
      const action = splice.text === '' ? 'removed' : 'rewritten';
      if (told) {
        this.#add(splice.start, splice.end, splice.text, action, told);
        continue;
      }
      const words = first ? this.#byteWords(piece) : undefined;
      first = false;
      this.#add(splice.start, splice.end, splice.text, action, { words, line: this.#lineAt(splice.start) });
    }
    if (piece.keepsOld) this.#old.push({ start: piece.start, end: piece.end, line: this.#region.line, rule: this.#region.rule });
    for (const { text, rule, words, idAfter, source } of mend?.after ?? []) {
      this.#hasNewLines = true;
      this.#add(piece.end, piece.end, this.#newline + encodeUtf8(text), 'inserted', { rule, words, idAfter, header: source });
    }
  }

  /** The splices that change an object, in positions of the region. */
  #changes(piece: Piece, { members, inner }: Mend): { readonly splice: Splice; readonly told: Partial<Edit> }[] {
    const inPiece = piece.mends.map(({ start, end, text }) => ({ start: start - piece.start, end: end - piece.start, text }));
    const text = applySplices(this.#raw.slice(piece.start, piece.end), inPiece);
    const open = skipSpace(text, 0);
    const placed = ({ start, end, text: value }: Splice): Splice => {
      return { start: piece.start + unmended(start, inPiece), end: piece.start + unmended(end, inPiece), text: value };
    };
    const sets = members.map(({ key, json, ...told }) => ({ splice: placed(setMember(text, open, key, encodeUtf8(json))), told }));
    const deeper = inner.flatMap(({ splices, rule, words, assumed }) =>
      splices(text, open).map((splice, index) => ({
        splice: placed(splice),
        told: { rule, words: index === 0 ? words : undefined, assumed },
      })),
    );
    return [...sets, ...deeper];
  }

  #byteWords(piece: Piece): string {
    if (this.#region.lines > 1) return `joined ${counted(this.#region.lines, 'line')} into one`;
    const broken = piece.mends.filter((one) => one.text !== '').length;
    const nuls = piece.mends.filter((one) => one.text === '').reduce((sum, one) => sum + one.end - one.start, 0);
    const parts: string[] = [];
    if (nuls > 0) parts.push(`removed ${counted(nuls, 'NUL byte')}`);
    if (broken > 0) parts.push(`replaced ${counted(broken, 'invalid UTF-8 sequence')}`);
    return parts.join(', ');
  }

  /** Asked for in rising order. */
  #lineAt(start: number): number {
    for (;;) {
      const end = this.#raw.indexOf('\n', this.#lineStart);
      if (end < 0 || end >= start) return this.#region.line + this.#linesBefore;
      this.#lineStart = end + 1;
      this.#linesBefore++;
    }
  }

  #add(start: number, end: number, text: string, action: Action, told: Partial<Edit>): void {
    const { line, rule } = this.#region;
    this.#edits.push({ line, rule, quarantine: false, words: undefined, ...told, start, end, text, action });
  }
}

/** The title slot itself, and no further one. */
function isSlot({ unit }: Piece): boolean {
  return typeof unit === 'object' && unit.kind === 'title' && unit.before === 0;
}

/** Where a position of the mended bytes stood before the mends. */
function unmended(position: number, mends: readonly Splice[]): number {
  let mendedAt = 0;
  let rawAt = 0;
  for (const { start, end, text } of mends) {
    const same = start - rawAt;
    if (position <= mendedAt + same) break;
    mendedAt += same + text.length;
    rawAt = end;
    if (position < mendedAt) return start;
  }
  return rawAt + position - mendedAt;
}
