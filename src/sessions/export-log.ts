import { type ExportedSession, exportBody } from '../exporters/export.ts';
import type { ExportOptions } from '../exporters/exporter.ts';
import { imageView } from '../exporters/view/images.ts';
import { assetSaver } from '../files/assets.ts';
import { modeOf } from '../files/input.ts';
import { PRIVATE_MODE, type Sink, toFile, toStream } from '../files/sink.ts';
import { HeldOutput } from '../files/spool.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { keptRefs, type namedStore } from '../shared/blob-options.ts';
import type { View } from '../shared/open-session.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { resolveEntry } from '../tree/rev.ts';
import { ClosedPipe } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { visibleEscape } from '../util/printable.ts';

/** How sessions are exported. */
export interface ExportSettings extends ExportOptions {
  readonly leaf: string | undefined;
  readonly blobs: ReturnType<typeof namedStore>;
  /** The folder for images; they are part of the document where it is undefined. */
  readonly assetFolder: string | undefined;
}

interface Exported extends ExportedSession {
  /** 1 where refs were kept. */
  readonly code: number;
}

/** Writes one session to a file, or to standard output. */
export async function exportLog(
  session: Log,
  view: View,
  settings: ExportSettings,
  output: string | undefined,
  io: Io,
): Promise<Exported> {
  io.progress.phase('writing');
  const { name } = session;
  const path = name === '-' ? undefined : name;
  const mode = path === undefined ? PRIVATE_MODE : await modeOf(path);
  const { add, end } = keptRefs(name, io);
  const { blobs, assetFolder } = settings;
  blobs?.folder.require();
  const save = assetFolder === undefined ? undefined : assetSaver(assetFolder, mode & PRIVATE_MODE, output, io);
  const image = imageView({ blobs, save, onKept: (line, ref, why) => add(line, [{ ref, why }]) });
  // From here on there is something to clean up. The export of a read-only log is writable all the same.
  const files = { random: io.random, signal: io.signal, input: path, mode: mode | 0o200 };
  const sink = output === undefined ? toStream(terminalSafe(io.stdout, visibleEscape)) : toFile(output, files);
  const body = new HeldOutput(io.random, io.signal);
  try {
    const leaf = await leafOf(session, view, settings);
    const exported = await exportBody({ session, leaf, options: settings, image, body });
    await deliver(exported.head, body, sink);
    return { ...exported, code: end() };
  } catch (error) {
    throw error instanceof ClosedPipe ? Object.assign(error, { exitCode: end() }) : error;
  } finally {
    body.close();
    sink.discard();
  }
}

/** With --all every branch is shown, and each says where it was cut off. */
async function leafOf(session: Log, view: View, { leaf, all }: ExportSettings): Promise<number> {
  if (!all) return await view.leaf(leaf);
  view.reads(Array(session.index.size).keys());
  return leaf === undefined ? await lastEntry(session) : await resolveEntry(session, leaf);
}

async function deliver(head: string, body: HeldOutput, sink: Sink): Promise<void> {
  const out = new ByteWriter(sink.stream);
  out.text(head);
  for await (const chunk of body.chunks()) await out.put(chunk);
  await out.flush();
  await sink.commit();
}
