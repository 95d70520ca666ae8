import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNative, type Rule } from '../src/rules/rule.ts';

/** How an example is written, for readers. */
export const CONVENTION =
  'In the examples `…` is what was left out of a line, or whole lines, `\\xe9` is a byte, and a last line without its newline is marked as in a diff.';

const NO_NEWLINE = '\n\\ No newline at end of file';

/** The log in fixtures that the example of a rule is from. */
interface RuleExample {
  /** The arguments of `sessionctl` that check the log. */
  readonly argv: readonly string[];
  /** The lines of the log that may be the example, each time from the first to the last. */
  readonly places: readonly (readonly [first: number, last: number])[];
}

/** A rule that only applies to other agents has its log in a folder of that agent. */
export function exampleOf(rule: Rule): RuleExample {
  const own = join('fixtures/rules', rule.id);
  const formats = isNative(rule) ? [''] : existsSync(own) ? readdirSync(own) : [];
  const logs = formats.map((format) => {
    const folder = join(own, format);
    const file = join(folder, 'bad.jsonl');
    return { folder, file, bytes: readFileSync(file) };
  });
  for (const { folder, file, bytes } of logs) {
    const places = placesOf(rule.example, bytes);
    if (places.length > 0) return { argv: ['validate', ...optionsIn(folder), file], places };
  }
  const missing = missingFrom(
    rule.example,
    logs.map(({ bytes }) => bytes),
  );
  throw new Error(`the example of ${rule.id} is in no bad.jsonl below ${own}; ${missing}`);
}

/** What keeps an example from being found: its first line that no log has, else the order of its lines. */
export function missingFrom(example: string, logs: readonly Buffer[]): string {
  const lines = example.replace(NO_NEWLINE, '').split('\n');
  const line = lines.find((one) => one !== '…' && !logs.some((log) => placesOf(one, withNewline(log)).length > 0));
  if (line === undefined) return 'all of its lines are there, but not like this, one after the other';
  return `no whole line is ${line} ('…' is one character or more)`;
}

function withNewline(log: Buffer): Buffer {
  return log.at(-1) === 0x0a ? log : Buffer.concat([log, Buffer.from('\n')]);
}

/** What `validate` needs to find what is in the logs of a folder of fixtures. */
export function optionsIn(folder: string): string[] {
  const path = join(folder, 'options');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ') : [];
}

/** Where an example occurs in a log. */
export function placesOf(example: string, log: Buffer): [first: number, last: number][] {
  const isAtEnd = example.endsWith(NO_NEWLINE);
  const lines = (isAtEnd ? example.slice(0, -NO_NEWLINE.length) : example).split('\n').map(linePattern);
  const pattern = new RegExp(`(?<![^\\n])${lines.join('\\n')}${isAtEnd ? '$' : '(?=\\n)'}`, 'g');
  const text = log.toString('latin1');
  return [...text.matchAll(pattern)].map((found) => {
    const first = text.slice(0, found.index).split('\n').length;
    return [first, first + found[0].split('\n').length - 1];
  });
}

function linePattern(line: string): string {
  if (line === '…') return '[^\\n]*(?:\\n[^\\n]*)*?';
  const pieces = line.split('…').map((piece) => {
    const bytes = Buffer.from(piece).toString('latin1');
    return bytes.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\\\\x([0-9a-f]{2})/g, '\\x$1');
  });
  return pieces.join('[^\\n]+?');
}
