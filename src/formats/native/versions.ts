import type { Damage } from '../../entries/damage.ts';
import type { Line } from '../../lines/line.ts';
import { readLines } from '../../lines/reader.ts';
import type { LogFormat } from '../format.ts';
import { Migration, skimIds } from './index.ts';

/** A native log of an older version. It is detected as native, and its version is what its header says. */
function olderVersion(version: 1 | 2): Required<Pick<LogFormat, 'id' | 'toNative'>> {
  return {
    id: `native-v${version}`,
    toNative: async (source, sink) => {
      let isDamaged = false;
      const migration = new Migration({
        name: source.name,
        random: source.random,
        headerless: version,
        onDamage: (line: Line, damage: Damage | 'byte-order-mark') => {
          isDamaged = true;
          sink.leftOut(line.number, damage);
        },
        onWarning: ({ line, message }) => sink.warn(line, message),
        ...(version === 1 ? { taken: await skimIds(source.chunks(), source.random(8)) } : {}),
      });
      for await (const line of readLines(source.chunks())) {
        isDamaged = false;
        const raw = migration.line(line);
        if (!isDamaged) sink.line(raw, line.number);
      }
    },
  };
}

/** How the older versions of the native format are read. */
export const olderVersions = { 1: olderVersion(1), 2: olderVersion(2) };
