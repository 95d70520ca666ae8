import type { LogFormat } from '../../src/formats/format.ts';
import { memorySource, type NativeText, nativeTextOf } from './native-form.ts';

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
