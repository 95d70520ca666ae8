import { shortJson } from '../base/to-json.ts';
import { ClosedPipe } from '../base/trouble.ts';
import { counted } from '../base/words.ts';
import { versionOf } from '../entries/envelope-check.ts';
import { Spool } from '../files/spool.ts';
import { openStore, type Store, spoolStore } from '../files/store.ts';
import { Gate } from '../formats/gate.ts';
import type { Line } from '../lines/line.ts';
import { type ByteSequence, readRanges } from '../lines/ranges.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { Scanner } from '../scanner/scanner.ts';
import { type CompiledScanner, compiledScanner } from '../tree/compiled-scanner.ts';
import { IndexBuilder } from '../tree/index-builder.ts';
import { MessageFinder } from '../tree/message-finder.ts';
import type { LeftOut, Session } from '../tree/session.ts';
import { StoredSession } from '../tree/stored-session.ts';
import { ThinReader } from '../tree/thin-reader.ts';
import type { Io } from './command.ts';
import { View } from './view.ts';

/**
 * Opens FILE, or stdin for '-': one pass finds what is where, and entries are read when they are asked for. What is not a
 * session log is refused; damaged lines are left out, and told by `endReading`.
 */
export async function openSession(name: string, io: Io): Promise<Session> {
  const store = await openStore(name, io);
  try {
    return await indexed(name, store, io);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens a session, works with it, and gives the exit code that both have earned. A command that shows only part of the
 * session gets its entries from the view, which says where damage made that part smaller. `revs` is how it is told REVs.
 */
export async function readSession(
  name: string,
  io: Io,
  work: (session: Session, view: View) => Promise<number>,
  revs: 'option' | 'operand' = 'option',
): Promise<number> {
  const session = await openSession(name, io);
  const view = new View(session, io, revs);
  try {
    return endEmpty(session, io, view.end(endReading(session, io, await work(session, view))));
  } catch (error) {
    if (error instanceof ClosedPipe) Object.assign(error, { exitCode: view.end(endReading(session, io, 0)) });
    throw error;
  } finally {
    await session.close();
  }
}

/** Says once which lines were left out; what would have been 0 is 1 then. */
export function endReading(session: Session, io: Io, code: number): number {
  const [first, ...others] = session.damage;
  if (first === undefined) return code;
  const where = `line ${first.line} is damaged (${first.rule}) and was left out`;
  const more = others.length > 0 ? `, and ${counted(others.length, 'other line')}: ${listed(others)}` : '';
  io.note(`${session.name}: ${where}${more}; 'sessionctl repair' mends what can be mended`);
  return code === 0 ? 1 : code;
}

/** A log always has a header, so a file without anything in it is no session that could be shown. */
function endEmpty({ name, header, index, damage }: Session, io: Io, code: number): number {
  if (code !== 0 || header !== undefined || index.size > 0 || damage.length > 0) return code;
  io.note(`${name}: holds neither a header nor entries; there is nothing to show`);
  return 1;
}

function listed(lines: readonly LeftOut[]): string {
  const named = lines.slice(0, 4).map(({ line, rule }) => `${line} (${rule})`);
  return lines.length > named.length ? `${named.join(', ')}, ...` : named.join(', ');
}

async function indexed(name: string, store: Store, io: Io): Promise<Session> {
  const compiled = (store.size ?? WORTH_COMPILING) < WORTH_COMPILING ? undefined : compiledScanner();
  let builder = await pass(name, store, io, false, compiled);
  // Perhaps the parent is in a line whose envelope could be read although the line is damaged.
  if (builder.index.missingParents > 0) builder = await pass(name, store, io, true, compiled);
  const { index, header } = builder;
  const { version, known } = header ? versionOf(header) : { version: index.size > 0 && !index.hasId(0) ? 1 : 3, known: true };
  if (!known) io.note(`${name}: warning: version ${shortJson(header?.['version'])} is not known and read as version 3`);
  if (version === 1 || version === 2) return await migrated(name, store, builder, version, io);
  if (!compiled) return new StoredSession(name, store, builder, version);
  return new StoredSession(name, store, builder, version, {
    finder: new MessageFinder(compiled, () => grammarScanner(io)),
    makeThinReader: () => ThinReader.make(),
  });
}

async function grammarScanner(io: Io): Promise<Scanner | undefined> {
  const { makeScanner } = await import('../scanner/scanner.ts');
  return makeScanner('compiled', io.random(8));
}

/** An old log is brought to version 3 on the way, in a private copy; its line numbers stay. */
async function migrated(name: string, store: Store, old: IndexBuilder, version: 1 | 2, io: Io): Promise<Session> {
  const { Migration, skimIds } = await import('../entries/migrate/index.ts');
  const migration = new Migration({
    name,
    headerless: version,
    onDamage: () => {},
    onWarning: ({ line, message }) => io.note(`${name}:${line > 0 ? `${line}:` : ''} warning: ${message}`),
    ...(version === 1 ? { taken: await skimIds(store.chunks()) } : {}),
  });
  const spool = new Spool(io.random, io.signal);
  try {
    for await (const lines of readLineBatches(store.chunks())) {
      let raw = '';
      for (const line of lines) raw += migration.line(line) + (line.terminated ? '\n' : '');
      spool.write(Buffer.from(raw, 'latin1'));
    }
    const builder = await pass(name, spoolStore(spool), io, false, spool.size < WORTH_COMPILING ? undefined : compiledScanner());
    builder.tellDamageOf(old);
    await store.close();
    return new StoredSession(name, spoolStore(spool), builder, version);
  } catch (error) {
    spool.close();
    throw error;
  }
}

/** In a smaller file the plain scanner is done before the other is ready. */
const WORTH_COMPILING = 1024 * 1024;

async function pass(name: string, store: Store, io: Io, careful: boolean, compiled: CompiledScanner | undefined): Promise<IndexBuilder> {
  io.progress.file(name);
  if (store.size !== undefined) io.progress.expect(store.size);
  const gate = new Gate(name);
  const look = (line: Line): 'go on' | 'enough' => {
    gate.pass([line]);
    return gate.open ? 'enough' : 'go on';
  };
  const builder = new IndexBuilder({ key: io.random(8), careful, look, compiled });
  await readRanges(told(store.sequence(), io), builder, compiled ? { buffers: compiled.buffers } : {});
  gate.end();
  builder.index.finish();
  return builder;
}

function told(source: ByteSequence, io: Io): ByteSequence {
  return {
    read: async (buffer) => {
      const bytes = await source.read(buffer);
      io.progress.read(bytes);
      return bytes;
    },
  };
}
