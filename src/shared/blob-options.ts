import type { Kept } from '../blobs/inline.ts';
import { BlobStore } from '../blobs/store.ts';
import { blobFolderNear } from '../files/blob-files.ts';
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
  if (named) {
    named.folder.require();
    return named;
  }
  const near = file === undefined ? undefined : blobFolderNear(file);
  return near === undefined ? undefined : new BlobStore(near);
}

export const NO_STORE = 'no blob store found; pass it with --blobs DIR or the variable SESSIONCTL_BLOBS';

const REASONS: Readonly<Record<Kept, string>> = {
  'bad-blob-ref': 'is not blob:sha256: and 64 lowercase hexadecimal digits; nothing was opened',
  'missing-blob': 'is not in the store',
  'damaged-blob': 'has bytes that do not match its hash',
  'not-a-data-url': 'is not a data URL, which an image_url needs',
  'line-too-long': 'would make the line longer than 256 MiB',
};

/** Why a ref could not be resolved, in one line. */
export function refStays(ref: string, why: Kept): string {
  const shortened = ref.length > 100 ? `${ref.slice(0, 100)}...` : ref;
  return `'${shortened}' ${REASONS[why]}; the ref is kept`;
}
