import { readFormats } from '../formats/index.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { makeScanner } from '../scanner/scanner.ts';
import {
  type Bytes,
  chunksOf,
  described,
  isRereadable,
  optionsOf,
  type RereadableBytes,
  rereader,
  systemRandom,
} from './arguments.ts';
import { outputTo, produce } from './produce.ts';

export interface RedactOptions {
  /** What messages call the log; without it they start with none. */
  readonly name?: string;
  /** The format of the log; 'jsonl' is any log of JSON objects. Found by its content by default. */
  readonly from?: string;
  /** Also replace home folders, and the names of their users wherever they are. */
  readonly paths?: boolean;
  /** Also replace email addresses. */
  readonly emails?: boolean;
  /** Replace all text and keep only the structure. */
  readonly content?: boolean;
  /** Also replace what looks random, which is often wrong. */
  readonly entropy?: boolean;
  /** Replace only these kinds, as `sessionctl redact --list-kinds` lists them. */
  readonly only?: readonly string[];
  /** Do not replace these kinds. */
  readonly ignore?: readonly string[];
  /** Values that are no secrets. */
  readonly allow?: readonly string[];
  /** Gets every value that is replaced, once, with the marker that takes its place. */
  readonly onMap?: (replaced: ReplacedValue) => void;
}

export interface ReplacedValue {
  readonly marker: string;
  readonly kind: string;
  readonly value: string;
}

export interface RedactResult {
  /** How many secrets of each kind were replaced. */
  readonly replaced: Readonly<Record<string, number>>;
  /** Signed thinking blocks that were removed, because a changed one would be rejected. */
  readonly thinking: number;
  /** Refs to blobs, which were not searched. */
  readonly refs: number;
  /** Lines that are damaged, and were searched as text. */
  readonly damaged: readonly LeftOut[];
}

/**
 * A log without its secrets, as bytes; the generator returns what was replaced. Everything else leaves as it came. A
 * log that can be read again is read twice, so that a value that was found is replaced everywhere; in a stream it is
 * replaced in what follows. Holds one line, and the values.
 */
export function redact(
  source: Bytes | RereadableBytes,
  options?: RedactOptions,
): AsyncGenerator<Uint8Array, RedactResult, void> {
  const given = optionsOf('redact', options, {
    name: 'string',
    from: [...readFormats(), 'jsonl'],
    paths: 'boolean',
    emails: 'boolean',
    content: 'boolean',
    entropy: 'boolean',
    only: 'checked later',
    ignore: 'checked later',
    allow: 'checked later',
    onMap: 'function',
  });
  const words = { only: wordsOf('only', given), ignore: wordsOf('ignore', given), allow: wordsOf('allow', given) };
  const rereadable = isRereadable(source);
  const chunks = rereadable ? undefined : chunksOf('redact', source);
  const read = rereadable ? rereader('redact', source) : () => chunks as AsyncIterable<Buffer>;
  return produce(async (write) => await redacted({ read, rereadable }, given, words, write));
}

type ListOption = 'only' | 'ignore' | 'allow';

function wordsOf(option: ListOption, given: RedactOptions): ReadonlySet<string> | undefined {
  const words = given[option];
  if (words === undefined) return undefined;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string'))
    throw new TypeError(`redact: ${option} must be an array of strings, not ${described(words)}`);
  return new Set(words);
}

async function redacted(
  source: { readonly read: () => AsyncIterable<Buffer>; readonly rereadable: boolean },
  given: RedactOptions,
  { only, ignore = new Set(), allow = new Set() }: Readonly<Record<ListOption, ReadonlySet<string> | undefined>>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<RedactResult> {
  // The patterns take a while to load, and are only needed to redact.
  const { KIND_IDS, redactLog, Redactor } = await import('../redact/index.ts');
  const unknown = [...(only ?? []), ...ignore].find((kind) => !KIND_IDS.includes(kind));
  if (unknown !== undefined) throw new TypeError(`redact: unknown kind ${described(unknown)}`);
  const { name = '', from, paths = false, emails = false, content = false, entropy = false, onMap } = given;
  const wanted = { paths, emails, content, entropy, only, ignore, allow };
  const redactor = new Redactor({
    ...wanted,
    onValue: onMap && ((marker, kind, value) => onMap({ marker, kind, value })),
  });
  const out = new ByteWriter(outputTo(write));
  const log = { name, ...source, from, scanner: makeScanner('compiled', systemRandom(8)) };
  const { replaced, thinking, refs, damaged } = await redactLog(log, redactor, {
    onLine: (raw) => {
      out.raw(raw);
      return out.full ? out.flush() : undefined;
    },
    onChunk: async (chunk) => await write(Buffer.from(chunk)),
  });
  await out.flush();
  return { replaced: Object.fromEntries(replaced), thinking, refs, damaged };
}
