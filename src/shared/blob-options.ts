import { mayHoldRef } from '../blobs/images.ts';
import { inlineLine, type KeptRef } from '../blobs/move-images.ts';
import { BlobStore } from '../blobs/store.ts';
import type { RefError } from '../entries/blob-ref.ts';
import { blobFolderNear } from '../files/blob-files.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import { counted } from '../util/words.ts';
import { type Io, type Option, option, type ParsedArgs } from './command.ts';

export const BLOBS_OPTION: Option = option(
  'blobs',
  'DIR',
  'The folder with the blobs; default: the variable `SESSIONCTL_BLOBS`',
);

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

export const REF_ERRORS: Readonly<Record<RefError, string>> = {
  'bad-blob-ref': 'is not blob:sha256: and 64 lowercase hexadecimal digits',
  'missing-blob': 'is not in the store',
  'damaged-blob': 'has bytes that do not match its hash',
};

const REASONS: Readonly<Record<KeptRef['why'], string>> = {
  ...REF_ERRORS,
  'bad-blob-ref': `${REF_ERRORS['bad-blob-ref']}; nothing was opened`,
  'not-a-data-url': 'is not a data URL, which an image_url needs',
  'line-too-long': 'would make the line longer than 256 MiB',
};

/** Why a ref could not be resolved, in one line. */
function refStays(ref: string, why: KeptRef['why']): string {
  const shortened = ref.length > 100 ? `${ref.slice(0, 100)}...` : ref;
  return `'${shortened}' ${REASONS[why]}; the ref is kept`;
}

const NOTES = 20;

/** Notes about the refs of a log that could not be resolved; `end` returns the exit code for them. */
export function keptRefs(name: string, io: Io) {
  let count = 0;
  const add = (line: number, kept: readonly KeptRef[]): void => {
    for (const { ref, why } of kept) if (++count <= NOTES) io.note(`${name}:${line}: ${refStays(ref, why)}`);
  };
  const end = (): number => {
    if (count > NOTES) io.note(`${name}: ${counted(count - NOTES, 'more ref')} kept`);
    return count > 0 ? 1 : 0;
  };
  return { add, end };
}

/** Puts images in the place of their refs, for commands that show a log; only where the user named a store. */
export function blobResolver(name: string, args: ParsedArgs, io: Io) {
  const store = namedStore(args, io);
  store?.folder.require();
  const { add, end } = keptRefs(name, io);
  /** The JSON text with its images; the line is for notes about refs that have to stay. */
  const resolve = (text: string, line: number): string => {
    if (!store || !mayHoldRef(text)) return text;
    const { raw, kept, moved } = inlineLine(encodeUtf8(text), 0, (ref) => store.get(ref));
    add(line, kept);
    return moved > 0 ? decodeUtf8(raw) : text;
  };
  return { resolve, end };
}
