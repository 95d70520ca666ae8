import { isUtf8 } from 'node:buffer';
import type { Action } from './edits.ts';

/** Bytes in JSON: as text where they are text, else in base64. */
export type RawBytes = { readonly raw: string } | { readonly rawBase64: string };

/** One change, as the report has it. Offsets and lengths are in bytes of the input, and of the output. */
export interface ChangeRecord {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly rule: string;
  readonly action: Action;
  readonly out: { readonly offset: number; readonly length: number } | null;
  readonly raw?: string;
  readonly rawBase64?: string;
  readonly idBefore?: string;
  readonly idAfter?: string;
  readonly assumed?: true;
}

/** A piece that left the log, or the old bytes of one that was fixed. */
export interface QuarantineRecord {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly rule: string;
  readonly raw?: string;
  readonly rawBase64?: string;
}

/** A longer text could exceed what one string holds once it is escaped. */
const LONGEST_TEXT = 64 * 1024 * 1024;

/** Bytes, held one to a character, for a record. */
export function rawBytes(raw: string): RawBytes {
  const bytes = Buffer.from(raw, 'latin1');
  if (raw.length <= LONGEST_TEXT && isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    // Controls are escaped with six characters each; base64 takes less.
    if (controls(text) * 8 <= Math.max(64, raw.length)) return { raw: text };
  }
  return { rawBase64: bytes.toString('base64') };
}

function controls(text: string): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x20) found++;
  return found;
}
