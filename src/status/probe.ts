import { isObject, type JsonObject } from '../json/value.ts';
import type { CallFacts } from './facts.ts';

/** What to look for in the workspace for one pending call, and what was seen there. Deciding only; src/files reads. */
export type ProbeRequest =
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly edits: readonly TextEdit[] }
  /** Tools whose effect cannot be seen in the file: only its time is reported. */
  | { readonly kind: 'time'; readonly path: string };

export interface TextEdit {
  readonly before: string;
  readonly after: string;
}

/** What the file room found. */
export type ProbeReading =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly modified: number }
  /** The size alone already decides, or the file is too large to read. */
  | { readonly kind: 'size'; readonly size: number; readonly modified: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: string };

export interface Probe {
  readonly result: 'appears applied' | 'appears not applied' | 'ambiguous' | 'unknown';
  readonly path?: string;
  readonly reason: string;
  /** ISO 8601; supporting evidence only. */
  readonly modified?: string;
  readonly modifiedAfterCall?: boolean;
}

const PATH_KEYS = ['path', 'file_path', 'filePath', 'notebook_path'];
const WRITERS = new Set(['write', 'write_file']);
const EDITORS = new Set(['edit', 'multiedit', 'replace', 'str_replace']);

/** The file that a call's arguments name, in the spellings that agents use. */
export function pathArgument(args: JsonObject): string | undefined {
  return PATH_KEYS.map((key) => args[key]).find((path): path is string => typeof path === 'string' && path !== '');
}

/** Undefined where the call names no file at all. */
export function probeRequest(call: CallFacts): ProbeRequest | undefined {
  const { args } = call;
  if (!isObject(args)) return undefined;
  const path = pathArgument(args);
  if (path === undefined) return undefined;
  const name = call.toolName.toLowerCase();
  if (WRITERS.has(name) && typeof args['content'] === 'string')
    return { kind: 'write', path, content: args['content'] };
  if (EDITORS.has(name)) {
    const edits = editsOf(args);
    if (edits) return { kind: 'edit', path, edits };
  }
  return { kind: 'time', path };
}

function editsOf(args: JsonObject): TextEdit[] | undefined {
  if (Array.isArray(args['edits'])) {
    const edits = args['edits'].map(editOf);
    return edits.length > 0 && edits.every((edit) => edit !== undefined) ? edits : undefined;
  }
  const one = editOf(args);
  return one ? [one] : undefined;
}

function editOf(value: unknown): TextEdit | undefined {
  if (!isObject(value)) return undefined;
  const before = value['oldText'] ?? value['old_string'] ?? value['old_str'];
  const after = value['newText'] ?? value['new_string'] ?? value['new_str'];
  return typeof before === 'string' && before !== '' && typeof after === 'string' ? { before, after } : undefined;
}

export function judgeProbe(request: ProbeRequest, reading: ProbeReading, callTime: number | undefined): Probe {
  const { path } = request;
  if (reading.kind === 'refused') return { result: 'unknown', path, reason: reading.why };
  if (reading.kind === 'absent') {
    if (request.kind === 'write') return { result: 'appears not applied', path, reason: 'the file does not exist' };
    if (request.kind === 'edit')
      return { result: 'unknown', path, reason: 'the file does not exist, so there is nothing to compare' };
    return {
      result: 'unknown',
      path,
      reason: 'the file does not exist, and the call does not say what it would contain',
    };
  }
  const times = timesOf(reading.modified, callTime);
  if (request.kind === 'time')
    return {
      result: 'unknown',
      path,
      reason: 'cannot be determined for this tool; only the time of the file is known',
      ...times,
    };
  if (request.kind === 'write') {
    const wanted = Buffer.from(request.content, 'utf8');
    const same = reading.kind === 'file' && Buffer.compare(wanted, reading.bytes) === 0;
    if (reading.kind === 'size' && reading.size === wanted.length) {
      return { result: 'unknown', path, reason: 'the file is too large to compare', ...times };
    }
    return same
      ? { result: 'appears applied', path, reason: 'the file has exactly what the call would write', ...times }
      : { result: 'appears not applied', path, reason: 'the file has other content', ...times };
  }
  if (reading.kind === 'size') return { result: 'unknown', path, reason: 'the file is too large to search', ...times };
  return { ...judgeEdits(request.edits, reading.bytes), path, ...times };
}

function judgeEdits(edits: readonly TextEdit[], bytes: Uint8Array): Pick<Probe, 'result' | 'reason'> {
  // The editing tools match across line endings, so the comparison does too.
  const text = new TextDecoder('utf-8').decode(bytes).replaceAll('\r\n', '\n');
  let applied = 0;
  let open = 0;
  for (const edit of edits) {
    const before = edit.before.replaceAll('\r\n', '\n');
    const after = edit.after.replaceAll('\r\n', '\n');
    if (after === '' || before.includes(after)) {
      return {
        result: 'ambiguous',
        reason: 'the new text is empty or part of the old one, so its presence proves nothing',
      };
    }
    const hasBefore = text.includes(before);
    const hasAfter = text.includes(after);
    if (hasAfter && !hasBefore) applied++;
    if (hasBefore && !hasAfter) open++;
  }
  if (applied === edits.length)
    return { result: 'appears applied', reason: 'the file has the new text and not the old one' };
  if (open === edits.length)
    return { result: 'appears not applied', reason: 'the file has the old text and not the new one' };
  return { result: 'ambiguous', reason: 'the file has both texts, neither, or some edits and not others' };
}

function timesOf(modified: number, callTime: number | undefined): Pick<Probe, 'modified' | 'modifiedAfterCall'> {
  if (!Number.isFinite(modified) || Math.abs(modified) > 8.64e15) return {};
  const iso = new Date(modified).toISOString();
  return callTime === undefined ? { modified: iso } : { modified: iso, modifiedAfterCall: modified >= callTime };
}
