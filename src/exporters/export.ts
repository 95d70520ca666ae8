import { isBookkeeping } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { MISSING_PARENT, NOT_FOUND } from '../log/log-index.ts';
import { type LabelSetting, labelSettings, sessionTitle } from '../tree/labels.ts';
import type { ExportedBranch, Exporter, ExportOptions, HeldEntries, Image, Item, TranscriptFacts } from './exporter.ts';
import { type ExportPlan, planAll, planPath, type Section } from './plan.ts';
import { oneLine } from './text.ts';
import { type ImageView, notShown } from './view/images.ts';
import { Totals } from './view/totals.ts';
import { anchorOf, Transcript } from './view/transcript.ts';

interface ExportJob {
  readonly session: Log;
  readonly leaf: number;
  readonly options: ExportOptions;
  readonly image: ImageView;
  readonly body: { write(text: string): void };
}

/** What belongs before the body of an export, and what it was made from. */
export interface ExportedSession {
  readonly head: string;
  readonly facts: TranscriptFacts;
  readonly totals: Totals;
  readonly turns: number;
}

/** How many bytes of entries an export holds. */
const MOST_ENTRIES = 10 * 2 ** 20;

/** Writes the body of an export and gives the head that belongs before it. */
export async function exportBody(job: ExportJob): Promise<ExportedSession> {
  const { session, options } = job;
  const exporter = await options.format.make({ ...options, anchorOf: (id) => run.anchorOf(id) });
  const run = new ExportRun(job, exporter, await labelSettings(session));
  return await run.write();
}

class ExportRun {
  readonly #job: ExportJob;
  readonly #exporter: Exporter;
  readonly #labels: ReadonlyMap<number, LabelSetting>;
  readonly #plan: ExportPlan;
  readonly #totals = new Totals();
  /** The number of turns up to each entry where branches start. */
  readonly #turnsAt = new Map<number, number>();
  /** Assistant messages that are known to show nothing. */
  readonly #hidden = new Set<number>();
  readonly #entries: HeldEntries | undefined;
  #branches: ReadonlyMap<Section, ExportedBranch> = new Map();
  #turns = 0;
  #images = 0;
  #opening: string | undefined;

  constructor(job: ExportJob, exporter: Exporter, labels: ReadonlyMap<number, LabelSetting>) {
    const { session, leaf, options } = job;
    this.#job = job;
    this.#exporter = exporter;
    this.#labels = labels;
    this.#plan = options.all ? planAll(session.index, leaf) : planPath(session.index, leaf);
    this.#entries = this.#heldEntries();
  }

