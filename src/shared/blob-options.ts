import { mayHoldRef } from '../blobs/images.ts';
import { type InlinedLine, inlineLine, type KeptReason } from '../blobs/move-images.ts';
import { BlobStore } from '../blobs/store.ts';
import { blobFolderNear } from '../files/blob-files.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import { counted } from '../util/words.ts';
import type { Io, Option, ParsedArgs } from './command.ts';

export const BLOBS_OPTION: Option = {
  name: 'blobs',
  kind: 'text',
  value: 'DIR',
  describe: 'The folder with the blobs; default: the variable SESSIONCTL_BLOBS',
};

/** The store that the user named, by the option or the variable. */
export function namedStore(args: ParsedArgs, io: Io): BlobStore | undefined {
  const path = args.text('blobs') ?? io.env['SESSIONCTL_BLOBS'];
  return path ? new BlobStore(path) : undefined;
}

/** The store to read a file's refs from: the named one, else the one that lies where the agents keep theirs. */
export function storeFor(file: string | undefined, args: ParsedArgs, io: Io): BlobStore | undefined {
  const named = namedStore(args, io);
  named?.folder.require();
  const near = named || file === undefined ? undefined : blobFolderNear(file);
  return near === undefined ? named : new BlobStore(near);
}

export const NO_STORE = 'no blob store found; pass it with --blobs DIR or the variable SESSIONCTL_BLOBS';

const REASONS: Readonly<Record<KeptReason, string>> = {
  'bad-blob-ref': 'is not blob:sha256: and 64 lowercase hexadecimal digits; nothing was opened',
  'missing-blob': 'is not in the store',
  'damaged-blob': 'has bytes that do not match its hash',
  'not-a-data-url': 'is not a data URL, which an image_url needs',
  'line-too-long': 'would make the line longer than 256 MiB',
};

/** Why a ref could not be resolved, in one line. */
export function refStays(ref: string, why: KeptReason): string {
  const shortened = ref.length > 100 ? `${ref.slice(0, 100)}...` : ref;
  return `'${shortened}' ${REASONS[why]}; the ref is kept`;
}

const NOTES = 20;

/** Notes about the refs of a log that could not be resolved. */
export class KeptRefs {
  readonly #name: string;
  readonly #io: Io;
  #count = 0;

  constructor(name: string, io: Io) {
    this.#name = name;
    this.#io = io;
  }

  add(line: number, kept: InlinedLine['kept']): void {
    for (const { ref, why } of kept)
      if (++this.#count <= NOTES) this.#io.note(`${this.#name}:${line}: ${refStays(ref, why)}`);
  }

  /** The exit code that this has earned. */
  end(): number {
    if (this.#count > NOTES) this.#io.note(`${this.#name}: ${counted(this.#count - NOTES, 'more ref')} kept`);
    return this.#count > 0 ? 1 : 0;
  }
}

/** Puts images in the place of their refs, for commands that show a log; only where the user named a store. */
export class BlobResolver extends KeptRefs {
  readonly #store: BlobStore | undefined;

  constructor(name: string, args: ParsedArgs, io: Io) {
    super(name, io);
    this.#store = namedStore(args, io);
    this.#store?.folder.require();
  }

  /** The JSON text with its images; the line is for notes about refs that have to stay. */
  resolve(text: string, line: number): string {
    const store = this.#store;
    if (!store || !mayHoldRef(text)) return text;
    const { raw, kept, moved } = inlineLine(encodeUtf8(text), 0, (ref) => store.get(ref));
    this.add(line, kept);
    return moved > 0 ? decodeUtf8(raw) : text;
  }
}
