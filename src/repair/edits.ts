import { applySplices, type Splice, setMember, skipSpace } from '../json/text.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import type { ChangeReason, MovedLine } from '../rules/fix/repair-state.ts';
import type { Piece, Region } from '../rules/fix/split-damaged-line.ts';
import { counted } from '../util/words.ts';
import type { Plan } from './plan.ts';

export type Action = 'split' | 'removed' | 'rewritten' | 'inserted' | 'moved';

/** Why an edit is made, if not for the damage of the region. An edit without words belongs to the one before it. */
interface EditReason extends Partial<Omit<ChangeReason, 'words'>> {
  readonly words?: string | undefined;
  readonly line?: number;
  /** The bytes go to the quarantine, else to the report. */
  readonly quarantine?: boolean;
  /** The moved header: reported once, at its old place. */
  readonly header?: MovedLine | undefined;
}

/** A change of a region; start and end are in bytes from its start. */
export interface Edit extends EditReason, Splice {
  readonly line: number;
  readonly rule: string;
  readonly action: Action;
}

/** All changes of one region, in order; they do not overlap. */
export class RegionEditor {
  readonly edits: Edit[] = [];
  /** Objects that stay, whose original bytes go to the quarantine. */
  readonly originals: (Pick<Piece, 'start' | 'end'> & { readonly rule: string })[] = [];
  readonly #region: Region;
  readonly #raw: string;
  readonly #ending: string;
  readonly #newline: string;
  /** Removed bytes are replaced by as many spaces. */
  readonly #keepsOffsets: boolean;
  #lineStart = 0;
  #linesBefore = 0;