  async write(): Promise<ExportedSession> {
    const { sections } = this.#plan;
    if (sections.length > 1) this.#branches = await this.#describeBranches();
    for (const section of sections) {
      const branch = this.#branches.get(section);
      if (branch) this.#job.body.write(this.#exporter.branch(branch));
      await this.#section(section);
    }
    const [facts, totals, turns] = [await this.#facts(), this.#totals, this.#turns];
    const head = this.#exporter.head(facts, totals, turns, [...this.#branches.values()]);
    this.#job.body.write(this.#exporter.tail());
    return { head, facts, totals, turns };
  }

  /** None where they would have what the user leaves out or wants in files. */
  #heldEntries(): HeldEntries | undefined {
    const { session, options } = this.#job;
    const { entries, tools, thinking, assets } = options;
    if (!this.#exporter.entry || !entries || tools === 'none' || thinking === 'none' || assets) return undefined;
    let bytes = 0;
    for (const { positions } of this.#plan.sections)
      for (const position of positions) bytes += session.index.lengthOf(position);
    if (bytes > MOST_ENTRIES) return 'too large';
    const lines = [session.titleSlotText, session.headerText].filter((line) => line !== undefined);
    return { header: lines.map((line) => `${line}\n`).join(''), isConverted: session.format !== undefined };
  }

  /** Undefined for an entry that is not in the export, or of which nothing is shown. */
  anchorOf(id: string): string | undefined {
    const { session, options } = this.#job;
    const { index } = session;
    const position = index.find(id);
    if (position === NOT_FOUND || !this.#plan.sectionOf(position) || this.#hidden.has(position)) return undefined;
    const isResult = index.typeOf(position) === 'message' && index.roleOf(position) === 'toolResult';
    if (isResult && options.tools === 'none') return undefined;
    return index.repeatsId(position) ? `line-${index.lineOf(position)}` : anchorOf(id);
  }

  async #section(section: Section): Promise<void> {
    const { session, options, image, body } = this.#job;
    const start = this.#turnsAt.get(section.from) ?? 0;
    let line = 0;
    let images: Image[] = [];
    const holdsEntries = typeof this.#entries === 'object';
    const view = {
      ...options,
      image: (block: JsonObject) => {
        const shown = image(block, line);
        if (!holdsEntries || shown.url === undefined) return shown;
        const numbered = { ...shown, number: ++this.#images };
        images.push(numbered);
        return numbered;
      },
    };
    const transcript = new Transcript(view, start, ({ position }) => session.index.repeatsId(position));
    const isCut = this.#isCut(section);
    await session.forEachEntry(section.positions, (entry) => {
      const { position, value } = entry;
      const { id, parentId } = value;
      this.#totals.add(value);
      line = entry.line;
      if (isCut && position === section.positions[0] && typeof parentId === 'string') {
        const before = 'What came before is not in the log: the parent of the next entry is ';
        this.#put(transcript.say(before, { code: oneLine(parentId, 80) }));
      }
      this.#put(transcript.push(entry));
      if (transcript.hid) this.#hidden.add(position);
      // A branch alone is the same whatever else is in the log.
      const place = options.all ? position : this.#totals.entries;
      if (holdsEntries) body.write(this.#exporter.entry?.(place, entry.text, images) ?? '');
      images = [];
      // A reader of this branch alone would miss a label that was given elsewhere.
      const given = this.#labels.get(position);
      if (given && typeof id === 'string' && this.#plan.sectionOf(given.by) !== section)
        this.#put(
          transcript.say('Label ', { code: oneLine(given.label) }, ' on ', { entry: id }, ', set on another branch'),
        );
      const starting = this.#plan.forks.get(position);
      if (!starting) return;
      this.#put(transcript.end('fork'));
      this.#turnsAt.set(position, transcript.turns);
      const branches = starting.flatMap((one) => this.#branches.get(one) ?? []);
      body.write(this.#exporter.fork(`fork-${position}`, branches));
    });
    this.#put(transcript.end());
    this.#turns += transcript.turns - start;
  }

  #put(items: readonly Item[]): void {
    for (const item of items) {
      if (item.kind === 'message' && item.author === 'user') this.#opening ||= item.heading?.preview;
      this.#job.body.write(this.#exporter.item(item));
      // What waited is among the old objects for V8, and would keep the texts of its results until a full collection.
      if (item.kind === 'message') for (const part of item.parts) if (part.kind === 'call') part.results.length = 0;
    }
  }

  async #describeBranches(): Promise<Map<Section, ExportedBranch>> {
    const { sections, sectionOf } = this.#plan;
    const labels = new Map([...this.#labels].map(([position, { label }]) => [sectionOf(position), label]));
    const ids = await this.#idsOf(sections.flatMap(({ leaf, from }) => (from < 0 ? [leaf] : [leaf, from])));
    const describe = (section: Section): ExportedBranch => ({
      number: section.number,
      leaf: ids.get(section.leaf) ?? '',
      label: labels.get(section),
      from: section.from < 0 ? undefined : `fork-${section.from}`,
      fromEntry: ids.get(section.from),
      isCut: this.#isCut(section),
      entries: section.positions.length,
    });
    return new Map(sections.map((section) => [section, describe(section)]));
  }

  /** Whether a section starts at an entry whose parent is not in the log. */
  #isCut({ from, positions: [first] }: Section): boolean {
    return from < 0 && first !== undefined && this.#job.session.index.parentOf(first) === MISSING_PARENT;
  }

  /** The ids of entries by their positions; the line in place of an id that is missing or cannot be read. */
  async #idsOf(positions: readonly number[]): Promise<Map<number, string>> {
    const { session, options } = this.#job;
    const ids = new Map(positions.map((position) => [position, `line ${session.index.lineOf(position)}`]));
    for await (const entry of session.entries([...ids.keys()].sort((a, b) => a - b))) {
      if (typeof entry.value['id'] === 'string') ids.set(entry.position, entry.value['id']);
      if (options.tools !== 'none' && !isBookkeeping(entry.value)) continue;
      // Links may lead to these entries before they are reached.
      const alone = new Transcript({ ...options, image: () => notShown([]) });
      alone.push(entry);
      if (alone.hid) this.#hidden.add(entry.position);
    }
    return ids;
  }

  async #facts(): Promise<TranscriptFacts> {
    const { session, leaf, options } = this.#job;
    const text = (key: string): string | undefined => {
      const value = session.header?.[key];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    return {
      id: session.sessionId || undefined,
      title: await sessionTitle(session),
      opening: this.#opening,
      cwd: text('cwd'),
      started: session.header?.['timestamp'],
      parentSession: text('parentSession'),
      leaf: leaf < 0 || options.all ? undefined : (await this.#idsOf([leaf])).get(leaf),
      entries: this.#entries,
    };
  }
}
