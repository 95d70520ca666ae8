import { shortJson } from '../base/to-json.ts';
import { versionOf } from '../entries/envelope-check.ts';
import { Gate } from '../formats/gate.ts';
import type { Line } from '../lines/line.ts';
import { readBlocks, readLineBatches } from '../lines/reader.ts';
import { StoredSession } from '../tree/stored-session.ts';
import type { ByteStore, Scratch } from './byte-store.ts';
import { IndexBuilder } from './index-builder.ts';

export interface OpenLogOptions {
  /** What messages call the log. */
  readonly name: string;
  readonly random: (bytes: number) => Uint8Array;
  /** Gets what the user has to know; `where` is the name, with the line where it concerns one. */
  readonly onWarning: (where: string, message: string) => void;
  /** The bytes of one more pass over the store, counted where somebody wants to know. */
  readonly chunks?: (store: ByteStore) => AsyncIterable<Buffer>;
  /** Where a log of an older version is kept in its new form. */
  readonly scratch: () => Scratch;
}

/**
 * Opens the log in a store: one pass finds what is where, and entries are read when they are asked for. What is not a session
 * log is refused; damaged lines are left out and are in `damage`. The log closes the store.
 */
export async function openLog(store: ByteStore, options: OpenLogOptions): Promise<StoredSession> {
  try {
    return await opened(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function opened(store: ByteStore, options: OpenLogOptions): Promise<StoredSession> {
  const { name, onWarning } = options;
  let builder = await indexed(store, options, false);
  // Perhaps the parent is in a line whose envelope could be read although the line is damaged.
  if (builder.index.missingParents > 0) builder = await indexed(store, options, true);
  const { index, header } = builder;
  const { version, known } = header ? versionOf(header) : { version: index.size > 0 && !index.hasId(0) ? 1 : 3, known: true };
  if (!known) onWarning(name, `version ${shortJson(header?.['version'])} is unknown; reading it as version 3`);
  if (version === 1 || version === 2) return await migrated(store, builder, version, options);
  return new StoredSession(name, store, builder, version);
}

async function indexed(store: ByteStore, options: OpenLogOptions, careful: boolean): Promise<IndexBuilder> {
  const gate = new Gate(options.name);
  const look = (line: Line): 'go on' | 'enough' => {
    gate.pass([line]);
    return gate.open ? 'enough' : 'go on';
  };
  const builder = new IndexBuilder({ key: options.random(8), careful, look });
  for await (const piece of readBlocks(options.chunks?.(store) ?? store.chunks())) builder.take(piece);
  gate.end();
  builder.index.finish();
  return builder;
}

/** An older log is migrated on the way, into a private copy; its line numbers stay. */
async function migrated(store: ByteStore, old: IndexBuilder, version: 1 | 2, options: OpenLogOptions): Promise<StoredSession> {
  const { name, onWarning } = options;
  const { Migration, skimIds } = await import('../entries/migrate/index.ts');
  const migration = new Migration({
    name,
    random: options.random,
    headerless: version,
    onDamage: () => {},
    onWarning: ({ line, message }) => onWarning(line > 0 ? `${name}:${line}` : name, message),
    ...(version === 1 ? { taken: await skimIds(store.chunks(), options.random(8)) } : {}),
  });
  const scratch = options.scratch();
  try {
    for await (const lines of readLineBatches(store.chunks())) {
      let raw = '';
      for (const line of lines) raw += migration.line(line) + (line.terminated ? '\n' : '');
      scratch.write(Buffer.from(raw, 'latin1'));
    }
    const copy = scratch.store();
    const builder = await indexed(copy, options, false);
    builder.takeDamageOf(old);
    await store.close();
    return new StoredSession(name, copy, builder, version);
  } catch (error) {
    scratch.discard();
    throw error;
  }
}
