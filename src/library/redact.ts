import { readFormats } from '../formats/index.ts';
import { produce } from '../lines/produce.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { ANY_JSONL } from '../redact/log-lines.ts';
import { makeScanner } from '../scanner/scanner.ts';
import {
  type Bytes,
  described,
  type LogReader,
  optionsOf,
  type RereadableBytes,
  readerOf,
  systemRandom,
} from './arguments.ts';

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
    from: [...readFormats(), ANY_JSONL],
    paths: 'boolean',
    emails: 'boolean',
    content: 'boolean',
    entropy: 'boolean',
    only: 'strings',
    ignore: 'strings',
    allow: 'strings',
    onMap: 'function',
  });
  const reader = readerOf('redact', source);
  return produce(async (out) => await redacted(reader, given, out));
}

async function redacted(reader: LogReader, given: RedactOptions, out: ByteWriter): Promise<RedactResult> {
  // The patterns take a while to load, and are only needed to redact.
  const { KIND_IDS, redactLog, Redactor } = await import('../redact/index.ts');
  const { only, ignore = [], allow = [] } = given;
  const unknown = [...(only ?? []), ...ignore].find((kind) => !KIND_IDS.includes(kind));
  if (unknown !== undefined) throw new TypeError(`redact: unknown kind ${described(unknown)}`);
  const { name = '', from, paths = false, emails = false, content = false, entropy = false, onMap } = given;
  const redactor = new Redactor({
    ...{ paths, emails, content, entropy, only: only && new Set(only), ignore: new Set(ignore), allow: new Set(allow) },
    onValue: onMap && ((marker, kind, value) => onMap({ marker, kind, value })),
  });
  const log = { name, ...reader, from, scanner: makeScanner('compiled', systemRandom(8)) };
  const { replaced, thinking, refs, damaged } = await redactLog(log, redactor, {
    onLine: (raw) => out.putRaw(raw),
    onChunk: async (chunk) => await out.put(Buffer.from(chunk)),
  });
  return { replaced: Object.fromEntries(replaced), thinking, refs, damaged };
}
