import { join } from 'node:path';
import { type SitePage, siteIndex } from '../exporters/html/site.ts';
import { createFolder } from '../files/assets.ts';
import { nameOf } from '../files/place.ts';
import { PRIVATE_MODE, toFile, writeTo } from '../files/sink.ts';
import { readSession } from '../shared/open-session.ts';
import type { Redaction } from '../shared/redaction.ts';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';
import { agentName } from './agents.ts';
import { type ExportSettings, exportLog } from './export-log.ts';
import { type SessionSummary, summarizeFile } from './file-summary.ts';
import { filesFor, type SessionFile } from './find.ts';

const INDEX = 'index.html';

interface SiteSettings extends ExportSettings {
  /** Takes secrets out of what is written. */
  readonly redaction: Redaction | undefined;
}

/** Writes a page for each session that the operands stand for, and one that lists them. Gives the exit code. */
export async function writeSite(
  operands: readonly string[],
  folder: string,
  settings: SiteSettings,
  io: Io,
): Promise<number> {
  const errors: string[] = [];
  const onError = (message: string): void => void errors.push(message);
  const files = await filesFor({ operands, roots: [] }, io.env, onError);
  createFolder(folder);
  const site = new Site(folder, settings, io);
  let skipped = 0;
  for (const file of files) {
    try {
      const isNamed = operands.includes(nameOf(file));
      const { sessions, error } = await summarizeFile(file, io);
      if (error !== undefined && isNamed) onError(error);
      else if (error !== undefined) skipped++;
      const isOneOfMany = sessions.length > 1 || file.session !== undefined;
      for (const session of sessions) await site.add({ ...file, ...session }, file, isOneOfMany);
    } catch (error) {
      // One bad file does not stop the others.
      if (!(error instanceof AppError) || io.signal.aborted) throw error;
      onError(error.message);
    }
    io.signal.throwIfAborted();
  }
  for (const message of errors) io.note(message);
  if (skipped > 0) io.note(`${counted(skipped, 'file')} skipped: no session log`);
  if (site.pages.length === 0) throw new AppError('no session found; nothing was written');
  await site.writeIndex();
  io.note(`${counted(site.pages.length, 'page')} and '${join(folder, INDEX)}' written`);
  return errors.length > 0 ? 2 : site.code;
}

class Site {
  readonly pages: SitePage[] = [];
  code = 0;
  readonly #folder: string;
  readonly #settings: SiteSettings;
  readonly #io: Io;
  readonly #names = new Set<string>([INDEX]);

  constructor(folder: string, settings: SiteSettings, io: Io) {
    this.#folder = folder;
    this.#settings = settings;
    this.#io = io;
  }

  async add({ id, format, agent }: SessionSummary, { path }: SessionFile, isOneOfMany: boolean): Promise<void> {
    const page = this.#nameOf(id, format);
    const { redaction } = this.#settings;
    const options = { readings: 1, change: redaction?.change, ...(isOneOfMany ? { session: id } : {}) };
    const code = await readSession(
      path,
      this.#io,
      async (log, view) => {
        redaction?.report(path);
        const exported = await exportLog(log, view, this.#settings, join(this.#folder, page), this.#io);
        const { facts, totals, turns } = exported;
        this.pages.push({ page, agent: agentName(agent, format), facts, totals, turns });
        return exported.code;
      },
      options,
    );
    this.code = Math.max(this.code, code);
  }

  async writeIndex(): Promise<void> {
    const { random, signal } = this.#io;
    const sink = toFile(join(this.#folder, INDEX), { random, signal, mode: PRIVATE_MODE });
    await writeTo(sink, (out) => out.put(siteIndex(this.pages, this.#settings.time)));
  }

  /** Only characters that every file system accepts, and the same in every run. */
  #nameOf(id: string, format: string): string {
    const base = `${format}-${id.replace(/[^\w-]+/g, '-').slice(0, 80) || 'session'}`;
    let name = `${base}.html`;
    for (let n = 2; this.#names.has(name.toLowerCase()); n++) name = `${base}-${n}.html`;
    this.#names.add(name.toLowerCase());
    return name;
  }
}