  constructor(region: Region, raw: string, { newline, lastNewline, keepsOffsets, bytes }: Plan) {
    this.#region = region;
    this.#raw = raw;
    this.#ending = ['\r\n', '\n'].find((end) => raw.endsWith(end)) ?? '';
    this.#newline = this.#ending || lastNewline;
    // Nothing refers to garbage at the end of the file, so it needs no padding.
    const isTail = region.offset + region.length >= bytes && region.pieces.every(({ unit }) => !unit);
    this.#keepsOffsets = keepsOffsets === true && !isTail;
    const body = raw.length - this.#ending.length;
    const pieces = region.pieces.map((piece) => ({ ...piece, end: Math.min(piece.end, body) }));
    if (region.insert) {
      const { text, source, ...reason } = region.insert;
      this.#insert(
        0,
        encodeUtf8(typeof text === 'string' ? text : text('')) + (source?.newline ?? newline),
        'inserted',
        {
          ...reason,
          line: 1,
          header: source,
        },
      );
    } else if (pieces.some(isKept)) this.#keepSome(pieces);
    else this.#removeAll(pieces);
  }

  /** Removes all pieces, and the line end with the last one. */
  #removeAll(pieces: readonly Piece[]): void {
    for (const [at, piece] of pieces.entries())
      this.#remove(piece, pieces[at - 1]?.end ?? 0, pieces[at + 1] ? piece.end : this.#raw.length);
    this.#pad(this.#raw.length, this.#raw.length - this.#ending.length, this.#ending);
  }

  #keepSome(pieces: readonly Piece[]): void {
    let keptBefore = false;
    // The slot's line has a fixed size, so white space around it is removed too.
    let onSlotLine = pieces.some((piece) => isSlot(piece) && isKept(piece));
    let at = 0;
    for (const piece of pieces) {
      if (onSlotLine) this.#removeSpace(at, piece.start);
      at = piece.end;
      if (!isKept(piece)) {
        this.#remove(piece, piece.start, piece.end);
        this.#pad(piece.end, piece.end - piece.start);
        continue;
      }
      if (keptBefore) this.#insert(piece.start, this.#newline, 'split', { words: 'split it from the entry before it' });
      keptBefore = true;
      onSlotLine &&= isSlot(piece);
      this.#edit(piece);
    }
    if (onSlotLine) this.#removeSpace(at, this.#raw.length - this.#ending.length);
    if (this.#ending === '') this.#endLine(pieces);
  }

  /** A fixed line also gets its missing newline; on a healthy line that is a finding of its own. */
  #endLine(pieces: readonly Piece[]): void {
    const { length } = this.#raw;
    if (this.#region.rule !== '')
      this.#insert(length, this.#newline, 'inserted', { words: 'added a newline at the end of the line' });
    else if (pieces.some(({ unit }) => unit?.edits?.addNewline || (unit?.edits && unit.edits.after.length > 0))) {
      const words = 'added a newline at the end of the last line';
      this.#insert(length, this.#newline, 'inserted', { rule: 'missing-final-newline', words });
    }
  }

  /** Spaces in place of removed bytes, so that the offsets of what follows do not change. */
  #pad(at: number, bytes: number, ending = ''): void {
    if (!this.#keepsOffsets || bytes + ending.length <= 0) return;
    const words = `left ${counted(bytes, 'blank')} in its place: other logs may name offsets of this one`;
    this.#insert(at, ' '.repeat(Math.max(0, bytes)) + ending, 'inserted', {
      rule: this.edits.at(-1)?.rule ?? '',
      words,
    });
  }

  #removeSpace(start: number, end: number): void {
    const words = `removed ${counted(end - start, 'byte')} of whitespace next to the title slot`;
    if (start < end) this.#add({ start, end, text: '' }, 'removed', { words });
  }

  #remove({ kind, unit, ...piece }: Piece, start: number, end: number): void {
    const bytes = piece.end - piece.start;
    const gone = { start, end, text: '' };
    if (unit?.edits?.moved && unit.kind !== 'entry') this.#add(gone, 'moved', { ...unit.edits.moved, header: unit });
    else if (unit?.edits?.drop) this.#add(gone, 'removed', { ...unit.edits.drop, quarantine: true });
    else if (kind === 'blank') this.#add(gone, 'removed', { words: 'removed the blank line' });
    else if (kind === 'mark') this.#add(gone, 'removed', { words: 'removed the byte order mark' });
    else if (kind === 'nuls') this.#add(gone, 'removed', { words: `removed ${counted(bytes, 'NUL byte')}` });
    else this.#add(gone, 'removed', { words: `moved ${counted(bytes, 'byte')} to quarantine`, quarantine: true });
  }

  #edit(piece: Piece): void {
    const { start, end, unit, splices = [] } = piece;
    const changes = this.#changes(piece);
    const isCovered = (one: Splice): boolean =>
      changes.some(({ splice }) => splice.end > splice.start && one.start >= splice.start && one.end <= splice.end);
    const all: { splice: Splice; reason?: EditReason }[] = [
      ...changes,
      ...splices.filter((one) => !isCovered(one)).map((splice) => ({ splice })),
    ];
    // Stable: appended members keep their order, before a removal at the same position.
    all.sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end);
    let words: string | undefined = this.#byteWords(splices);
    for (const { splice, reason } of all) {
      const placed = { start: start + splice.start, end: start + splice.end, text: splice.text };
      const action = splice.text === '' ? 'removed' : 'rewritten';
      this.#add(placed, action, reason ?? { words, line: this.#lineAt(placed.start) });
      if (!reason) words = undefined;
    }
    const { keepsOld: rule = piece.keepsOld ? this.#region.rule : undefined, after = [] } = unit?.edits ?? {};
    if (rule !== undefined) this.originals.push({ start, end, rule });
    this.#pad(end, -all.reduce((sum, { splice }) => sum + splice.text.length - (splice.end - splice.start), 0));
    let edited: string | undefined;
    for (const { text, source, ...reason } of after) {
      const splicesOf = () => all.map(({ splice }) => splice);
      if (typeof text !== 'string') edited ??= decodeUtf8(applySplices(this.#raw.slice(start, end), splicesOf()));
      const line = typeof text === 'string' ? text : text(edited ?? '');
      this.#insert(end, this.#newline + encodeUtf8(line), 'inserted', { ...reason, header: source });
    }
  }

  /** The splices that change an object, as positions in the piece. */
  #changes({ start, end, unit, splices = [] }: Piece): { readonly splice: Splice; readonly reason: EditReason }[] {
    const { members, inner } = unit?.edits ?? { members: [], inner: [] };
    if (members.length + inner.length === 0) return [];
    const text = applySplices(this.#raw.slice(start, end), splices);
    const open = skipSpace(text, 0);
    const placed = (splice: Splice): Splice => {
      return { ...splice, start: originalPosition(splice.start, splices), end: originalPosition(splice.end, splices) };
    };
    const changes: { splice: Splice; reason: EditReason }[] = members.map(({ key, json, ...reason }) => {
      return { splice: placed(setMember(text, open, key, encodeUtf8(json))), reason };
    });
    const planned = inner.map((one) => ({ ...one, splices: one.splices(text, open).map(placed) }));
    const mayOverlap = anyOverlap([...changes.map(({ splice }) => splice), ...planned.flatMap((one) => one.splices)]);
    for (const { splices, words, ...reason } of planned) {
      const overlaps = ({ start, end }: Splice): boolean =>
        mayOverlap && changes.some(({ splice }) => start < splice.end && splice.start < end);
      // Two fixes may remove the same comma. The output must be JSON, so the second one waits for the next run.
      if (splices.some(overlaps)) continue;
      for (const splice of splices)
        changes.push({ splice, reason: { ...reason, words: splice === splices[0] ? words : undefined } });
    }
    return changes;
  }

  #byteWords(splices: readonly Splice[]): string {
    if (this.#region.lines > 1) return `joined ${counted(this.#region.lines, 'line')} into one`;
    const broken = splices.filter((one) => one.text !== '').length;
    const nuls = splices.reduce((sum, { start, end, text }) => (text === '' ? sum + end - start : sum), 0);
    const removed = nuls > 0 && `removed ${counted(nuls, 'NUL byte')}`;
    const replaced = broken > 0 && `replaced ${counted(broken, 'invalid UTF-8 sequence')}`;
    return [removed, replaced].filter(Boolean).join(', ');
  }

  /** To be called with rising positions. */
  #lineAt(start: number): number {
    for (;;) {
      const end = this.#raw.indexOf('\n', this.#lineStart);
      if (end < 0 || end >= start) return this.#region.line + this.#linesBefore;
      this.#lineStart = end + 1;
      this.#linesBefore++;
    }
  }

  #insert(at: number, text: string, action: Action, reason: EditReason): void {
    this.#add({ start: at, end: at, text }, action, reason);
  }

  #add(splice: Splice, action: Action, reason: EditReason): void {
    const { line, rule } = this.#region;
    this.edits.push({ line, rule, ...reason, ...splice, action });
  }
}

function anyOverlap(splices: Splice[]): boolean {
  splices.sort((a, b) => a.start - b.start || a.end - b.end);
  return splices.some(({ start }, at) => start < (splices[at - 1]?.end ?? 0));
}

function isKept({ kind, unit }: Piece): boolean {
  return kind === 'object' && unit !== undefined && !unit.edits?.drop && !unit.edits?.moved;
}

/** The title slot at the start of the file. */
function isSlot({ unit }: Piece): boolean {
  return unit?.kind === 'title' && unit.before === 0;
}

/** Maps a position after the splices back to one before them. */
function originalPosition(position: number, splices: readonly Splice[]): number {
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
