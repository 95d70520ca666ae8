import type { JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { type LogIndex, MISSING_PARENT, NOT_FOUND } from '../log/log-index.ts';
import { type GivenLabel, givenLabels } from '../tree/labels.ts';
import { sessionTitle } from '../tree/title.ts';
import type { Branch, Exporter, ExporterOptions, ExportFormat, SessionFacts } from './exporter.ts';
import { type Plan, planAll, planPath, type Section } from './plan.ts';
import { anchorOf } from './view/anchor.ts';
import { type ImageView, notShown } from './view/images.ts';
import type { Item, ThinkingOption } from './view/item.ts';
import { Totals } from './view/totals.ts';
import { type ExportEntry, Transcript } from './view/transcript.ts';
import { labelElsewhereWords, lostParentWords } from './view/words.ts';

export interface ExportOptions extends Omit<ExporterOptions, 'anchorOf'> {
  readonly format: ExportFormat;
  readonly thinking: ThinkingOption;
}

/** Writes the body of an export and gives the head that belongs before it. */
export async function exportBody(
  session: Log,
  leaf: number,
  options: ExportOptions,
  image: ImageView,
  body: { write(text: string): void },
): Promise<string> {
  const plan = options.all ? planAll(session.index, leaf) : planPath(session.index, leaf);
  const run = new ExportRun(session, plan, options, image, body, await givenLabels(session));
  return await run.write(leaf);
}

class ExportRun {
  readonly #session: Log;
  readonly #plan: Plan;
  readonly #options: ExportOptions;
  readonly #image: ImageView;
  readonly #body: { write(text: string): void };
  readonly #labels: ReadonlyMap<number, GivenLabel>;
  readonly #exporter: Exporter;
  readonly #totals = new Totals();
  /** The number of turns up to each entry where branches start. */
  readonly #turnsAt = new Map<number, number>();
  /** Assistant messages that are known to show nothing. */
  readonly #hidden = new Set<number>();
  #branches: ReadonlyMap<Section, Branch> = new Map();
  #turns = 0;
  #opening: string | undefined;

  constructor(
    session: Log,
    plan: Plan,
    options: ExportOptions,
    image: ImageView,
    body: { write(text: string): void },
    labels: ReadonlyMap<number, GivenLabel>,
  ) {
    this.#session = session;
    this.#plan = plan;
    this.#options = options;
    this.#image = image;
    this.#body = body;
    this.#labels = labels;
    this.#exporter = options.format.make({ ...options, anchorOf: (id) => this.#anchorOf(id) });
  }

  async write(leaf: number): Promise<string> {
    const { sections } = this.#plan;
    if (this.#options.all && sections.length > 1) this.#branches = await this.#describeBranches();
    for (const section of sections) {
      const branch = this.#branches.get(section);
      if (branch) this.#body.write(this.#exporter.branch(branch));
      await this.#section(section);
    }
    const facts = await this.#facts(leaf);
    const head = this.#exporter.head(facts, this.#totals, this.#turns, [...this.#branches.values()]);
    this.#body.write(this.#exporter.tail());
    return head;
  }

  /** Undefined for an entry that is not in the export, or of which nothing is shown. */
  #anchorOf(id: string): string | undefined {
    const { index } = this.#session;
    const position = index.find(id);
    if (position === NOT_FOUND || !this.#plan.sectionOf(position) || this.#hidden.has(position)) return undefined;
    const isResult = index.typeOf(position) === 'message' && index.roleOf(position) === 'toolResult';
    if (isResult && this.#options.tools === 'none') return undefined;
    return index.repeatsId(position) ? `line-${index.lineOf(position)}` : anchorOf(id);
  }

  async #section(section: Section): Promise<void> {
    const { index } = this.#session;
    const start = this.#turnsAt.get(section.from) ?? 0;
    let line = 0;
    const options = { ...this.#options, image: (block: JsonObject) => this.#image(block, line) };
    const transcript = new Transcript(options, start, ({ position }: ExportEntry) => index.repeatsId(position));
    const lost = lostParentOf(index, section);
    const show = (entry: LogEntry): void => {
      const { position, value } = entry;
      this.#totals.add(value);
      line = entry.line;
      if (position === lost && typeof value['parentId'] === 'string')
        this.#put(transcript.say(lostParentWords(value['parentId'])));
      this.#put(transcript.push(entry));
      if (transcript.hid) this.#hidden.add(position);
      const given = this.#labels.get(position);
      if (given && typeof value['id'] === 'string' && this.#plan.sectionOf(given.by) !== section)
        this.#put(transcript.say(labelElsewhereWords(given.label, value['id'])));
      const starting = this.#plan.forks.get(position);
      if (!starting) return;
      this.#put(transcript.fork());
      this.#turnsAt.set(position, transcript.turns);
      const branches = starting.flatMap((one) => this.#branches.get(one) ?? []);
      this.#body.write(this.#exporter.fork({ anchor: forkAnchor(position), branches }));
    };
    await this.#session.forEachEntry(section.positions, show);
    this.#put(transcript.end());
    this.#turns += transcript.turns - start;
  }

  #put(items: readonly Item[]): void {
    for (const item of items) {
      if (this.#opening === undefined && item.kind === 'message' && item.speaker === 'user')
        this.#opening = item.heading?.gist;
      this.#body.write(this.#exporter.item(item));
    }
  }

  async #describeBranches(): Promise<Map<Section, Branch>> {
    const { sections, sectionOf } = this.#plan;
    const labels = new Map([...this.#labels].map(([position, { label }]) => [sectionOf(position), label]));
    const ids = await this.#idsOf(sections.flatMap(({ leaf, from }) => (from < 0 ? [leaf] : [leaf, from])));
    const describe = (section: Section): Branch => ({
      number: section.number,
      leaf: ids.get(section.leaf) ?? '',
      label: labels.get(section),
      from: section.from < 0 ? undefined : forkAnchor(section.from),
      fromEntry: ids.get(section.from),
      isCut: lostParentOf(this.#session.index, section) !== undefined,
      entries: section.positions.length,
    });
    return new Map(sections.map((section) => [section, describe(section)]));
  }

  /** The ids of entries by their positions; the line stands for an entry that has none or cannot be read. */
  async #idsOf(positions: readonly number[]): Promise<Map<number, string>> {
    const { index } = this.#session;
    const ids = new Map(positions.map((position) => [position, `line ${index.lineOf(position)}`]));
    for await (const entry of this.#session.entries([...ids.keys()].sort((a, b) => a - b))) {
      if (typeof entry.value['id'] === 'string') ids.set(entry.position, entry.value['id']);
      if (this.#options.tools === 'none') this.#noteHidden(entry);
    }
    return ids;
  }

  /** Links may lead to these entries before they are reached. */
  #noteHidden({ position, line, value }: LogEntry): void {
    const alone = new Transcript({ ...this.#options, image: () => notShown([]) });
    alone.push({ position, line, value });
    if (alone.hid) this.#hidden.add(position);
  }

  async #facts(leaf: number): Promise<SessionFacts> {
    const { header, fileVersion } = this.#session;
    const text = (key: string): string | undefined => {
      const value = header?.[key];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    return {
      id: text('id'),
      title: await sessionTitle(this.#session),
      opening: this.#opening,
      cwd: text('cwd'),
      version: fileVersion,
      started: header?.['timestamp'],
      parentSession: text('parentSession'),
      leaf: leaf < 0 || this.#options.all ? undefined : (await this.#idsOf([leaf])).get(leaf),
    };
  }
}

/** The entry that a section starts with, where its parent is not in the log. */
function lostParentOf(index: LogIndex, { from, positions: [first] }: Section): number | undefined {
  return from < 0 && first !== undefined && index.parentOf(first) === MISSING_PARENT ? first : undefined;
}

function forkAnchor(position: number): string {
  return `fork-${position}`;
}
