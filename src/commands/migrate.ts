import { counting } from '../files/input.ts';
import { ID_SCHEMES, type IdScheme, skimIds } from '../formats/native/ids.ts';
import { Migration, migratedBytes, type TargetVersion, versionIn } from '../formats/native/migration.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { type Command, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { REWRITE_OPTIONS, type RewriteInput, rewrite, rewritingDetection } from '../shared/rewrite.ts';
import type { Symbols } from '../util/symbols.ts';

export const command: Command = {
  operands: '[FILE|DIR]...',
  description: [
    'Upgrades a log as the agents do when they open one, and changes nothing else: numbers, escapes, key order, unknown fields, line endings and blank lines stay, and a log that has the version already is copied byte for byte.',
    '- Version 1 to 2: every entry gets an `id`, and the entry before it as `parentId`; `firstKeptEntryIndex` of a compaction becomes `firstKeptEntryId`. An index that does not refer to an earlier entry is removed, with a warning. Entries that have ids keep them, and their tree.',
    '- Version 2 to 3: the role `hookMessage` becomes `custom`.',
    'A damaged line is refused, with its number, because every later index would be wrong: run `repair` first. So are a log without a header and an unknown version. Several FILEs, and a folder, which stands for every log of pi or omp in it, need `-i` or `--check`.',
  ],
  memory:
    'one line, and about 20 bytes per entry of a version 1 log. A file of version 1 is read twice, first to see which ids are taken; standard input is written to a private temporary file for that.',
  topics: ['changing'],
  options: [
    option('to', 'VERSION', 'The target version', { choices: ['2', '3'], default: '3' }),
    option(
      'ids',
      'HOW',
      'How to create new ids; `stable` gives the same ids in every run and on every machine, `random` is what the agents do, `sequence` counts: 00000001, 00000002; none that is in the log is given again',
      { choices: ID_SCHEMES, default: 'stable' },
    ),
    ...REWRITE_OPTIONS,
  ],
  examples: {
    'sessionctl migrate old.jsonl > new.jsonl': 'the log in version 3',
    'sessionctl migrate -i --backup sessions': 'all of them in place; the old ones stay as .bak',
    'sessionctl migrate --check sessions': 'exit code 1 if one of them is old',
    'sessionctl repair old.jsonl | sessionctl migrate': 'the way for a damaged log',
  },
  run: async (args, io) => await rewrite(args, io, async (input, out) => await migrate(input, out, args, io), 2),
};

async function migrate(input: RewriteInput, out: ByteWriter, args: ParsedArgs, io: Io): Promise<number> {
  const write = (bytes: Buffer): Promise<void> => out.put(bytes);
  try {
    const migration = new Migration({
      name: input.name,
      to: Number(args.text('to') ?? 3) as TargetVersion,
      ids: (args.text('ids') ?? 'stable') as IdScheme,
      random: io.random,
      taken: await takenIds(input, io),
      onWarning: ({ line, message }) => io.note(`${input.name}:${line > 0 ? `${line}:` : ''} warning: ${message}`),
    });
    // An unknown version is refused by the migration itself, whoever wrote it.
    const detection = rewritingDetection(input.name, args, { anyVersion: true });
    for await (const bytes of migratedBytes(input.read(), migration, detection, write)) await write(bytes);
  } finally {
    // What is before a damaged line is migrated and whole.
    await out.flush();
  }
  return 0;
}

/** The ids that a version 1 log has: they have to be known before the first line, so that none is given twice. */
async function takenIds(input: RewriteInput, io: Io): Promise<Symbols | undefined> {
  let start = 0;
  const isOld = (await versionIn(counting(input.read(), (bytes) => (start += bytes)))) === 1;
  // The start is read once more, and only a log of version 1 is read twice.
  if (input.rereadable) io.progress.expect(start - (isOld ? 0 : input.size));
  io.progress.phase(isOld ? 'reading ids' : 'writing');
  const taken = isOld ? await skimIds(input.read(), io.random(8)) : undefined;
  io.progress.phase('writing');
  return taken;
}
