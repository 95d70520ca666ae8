import { Detection, ORIGINS, type Origin } from '../formats/index.ts';
import { ID_SCHEMES, type IdScheme, skimIds } from '../formats/native/ids.ts';
import {
  type MigrateWarning,
  Migration,
  migratedBytes,
  type TargetVersion,
  versionIn,
} from '../formats/native/migration.ts';
import {
  type Bytes,
  type LogReader,
  optionsOf,
  type Random,
  type RereadableBytes,
  readerOf,
  systemRandom,
} from './arguments.ts';

export interface MigrateLogOptions {
  /** What messages call the log; without it they start with none. */
  readonly name?: string;
  /** 3 by default. */
  readonly to?: TargetVersion;
  /** How new ids are made; 'stable' by default: the same in every run. */
  readonly ids?: IdScheme;
  /** Take the log for one of this agent, even if few of its records are known entries. */
  readonly from?: Origin;
  readonly random?: Random;
  readonly onWarning?: (warning: MigrateWarning) => void;
}

/**
 * A log of version 1 or 2 as version 3, piece by piece; what does not change leaves as the bytes that came. A damaged
 * line, a missing header and an unknown version are thrown as AppError, after everything before them was handed out.
 * Holds one piece of the input and one line, and of a version 1 log the ids it has; of a line over 256 MiB all of it.
 *
 * A version 1 log is read twice if it can be, first to see which ids are taken. A stream cannot: where one of its later
 * entries has an id that an earlier entry was just given, AppError is thrown there.
 */
export function migrate(
  source: Bytes | RereadableBytes,
  options?: MigrateLogOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const given = optionsOf('migrate', options, {
    name: 'string',
    to: [2, 3],
    ids: ID_SCHEMES,
    from: ORIGINS,
    random: 'function',
    onWarning: 'function',
  });
  return migrated(readerOf('migrate', source), given);
}

async function* migrated(
  { read, rereadable }: LogReader,
  { name = '', random = systemRandom, from, ...rest }: MigrateLogOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const taken = rereadable && (await versionIn(read())) === 1 ? await skimIds(read(), random(8)) : undefined;
  const migration = new Migration({ ...rest, name, random, taken });
  const detection = new Detection(name, { from, rewriting: { anyVersion: true } });
  for await (const bytes of migratedBytes(read(), migration, detection)) if (bytes.length > 0) yield bytes;
}
