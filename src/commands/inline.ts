import type { EditableLine } from '../blobs/line-object.ts';
import { inlineLine } from '../blobs/move-images.ts';
import type { BlobStore } from '../blobs/store.ts';
import type { Line } from '../lines/line.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { BLOBS_OPTION, keptRefs, NO_STORE, storeFor } from '../shared/blob-options.ts';
import type { Command, Io, ParsedArgs } from '../shared/command.ts';
import { REWRITE_OPTIONS, type RewriteInput, rewrite, rewritingDetection } from '../shared/rewrite.ts';
import { rewriteLines } from '../shared/rewrite-lines.ts';
import { AppError } from '../util/errors.ts';

export const command: Command = {
  operands: '[FILE]...',
  description: [
    'The reverse of `externalize`, byte for byte: every ref `blob:sha256:HASH` in place of an image becomes the image again.',
    'A ref whose blob is missing or does not match its hash is kept, with a note and exit code 1. A ref is never used as a path, and links in the store are not followed. Damaged lines are passed through unchanged, with a note and exit code 1.',
    'Without `--blobs` and the variable, the store is the folder `blobs/` next to the file, or `../../blobs/`, where omp keeps it.',
  ],
  memory: 'one line and its images.',
  topics: ['changing'],
  options: [BLOBS_OPTION, ...REWRITE_OPTIONS],
  examples: {
    'sessionctl inline session.jsonl > whole.jsonl': 'a log that needs no other file',
    'sessionctl inline --blobs blobs < slim.jsonl | sessionctl context': 'in a pipe',
  },
  run: async (args, io) => await rewrite(args, io, async (input, out) => await inline(input, out, args, io)),
};

async function inline(input: RewriteInput, out: ByteWriter, args: ParsedArgs, io: Io): Promise<number> {
  const kept = keptRefs(input.name, io);
  let store: BlobStore | undefined;
  // A log without refs needs no store, so it is looked for at the first ref.
  const get = (ref: string): ReturnType<BlobStore['get']> => {
    store ??= storeFor(input.path, args, io);
    if (!store) throw new AppError(`${input.name}: ${NO_STORE}`);
    return store.get(ref);
  };
  const change = (line: Line, { from }: EditableLine): string => {
    const inlined = inlineLine(line.raw, from, get);
    kept.add(line.number, inlined.kept);
    return inlined.raw;
  };
  const detection = rewritingDetection(input.name, args, { anyVersion: false });
  await rewriteLines(input, out, detection, io, change, { onlyImages: true });
  return kept.end();
}
