import type { Splice } from '../../json/text.ts';
import type { JsonObject } from '../../json/value.ts';

/** A value that an object gets for one of its members. */
export interface NewMember {
  readonly key: string;
  /** As JSON. */
  json: string;
  readonly rule: string;
  /** What was done, for people. */
  words: string;
  readonly idBefore?: string | undefined;
  idAfter?: string | undefined;
  readonly assumed?: boolean;
}

/** A change deeper inside of an object, worked out when its text is at hand. */
export interface InnerEdit {
  readonly rule: string;
  readonly words: string;
  readonly assumed?: boolean;
  /** In an object that opens at a position of a text. */
  readonly splices: (text: string, open: number) => readonly Splice[];
}

/** A line that is put into the log. */
export interface NewLine {
  /** Without its line end. */
  readonly text: string;
  readonly rule: string;
  readonly words: string;
  readonly idAfter?: string | undefined;
  /** The header that it was at its old place. */
  readonly source?: HeadLine;
}

/** What happens to a header, a title slot or an entry. */
export interface ObjectEdits {
  /** The object leaves the log, for the quarantine. */
  drop?: { readonly rule: string; readonly words: string };
  /** The object stands elsewhere in the output. */
  moved?: {
    readonly rule: string;
    readonly words: string;
    readonly idBefore?: string | undefined;
    readonly idAfter?: string | undefined;
  };
  /** Its line gets the line end that it lacks. */
  endsLine?: boolean;
  readonly members: NewMember[];
  readonly inner: InnerEdit[];
  /** Lines that follow it. */
  readonly after: NewLine[];
}

/** A header or a title slot. */
export interface HeadLine {
  readonly kind: 'header' | 'title';
  readonly line: number;
  /** Of the object alone where it shares its line, else of the line. */
  readonly offset: number;
  readonly length: number;
  /** The line end that it will have. */
  readonly newline: string;
  readonly value: JsonObject;
  /** The object's bytes with their damage fixed, without a line end. */
  readonly raw: string;
  /** How many objects stand before it in the file. */
  readonly before: number;
  /** How many entries do. */
  readonly entry: number;
  /** It stands on a line that stays as it is, though it is damaged. */
  readonly frozen: boolean;
  /** What is wrong with its line, where that is fixed. */
  readonly damage: string | undefined;
  /** It has its line for itself. */
  readonly alone: boolean;
  edits: ObjectEdits | undefined;
}

/** An object: the number of an entry, or a header or title slot. */
export type Unit = number | HeadLine;

/** A part of a damaged line; what lies between pieces is white space. */
export interface Piece {
  readonly kind: 'object' | 'junk' | 'nuls' | 'blank' | 'mark';
  /** In bytes from the start of the region. */
  readonly start: number;
  readonly end: number;
  /** For an object: what makes its bytes whole, in positions of the region. */
  readonly splices: readonly Splice[];
  /** The bytes as they were go to the quarantine although the object stays. */
  readonly keepsOld: boolean;
  readonly value?: JsonObject | undefined;
  readonly unit?: Unit | undefined;
}

/** Damaged lines that are fixed together: one line, or those of one printed object. */
export interface Region {
  /** The number of the first line. */
  readonly line: number;
  readonly offset: number;
  /** With the last line's end. */
  readonly length: number;
  readonly rule: string;
  readonly pieces: readonly Piece[];
  /** Lines of a printed object, or 1. */
  readonly lines: number;
}

/** A piece that holds no object. */
export function plainPiece(kind: Piece['kind'], start: number, end: number): Piece {
  return { kind, start, end, splices: [], keepsOld: false };
}
