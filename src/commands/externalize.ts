import type { EditableLine } from '../blobs/line-object.ts';
import { externalizeLine, type LeftReason } from '../blobs/move-images.ts';
import type { BlobStore } from '../blobs/store.ts';
import { stripTransient, truncateStrings } from '../blobs/truncate.ts';
import { DialectDetector } from '../entries/dialect.ts';
import type { Line } from '../lines/line.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { BLOBS_OPTION, NO_STORE, namedStore } from '../shared/blob-options.ts';
import { type Command, flag, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { type NativeInput, nativeInput } from '../shared/native-input.ts';
import { FORMAT_OPTION } from '../shared/open-session.ts';
import { FROM_OPTION, REWRITE_OPTIONS, rewrite, rewritingDetection } from '../shared/rewrite.ts';
import { rewriteLines } from '../shared/rewrite-lines.ts';
import { AppError, UsageError } from '../util/errors.ts';
import { counted } from '../util/words.ts';

const MIN_CHARS = 1024;
/** How many lines are listed. */
const NOTES = 10;

const REASONS: Readonly<Record<LeftReason, string>> = {
  'not-canonical': 'image data is not canonical base64 and was left in the log',
  'escaped-url': 'image_url is written with escapes and was left in the log',
  blocked: "image left in the log because the blob with its name is damaged; see 'sessionctl blobs verify'",
};

export const command: Command = {
  operands: '[FILE]...',
  description: [
    'Moves the images of a log to a folder, each named by the sha256 of its bytes, and leaves a ref in its place: `blob:sha256:HASH`. Images are image blocks in `content` and `images` arrays at any depth, and data URLs in `image_url`. All other bytes of a line are unchanged, and `inline` restores the log byte for byte; base64 that would not come back exactly as it was stays in the log, with a note.',
    'A blob is on disk before the line that refers to it is written. A blob that already exists is not written again, so several programs can use the same folder. The folder is created if it does not exist.',
    "omp reads refs; pi does not, and a note says so. Another agent's log is written as a session of omp, so it cannot be changed in place. Damaged lines are passed through unchanged, with a note and exit code 1.",
  ],
  memory: 'one line and its images, and 150 bytes per new image.',
  options: [
    BLOBS_OPTION,
    option('min-chars', 'N', 'Leave shorter base64 in the log', { default: String(MIN_CHARS), kind: 'number' }),
    flag(
      'truncate',
      'Truncate strings of more than 500,000 characters as the agents do, with a notice; this discards data, so with `-i` it needs `--backup`',
    ),
    flag(
      'strip-transient',
      'Remove `partialJson` and `jsonlEvents`, which only matter while a turn runs; with `-i` this needs `--backup` too',
    ),
    ...REWRITE_OPTIONS.filter((one) => one !== FROM_OPTION),
    FORMAT_OPTION,
  ],
  examples: {
    'sessionctl externalize --blobs blobs session.jsonl > slim.jsonl':
      'the images go to blobs/, the rest to slim.jsonl',
    'sessionctl externalize -i --backup --blobs ~/.omp/agent/blobs session.jsonl': "in place, into omp's store",
  },
  run: async (args, io) => {
    const lossy = ['truncate', 'strip-transient'].find((name) => args.flag(name));
    const backup = args.flag('backup') || args.text('backup-suffix') !== undefined;
    if (lossy && args.flag('in-place') && !backup && !args.flag('dry-run')) {
      throw new UsageError(`--${lossy} discards data: with -i it needs --backup`);
    }
    const store = namedStore(args, io);
    if (!store) throw new AppError(NO_STORE);
    const options = { from: args.text('from'), inPlace: args.flag('in-place') };
    return await rewrite(args, io, async (input, out) => {
      const native = await nativeInput(input, options, io);
      try {
        return await externalize(native, out, store, args, io);
      } finally {
        store.folder.abandon();
        await native.close();
      }
    });
  },
};

async function externalize(input: NativeInput, out: ByteWriter, store: BlobStore, args: ParsedArgs, io: Io) {
  const { name, mode, dryRun } = input;
  const [truncates, strips] = [args.flag('truncate'), args.flag('strip-transient')];
  const minChars = args.number('min-chars') ?? MIN_CHARS;
  const watch = new DialectDetector();
  const count = { moved: 0, left: 0, blocked: 0, cut: 0, removed: 0 };
  const put = (bytes: Buffer): string | undefined => {
    if (!dryRun && count.moved === 0) store.folder.create();
    return store.put(bytes, { random: io.random, signal: io.signal, now: io.now, mode, dryRun });
  };
  const change = (line: Line, { value, from }: EditableLine): string => {
    if (value) watch.add(value);
    const stripped = strips ? stripTransient(line.raw, from) : { raw: line.raw, changes: 0 };
    const { raw, moved, left } = externalizeLine(stripped.raw, from, { minChars, put });
    for (const reason of new Set(left)) {
      if (reason === 'blocked') count.blocked++;
      if (count.left++ < NOTES) io.note(`${name}:${input.lineOf(line.number)}: ${REASONS[reason]}`);
    }
    const short = truncates ? truncateStrings(raw, from) : { raw, cuts: 0 };
    count.moved += moved;
    count.removed += stripped.changes;
    count.cut += short.cuts;
    return short.raw;
  };
  await rewriteLines(input, out, rewritingDetection(name, args, { anyVersion: false }), io, change, {
    // A ref that is not visible before the end need not be valid before.
    ...(input.streams ? { beforeFlush: () => store.settle() } : {}),
    // What the two options take away may be in any line.
    onlyImages: !truncates && !strips,
  });
  store.settle();
  if (count.left > NOTES) io.note(`${name}: ${counted(count.left - NOTES, 'more line')} with images left in the log`);
  if (count.cut > 0) io.note(`${name}: ${counted(count.cut, 'string')} truncated to 500,000 characters`);
  if (count.removed > 0) io.note(`${name}: ${counted(count.removed, 'transient field')} removed`);
  if (count.moved > 0 && watch.dialect === 'pi')
    io.note(`${name}: was written by pi, which cannot read refs; 'sessionctl inline' puts the images back`);
  return count.blocked > 0 ? 1 : 0;
}
