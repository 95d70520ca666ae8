import type { LogFormat } from '../../src/formats/format.ts';
import { memorySource, type NativeText, nativeTextOf } from './native-form.ts';
import { run } from './run.ts';

export type Json = Record<string, unknown>;

export const entriesOf = ({ lines }: Pick<NativeText, 'lines'>): Json[] =>
  lines.map((line) => JSON.parse(line) as Json);
export const messagesOf = (native: NativeText): Json[] =>
  entriesOf(native).flatMap(({ message }) => (message ? [message as Json] : []));
export const customsOf = (native: NativeText, type: string): Json[] =>
  entriesOf(native).flatMap(({ customType, data }) => (customType === type ? [data as Json] : []));
export const codes = (native: NativeText): Json =>
  Object.fromEntries(native.report.losses.map(({ code, count }) => [code, count]));
export const jsonl = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
export const nativeOf = (format: LogFormat, text: string): Promise<NativeText> =>
  nativeTextOf(format, memorySource(Buffer.from(text)));

/** A native session of these entries, each below the one before it; what an entry says itself goes before that. */
export function sessionOf(...entries: readonly Json[]): string {
  const timestamp = '2026-03-02T09:00:00.000Z';
  const header = { type: 'session', version: 3, id: 's1', timestamp, cwd: '/home/ada' };
  const parent = (at: number): string | null => (at === 0 ? null : `n${at - 1}`);
  return jsonl([header, ...entries.map((one, at) => ({ id: `n${at}`, parentId: parent(at), timestamp, ...one }))]);
}

/** Such a session in another format, without the first record, and what was lost on the way. */
export async function writtenAs(
  format: string,
  ...entries: readonly Json[]
): Promise<{ records: Json[]; losses: string }> {
  const stdin = sessionOf(...entries);
  const { stdout, stderr } = await run(['convert', '--to', format, '--from', 'pi'], { stdin });
  const [, ...records] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  return { records, losses: /\d+ loss(?:es)? \((.*)\)/.exec(stderr)?.[1] ?? 'none' };
}

export const messageOf = (message: Json): Json => ({ type: 'message', message });
export const resultOf = (toolCallId: string, more: Json = {}): Json =>
  messageOf({ role: 'toolResult', toolCallId, toolName: 'bash', content: [{ type: 'text', text: 'out' }], ...more });
export const callOf = (id: string): Json => ({ type: 'toolCall', id, name: 'bash', arguments: { command: 'ls' } });
export const customOf = (customType: string, data?: unknown): Json => ({ type: 'custom', customType, data });
