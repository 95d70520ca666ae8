import { isObject, type JsonObject } from '../json/value.ts';
import type { Classify } from './classes.ts';
import type { CallFacts, PathFacts } from './facts.ts';

/** What to look for in the workspace for a pending call. Files are read by src/files. */
export type ProbeRequest =
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly edits: readonly TextEdit[] }
  /** For tools whose effect cannot be seen in the file: only its time is reported. */
  | { readonly kind: 'time'; readonly path: string };

type TextEdit = Readonly<{ before: string; after: string }>;

/** What was read of the file. */
export type ProbeReading =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly modified: number }
  /** The size alone decides, or the file is too large to read. */
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

/** The file that a call's arguments name, by the keys that agents use. */
export function pathArgument(args: JsonObject): string | undefined {
  return PATH_KEYS.map((key) => args[key]).find((path): path is string => typeof path === 'string' && path !== '');
}

/** Compares the files of pending edits and writes with the result that the calls would have; `read` reads one file. */
export function probeCalls(
  { pending, lastTurn }: PathFacts,
  classify: Classify,
  read: (path: string, expectedSize: number | undefined) => ProbeReading,
): ReadonlyMap<CallFacts, Probe> {
  const writes = pending.filter((call) => classify(call.toolName, call.args).class === 'workspace-write');
  const probeOf = (call: CallFacts): Probe => {
    const request = probeRequest(call);
    if (!request) return { result: 'unknown', reason: 'the call does not name a file to check' };
    const size = request.kind === 'write' ? Buffer.byteLength(request.content) : undefined;
    return judgeProbe(request, read(request.path, size), lastTurn?.time);
  };
  return new Map(writes.map((call) => [call, probeOf(call)]));
}

/** Undefined if the call names no file. */
export function probeRequest({ args, toolName }: CallFacts): ProbeRequest | undefined {
  const path = isObject(args) ? pathArgument(args) : undefined;
  if (!isObject(args) || path === undefined) return undefined;
  const { content } = args;
  const name = toolName.toLowerCase();
  if (/^(?:write|write_file)$/.test(name) && typeof content === 'string') return { kind: 'write', path, content };
  const edits = /^(?:edit|multiedit|replace|str_replace)$/.test(name) ? editsOf(args) : [];
  return edits.length > 0 ? { kind: 'edit', path, edits } : { kind: 'time', path };
}

/** Empty if one of them cannot be read. */
function editsOf(args: JsonObject): TextEdit[] {
  const given: unknown[] = Array.isArray(args['edits']) ? args['edits'] : [args];
  const edits = given.map((edit) => {
    const value = isObject(edit) ? edit : {};
    const before = value['oldText'] ?? value['old_string'] ?? value['old_str'];
    const after = value['newText'] ?? value['new_string'] ?? value['new_str'];
    return typeof before === 'string' && before !== '' && typeof after === 'string' ? { before, after } : undefined;
  });
  return edits.every((edit) => edit !== undefined) ? edits : [];
}

export function judgeProbe(request: ProbeRequest, reading: ProbeReading, callTime: number | undefined): Probe {
  const { path } = request;
  const times = 'modified' in reading ? timesOf(reading.modified, callTime) : {};
  const probe = (result: Probe['result'], reason: string): Probe => ({ result, path, reason, ...times });
  if (reading.kind === 'refused') return probe('unknown', reading.why);
  if (reading.kind === 'absent') {
    if (request.kind === 'write') return probe('appears not applied', 'the file does not exist');
    const why =
      request.kind === 'edit' ? 'so there is nothing to compare' : 'and the call does not say what it would contain';
    return probe('unknown', `the file does not exist, ${why}`);
  }
  if (request.kind === 'time')
    return probe('unknown', 'cannot be determined for this tool; only the time of the file is known');
  if (request.kind === 'edit') {
    if (reading.kind === 'size') return probe('unknown', 'the file is too large to search');
    return { ...judgeEdits(request.edits, reading.bytes), path, ...times };
  }
  const expected = Buffer.from(request.content, 'utf8');
  if (reading.kind === 'size' && reading.size === expected.length)
    return probe('unknown', 'the file is too large to compare');
  return reading.kind === 'file' && expected.equals(reading.bytes)
    ? probe('appears applied', 'the file has exactly what the call would write')
    : probe('appears not applied', 'the file has other content');
}

function judgeEdits(edits: readonly TextEdit[], bytes: Uint8Array): Pick<Probe, 'result' | 'reason'> {
  // Editing tools ignore differences in line endings.
  const unified = (text: string) => text.replaceAll('\r\n', '\n');
  const text = unified(new TextDecoder('utf-8').decode(bytes));
  const pairs = edits.map(({ before, after }) => [unified(before), unified(after)] as const);
  const reason = 'the new text is empty or part of the old one, so its presence proves nothing';
  // Every text contains the empty one.
  if (pairs.some(([before, after]) => before.includes(after))) return { result: 'ambiguous', reason };
  if (pairs.every(([before, after]) => text.includes(after) && !text.includes(before)))
    return { result: 'appears applied', reason: 'the file has the new text and not the old one' };
  if (pairs.every(([before, after]) => text.includes(before) && !text.includes(after)))
    return { result: 'appears not applied', reason: 'the file has the old text and not the new one' };
  return { result: 'ambiguous', reason: 'the file has both texts, neither, or some edits and not others' };
}

function timesOf(modified: number, callTime: number | undefined): Pick<Probe, 'modified' | 'modifiedAfterCall'> {
  if (!Number.isFinite(modified) || Math.abs(modified) > 8.64e15) return {};
  const iso = new Date(modified).toISOString();
  return callTime === undefined ? { modified: iso } : { modified: iso, modifiedAfterCall: modified >= callTime };
}
