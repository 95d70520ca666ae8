import { narrowMode } from '../files/append-file.ts';
import { requireOtherPlace } from '../files/disk.ts';
import { inputChunks } from '../files/input.ts';
import { PRIVATE_MODE, toFile, writeTo } from '../files/sink.ts';
import { Line } from '../lines/line.ts';
import { copyOf } from '../log/byte-store.ts';
import { KIND_IDS } from '../redact/finder.ts';
import { newTally, Redactor, type Tally } from '../redact/redactor.ts';
import { UsageError } from '../util/errors.ts';
import { counted, didYouMean, grouped } from '../util/words.ts';
import type { Io, ParsedArgs } from './command.ts';

export type Redaction = Awaited<ReturnType<typeof openRedaction>>;

export function listKinds(): string {
  return `${KIND_IDS.join('\n')}\n`;
}

/** What the options of `redact` say, which are all optional, and the file for what was replaced. */
export async function openRedaction(args: ParsedArgs, io: Io) {
  const only = kindsIn(args, 'only');
  const allow = args.text('allow');
  const settings = {
    emails: args.flag('emails'),
    paths: args.flag('paths'),
    entropy: args.flag('entropy'),
    content: args.flag('content'),
    only: only.size > 0 ? only : undefined,
    ignore: kindsIn(args, 'ignore'),
    allow: new Set(allow === undefined ? [] : await linesOf(allow, io)),
  };
  const map = mapOf(args, io);
  const redactor = new Redactor({
    ...settings,
    onValue: map && ((marker, kind, value) => void map.records.push(`${JSON.stringify({ marker, kind, value })}\n`)),
  });
  return {
    redactor,
    /** A line of a log in its native form without its secrets, one character per byte. */
    change: (raw: string): string => redactor.line(new Line(0, -1, raw, true, 'invalid')),
    /** Resets the counts, which a file that failed may have left. */
    startFile: (): void => {
      redactor.tally = newTally();
    },
    /** Says what was done since the last time, and never what was found. */
    report: (name: string): void => {
      io.note(`${name}: ${summaryOf(redactor.tally)}`);
      redactor.tally = newTally();
    },
    /** Writes what was replaced so far; to be done before a file is replaced, for then nothing else has the values. */
    saveMap: async (): Promise<void> => await map?.save(),
  };
}

/** '3 secrets replaced: github-token 2, password 1'. */
function summaryOf({ replaced, thinking }: Tally): string {
  if (replaced.size === 0) return 'no secrets found';
  const all = [...replaced.values()].reduce((a, b) => a + b, 0);
  const kinds = [...replaced].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${grouped(count)}`);
  const blocks = `; ${counted(thinking, 'signed thinking block')} removed, for a changed one would be rejected`;
  return `${counted(all, 'secret')} replaced: ${kinds.join(', ')}${thinking > 0 ? blocks : ''}`;
}

function kindsIn(args: ParsedArgs, option: 'only' | 'ignore'): Set<string> {
  const names = args.texts(option).flatMap((word) => word.split(','));
  for (const name of names) {
    if (KIND_IDS.includes(name)) continue;
    const hint = didYouMean(name, KIND_IDS) || "; 'sessionctl redact --list-kinds' lists them";
    throw new UsageError(`--${option}: unknown kind '${name}'${hint}`);
  }
  return new Set(names);
}

async function linesOf(path: string, io: Io): Promise<string[]> {
  const text = (await copyOf(inputChunks(path, io))).toString('utf8');
  return text.split(/\r?\n/).filter((line) => line !== '');
}

/** What was replaced, for a file that only its owner can read. */
function mapOf(args: ParsedArgs, io: Io) {
  const path = args.text('map');
  if (path === undefined) return undefined;
  if (path.toLowerCase().endsWith('.jsonl'))
    throw new UsageError(`'${path}': a map must not end in '.jsonl', for agents would list it as a session`);
  const output = args.text('output');
  const others = [
    ...(args.operands.length > 0 ? args.operands : ['/dev/stdin']),
    ...(output === undefined ? [] : [output]),
  ].filter((one) => one !== '-');
  requireOtherPlace(path, others, '--map');
  const records: string[] = [];
  return {
    records,
    save: async (): Promise<void> => {
      narrowMode(path, PRIVATE_MODE);
      const sink = toFile(path, { random: io.random, signal: io.signal, mode: PRIVATE_MODE });
      await writeTo(sink, async (out) => {
        for (const record of records) await out.put(record);
      });
    },
  };
}
