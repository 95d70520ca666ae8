import { applySplices, type Splice, setMember, skipSpace } from '../json/text.ts';
import { encodeUtf8 } from '../lines/line.ts';
import type { HeadLine, ObjectEdits, Piece, Region, Unit } from '../rules/fix/repair-edits.ts';
import { counted } from '../util/words.ts';

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
  /** The bytes leave for the quarantine; else they are in the report. */
  readonly quarantine: boolean;
  /** What was done, for people; a change that belongs to the one before says nothing. */
  readonly words: string | undefined;
  readonly idBefore?: string | undefined;
  readonly idAfter?: string | undefined;
  readonly assumed?: boolean | undefined;
  /** The header that was moved: reported once, where it stood. */
  readonly header?: HeadLine | undefined;
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
  readonly editsOf: (unit: Unit) => ObjectEdits | undefined;
  /** For a region without a line end of its own. */
  readonly newline: string;
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
    const edits = this.#editsOf(piece);
    return !edits?.drop && !edits?.moved;
  }

  #editsOf({ unit }: Piece): ObjectEdits | undefined {
    return unit === undefined ? undefined : this.#options.editsOf(unit);
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
      if (stayed)
        this.#add(piece.start, piece.start, this.#newline, 'split', { words: 'split it from the entry before it' });
      stayed = true;
      onSlotLine &&= isSlot(piece);
      this.#edit(piece);
    }
    if (onSlotLine) this.#cutSpace(at, this.#raw.length - this.#ending.length);
    // A line that had to be fixed is ended too; of a line that is otherwise whole it is a finding of its own.
    const damaged = this.#region.rule !== '';
    const { length } = this.#raw;
    if (this.#ending === '' && damaged)
      this.#add(length, length, this.#newline, 'inserted', { words: 'added a newline at the end of the line' });
    else if (this.#ending === '' && (this.#hasNewLines || pieces.some((piece) => this.#editsOf(piece)?.endsLine))) {
      this.#add(length, length, this.#newline, 'inserted', {
        rule: 'missing-final-newline',
        words: 'added a newline at the end of the last line',
      });
    }
  }

  #cutSpace(start: number, end: number): void {
    if (start === end) return;
    this.#add(start, end, '', 'removed', {
      words: `removed ${counted(end - start, 'byte')} of whitespace next to the title slot`,
    });
  }

  #leave(piece: Piece, start: number, end: number): void {
    const edits = this.#editsOf(piece);
    if (edits?.moved && typeof piece.unit === 'object') {
      this.#add(start, end, '', 'moved', { ...edits.moved, header: piece.unit });
    } else if (edits?.drop) {
      this.#add(start, end, '', 'removed', { ...edits.drop, quarantine: true });
    } else if (piece.kind === 'blank' || piece.kind === 'mark') {
      this.#add(start, end, '', 'removed', {
        words: `removed the ${piece.kind === 'mark' ? 'byte order mark' : 'blank line'}`,
      });
    } else if (piece.kind === 'nuls') {
      this.#add(start, end, '', 'removed', { words: `removed ${counted(piece.end - piece.start, 'NUL byte')}` });
    } else {
      this.#add(start, end, '', 'removed', {
        words: `moved ${counted(piece.end - piece.start, 'byte')} to quarantine`,
        quarantine: true,
      });
    }
  }

  #edit(piece: Piece): void {
    const edits = this.#editsOf(piece);
    const changes = edits && (edits.members.length > 0 || edits.inner.length > 0) ? this.#changes(piece, edits) : [];
    const covered = (one: Splice): boolean =>
      changes.some(({ splice }) => splice.end > splice.start && one.start >= splice.start && one.end <= splice.end);
    let first = true;
    const all: { splice: Splice; report?: Partial<Edit> }[] = [
      ...changes,
      ...piece.splices.filter((one) => !covered(one)).map((splice) => ({ splice })),
    ];
    // The order among equals stays: members that are appended come in theirs, and before a cut that follows.
    all.sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end);
    for (const { splice, report } of all) {
      const action = splice.text === '' ? 'removed' : 'rewritten';
      if (report) {
        this.#add(splice.start, splice.end, splice.text, action, report);
        continue;
      }
      const words = first ? this.#byteWords(piece) : undefined;
      first = false;
      this.#add(splice.start, splice.end, splice.text, action, { words, line: this.#lineAt(splice.start) });
    }
    if (piece.keepsOld)
      this.#old.push({ start: piece.start, end: piece.end, line: this.#region.line, rule: this.#region.rule });
    for (const { text, rule, words, idAfter, source } of edits?.after ?? []) {
      this.#hasNewLines = true;
      this.#add(piece.end, piece.end, this.#newline + encodeUtf8(text), 'inserted', {
        rule,
        words,
        idAfter,
        header: source,
      });
    }
  }

  /** The splices that change an object, in positions of the region. */
  #changes(
    piece: Piece,
    { members, inner }: ObjectEdits,
  ): { readonly splice: Splice; readonly report: Partial<Edit> }[] {
    const inPiece = piece.splices.map(({ start, end, text }) => ({
      start: start - piece.start,
      end: end - piece.start,
      text,
    }));
    const text = applySplices(this.#raw.slice(piece.start, piece.end), inPiece);
    const open = skipSpace(text, 0);
    const placed = ({ start, end, text: value }: Splice): Splice => {
      return { start: piece.start + unfixed(start, inPiece), end: piece.start + unfixed(end, inPiece), text: value };
    };
    const sets = members.map(({ key, json, ...report }) => ({
      splice: placed(setMember(text, open, key, encodeUtf8(json))),
      report,
    }));
    const deeper = inner.flatMap(({ splices, rule, words, assumed }) =>
      splices(text, open).map((splice, index) => ({
        splice: placed(splice),
        report: { rule, words: index === 0 ? words : undefined, assumed },
      })),
    );
    return [...sets, ...deeper];
  }

  #byteWords(piece: Piece): string {
    if (this.#region.lines > 1) return `joined ${counted(this.#region.lines, 'line')} into one`;
    const broken = piece.splices.filter((one) => one.text !== '').length;
    const nuls = piece.splices.filter((one) => one.text === '').reduce((sum, one) => sum + one.end - one.start, 0);
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

  #add(start: number, end: number, text: string, action: Action, report: Partial<Edit>): void {
    const { line, rule } = this.#region;
    this.#edits.push({ line, rule, quarantine: false, words: undefined, ...report, start, end, text, action });
  }
}

/** The title slot itself, and no further one. */
function isSlot({ unit }: Piece): boolean {
  return typeof unit === 'object' && unit.kind === 'title' && unit.before === 0;
}

/** Where a position of the fixed bytes stood before the splices. */
function unfixed(position: number, splices: readonly Splice[]): number {
  let fixedAt = 0;
  let rawAt = 0;
  for (const { start, end, text } of splices) {
    const same = start - rawAt;
    if (position <= fixedAt + same) break;
    fixedAt += same + text.length;
    rawAt = end;
    if (position < fixedAt) return start;
  }
  return rawAt + position - fixedAt;
}
