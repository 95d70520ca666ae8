import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Output } from '../util/io.ts';
import { escapeUnsafe, jsonEscape } from '../util/printable.ts';
import type { Io } from './command.ts';

/**
 * Where a log is handed on to standard output: its bytes as they are, except on a terminal, which gets escapes, those
 * of JSON unless others are given, for what could move its cursor or reorder its text.
 */
export function terminalSafe(stdout: Io['stdout'], spell = jsonEscape): Output {
  if (stdout.isTTY !== true) return stdout;
  const decoder = new StringDecoder('utf8');
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      const lines = decoder.write(bytes).split('\n');
      const shown = lines.map((line) => escapeUnsafe(line, spell)).join('\n');
      if (shown === '') done();
      else stdout.write(shown, done);
    },
  });
}
