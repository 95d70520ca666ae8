import { extname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { printable } from '../base/printable.ts';
import { ClosedPipe, UsageTrouble } from '../base/trouble.ts';
import type { Kept } from '../blobs/inline.ts';
import type { BlobStore } from '../blobs/store.ts';
import type { Branch, Exporter, SessionFacts } from '../exporters/exporter.ts';
import { exportFormats } from '../exporters/index.ts';
import { type Plan, planAll, planPath, type Section } from '../exporters/plan.ts';
import { anchorOf } from '../exporters/view/anchor.ts';
import { labelElsewhereWords, lostParentWords } from '../exporters/view/branch.ts';
import { aboutPicture, embedded, notShown, pictureOf } from '../exporters/view/images.ts';
import type { Image, Item } from '../exporters/view/item.ts';
import type { ThinkingWish, ToolsWish } from '../exporters/view/options.ts';
import { type TimeText, timeTextIn } from '../exporters/view/time.ts';
import { Totals } from '../exporters/view/totals.ts';
import { type ExportEntry, Transcript } from '../exporters/view/transcript.ts';
import { AssetFolder } from '../files/assets.ts';
import { HeldOutput } from '../files/held-output.ts';
import { modeOf } from '../files/input.ts';
import { toFile } from '../files/output-file.ts';
import { PRIVATE_MODE, type Sink, toStream } from '../files/sink.ts';
import type { JsonObject } from '../json/value.ts';
import { ByteWriter } from '../lines/writer.ts';
import { type LogIndex, MISSING_PARENT, NOT_FOUND } from '../log/log-index.ts';
import { BLOBS_OPTION, namedStore, refStays } from '../shared/blob-options.ts';
import type { Command, Given, Io } from '../shared/command.ts';
import { readSession } from '../shared/open-session.ts';
import type { View } from '../shared/view.ts';
import { type GivenLabel, givenLabels } from '../tree/labels.ts';
import { lastEntry, resolveEntry } from '../tree/rev.ts';
import type { LogEntry, Session } from '../tree/session.ts';
import { sessionTitle } from '../tree/title.ts';

export const command: Command = {
  name: 'export',
  summary: 'Write a session as Markdown or HTML for people to read',
  operands: '[FILE]',
  description: [
    'Writes the branch that ends at the leaf, or every branch with --all, for people to read. Markdown has front matter with ' +
      'session, title, folder, model, dates, tokens and cost, and renders on GitHub. HTML is one self-contained page that loads ' +
      'nothing: it has search, folding and a tree of the branches, and can also be read without scripts.',
    'Tool calls are shown in a form that suits the tool, and long results are shortened, with their full length; --tools full shows ' +
      'everything. Entries of unknown types are shown as notes. Nothing in the log can break out of its place in the output, run, or ' +
      'load anything.',
    'Images are part of the output as data URLs, or files in --assets DIR, named by the hash of their content. Blob refs stay ' +
      'refs unless --blobs or SESSIONCTL_BLOBS is set.',
    'Times are shown in UTC, so that the output is the same on every machine; --tz takes a zone such as Europe/Berlin.',
    'Memory: about 27 bytes per entry for the index, 4 to 12 more with --all, one turn with its results, and up to 8 MB of output; ' +
      'longer output is kept in a private temporary file, because the totals come first. Standard input is copied to one too. ' +
      'Damage in lines that are not read may go unnoticed; use validate to find it.',
  ],
  options: [
    {
      name: 'format',
      short: 'f',
      kind: 'text',
      value: 'FORMAT',
      choices: exportFormats.map((format) => format.name),
      describe: 'Markdown or HTML; the default depends on the file extension of -o',
      default: 'md',
    },
    {
      name: 'leaf',
      kind: 'text',
      value: 'REV',
      describe: 'The branch that ends here, instead of at the last entry; --leaf=-abc for an id with a dash',
      default: '@',
    },
    { name: 'all', kind: 'flag', describe: 'Every branch, with links where they split' },
    {
      name: 'tools',
      kind: 'text',
      value: 'HOW',
      choices: ['full', 'summary', 'none'],
      describe: 'Show tool calls and results in full, with long ones shortened, or not at all',
      default: 'summary',
    },
    {
      name: 'thinking',
      kind: 'text',
      value: 'HOW',
      choices: ['folded', 'full', 'none'],
      describe: "Show the model's thinking folded, expanded, or not at all",
      default: 'folded',
    },
    { name: 'assets', kind: 'text', value: 'DIR', describe: 'Write images to files in DIR instead of embedding them' },
    BLOBS_OPTION,
    { name: 'tz', kind: 'text', value: 'ZONE', describe: 'Show times in this time zone', default: 'UTC' },
    { name: 'output', short: 'o', kind: 'text', value: 'FILE', describe: 'Write to FILE instead of standard output, all at once' },
  ],
  examples: [
    { run: 'sessionctl export session.jsonl > session.md', shows: 'the branch that ends at the leaf, as Markdown' },
    { run: 'sessionctl export --all -o session.html session.jsonl', shows: 'every branch on one page' },
    { run: 'sessionctl export --leaf label:done --tools none session.jsonl', shows: 'only what was said, up to a label' },
  ],
  readsInput: true,
  run: async (given, io) => {
    if (given.operands.length > 1) throw new UsageTrouble('one FILE at a time, because each becomes its own document');
    const wish = readWish(given);
    return await readSession(given.operands[0] ?? '-', io, (session, view) => exportSession(session, view, wish, given, io), {
      readings: 1,
    });
  },
};

interface Wish {
  readonly format: string;
  readonly leaf: string | undefined;
  readonly all: boolean;
  readonly tools: ToolsWish;
  readonly thinking: ThinkingWish;
  readonly zone: string;
  readonly time: TimeText;
  readonly assets: string | undefined;
  /** Undefined for standard output. */
  readonly output: string | undefined;
}

function readWish(given: Given): Wish {
  const output = given.text('output');
  const zone = given.text('tz') ?? 'UTC';
  const assets = given.text('assets');
  return {
    format: given.text('format') ?? formatFor(output),
    leaf: given.text('leaf'),
    all: given.flag('all'),
    tools: (given.text('tools') ?? 'summary') as ToolsWish,
    thinking: (given.text('thinking') ?? 'folded') as ThinkingWish,
    zone,
    time: timesIn(zone),
    assets,
    output: output === '-' ? undefined : output,
  };
}

/** By the ending of the output; Markdown where there is none, as for a device. */
function formatFor(output: string | undefined): string {
  const ending = extname(output ?? '').toLowerCase();
  const format = ending === '' ? exportFormats[0] : exportFormats.find(({ endings }) => endings.includes(ending));
  if (format) return format.name;
  const known = exportFormats.flatMap(({ endings }) => endings);
  const words = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  throw new UsageTrouble(`'${output}' ends in '${ending}', not in ${words}; set the format with --format`);
}

function timesIn(zone: string): TimeText {
  try {
    return timeTextIn(zone);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageTrouble(`'${zone}' is not a time zone; use one such as UTC or Europe/Berlin`);
    throw error;
  }
}

async function exportSession(session: Session, view: View, wish: Wish, given: Given, io: Io): Promise<number> {
  const path = session.name === '-' ? undefined : session.name;
  const mode = path === undefined ? PRIVATE_MODE : await modeOf(path);
  const pictures = new Pictures(session.name, wish, namedStore(given, io), mode, io);
  // From here on there is something to clean up.
  const sink = sinkFor(wish, io, path, mode);
  const body = new HeldOutput(io.random, io.signal);
  try {
    const leaf = await leafOf(session, view, wish);
    const head = await new Writing(session, wish, pictures, body).run(leaf);
    await deliver(head, body, sink, io);
    return pictures.end();
  } catch (error) {
    throw error instanceof ClosedPipe ? Object.assign(error, { exitCode: pictures.end() }) : error;
  } finally {
    body.close();
    sink.discard();
  }
}

/** With --all every branch is shown, and each tells where it was cut off. */
async function leafOf(session: Session, view: View, { leaf, all }: Wish): Promise<number> {
  if (!all) return await view.leaf(leaf);
  view.reads(Array(session.index.size).keys());
  return leaf === undefined ? await lastEntry(session) : await resolveEntry(session, leaf);
}

function sinkFor(wish: Wish, io: Io, input: string | undefined, mode: number): Sink {
  // A page of a log that may only be read is a new file of its owner's all the same.
  if (wish.output !== undefined) return toFile(wish.output, { random: io.random, signal: io.signal, input, mode: mode | 0o200 });
  return toStream(io.stdout);
}

async function deliver(head: string, body: HeldOutput, sink: Sink, io: Io): Promise<void> {
  const out = new ByteWriter(sink.stream);
  const terminal = sink.stream === io.stdout && io.stdout.isTTY === true;
  // A character may stand in two chunks.
  const decoder = terminal ? new StringDecoder('utf8') : undefined;
  out.text(terminal ? safeLines(head) : head);
  for await (const chunk of body.chunks()) {
    if (decoder) out.text(safeLines(decoder.write(chunk)));
    else out.bytes(chunk);
    if (out.full) await out.flush();
  }
  await out.flush();
  await sink.commit();
}

/** For a terminal: line by line, without anything that moves its cursor or hides text. */
function safeLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** One export under way. */
class Writing {
  readonly #session: Session;
  readonly #wish: Wish;
  readonly #pictures: Pictures;
  readonly #body: HeldOutput;
  readonly #totals = new Totals();
  /** How many turns there were up to each entry that branches go on from. */
  readonly #turnsAt = new Map<number, number>();
  /** Assistant messages of which nothing is shown, as far as they are known. */
  readonly #hidden = new Set<number>();
  #labels: ReadonlyMap<number, GivenLabel> = new Map();
  #turns = 0;
  #opening: string | undefined;

  constructor(session: Session, wish: Wish, pictures: Pictures, body: HeldOutput) {
    this.#session = session;
    this.#wish = wish;
    this.#pictures = pictures;
    this.#body = body;
  }

  /** Writes the body and gives the head that belongs before it. */
  async run(leaf: number): Promise<string> {
    const session = this.#session;
    const { index } = session;
    const plan = this.#wish.all ? planAll(index, leaf) : planPath(index, leaf);
    this.#labels = await givenLabels(session);
    const branches = await this.#branches(plan);
    const exporter = this.#exporter(plan);
    for (const section of plan.sections) {
      const branch = branches.get(section);
      if (this.#wish.all && plan.sections.length > 1 && branch) this.#body.write(exporter.branch(branch));
      await this.#section(section, plan, branches, exporter);
    }
    const facts = await this.#facts(leaf);
    const head = exporter.head(facts, this.#totals, this.#turns, [...branches.values()]);
    this.#body.write(exporter.tail());
    return head;
  }

  #exporter(plan: Plan): Exporter {
    const { format, tools, all, zone, time, assets } = this.#wish;
    const { index } = this.#session;
    const anchorOfEntry = (id: string): string | undefined => {
      const position = index.find(id);
      if (position === NOT_FOUND || !plan.sectionOf(position) || this.#isHidden(position)) return undefined;
      return index.repeatsId(position) ? `line-${index.lineOf(position)}` : anchorOf(id);
    };
    const found = exportFormats.find((one) => one.name === format);
    if (!found) throw new UsageTrouble(`'${format}' is not a format`);
    return found.make({ tools, all, zone, time, anchorOf: anchorOfEntry, assets: assets !== undefined });
  }

  async #section(section: Section, plan: Plan, branches: ReadonlyMap<Section, Branch>, exporter: Exporter): Promise<void> {
    const { tools, thinking, time } = this.#wish;
    const { index } = this.#session;
    const start = section.from < 0 ? 0 : (this.#turnsAt.get(section.from) ?? 0);
    const image = (block: JsonObject): Image => this.#pictures.show(block);
    const transcript = new Transcript({ tools, thinking, time, image }, start, ({ position }: ExportEntry) => index.repeatsId(position));
    const put = (items: readonly Item[]): void => {
      for (const item of items) {
        if (this.#opening === undefined && item.kind === 'message' && item.speaker === 'user') this.#opening = item.heading?.gist;
        this.#body.write(exporter.item(item));
      }
    };
    const lost = lostParentOf(index, section);
    const show = (entry: LogEntry): void => {
      const { id, parentId } = entry.value;
      this.#totals.add(entry.value);
      this.#pictures.line = entry.line;
      if (entry.position === lost && typeof parentId === 'string') put(transcript.say(lostParentWords(parentId)));
      put(transcript.push(entry));
      if (transcript.hid) this.#hidden.add(entry.position);
      const given = this.#labels.get(entry.position);
      if (given && typeof id === 'string' && plan.sectionOf(given.by) !== section)
        put(transcript.say(labelElsewhereWords(given.label, id)));
      const parting = plan.forks.get(entry.position);
      if (!parting) return;
      put(transcript.fork());
      this.#turnsAt.set(entry.position, transcript.turns);
      const others = parting.flatMap((one) => branches.get(one) ?? []);
      this.#body.write(exporter.fork({ anchor: forkAnchor(entry.position), branches: others }));
    };
    await this.#session.forEachEntry(section.positions, show);
    put(transcript.end());
    this.#turns += transcript.turns - start;
  }

  async #branches(plan: Plan): Promise<Map<Section, Branch>> {
    const named = new Map<Section, string>();
    const all = this.#wish.all && plan.sections.length > 1;
    if (all) {
      for (const [position, { label }] of this.#labels) {
        const section = plan.sectionOf(position);
        if (section) named.set(section, label);
      }
    }
    const branches = new Map<Section, Branch>();
    if (!all) return branches;
    const ids = await this.#idsOf(plan.sections.flatMap(({ leaf, from }) => (from < 0 ? [leaf] : [leaf, from])));
    for (const section of plan.sections) {
      branches.set(section, {
        number: section.number,
        leaf: ids.get(section.leaf) ?? '',
        label: named.get(section),
        from: section.from < 0 ? undefined : forkAnchor(section.from),
        fromEntry: section.from < 0 ? undefined : ids.get(section.from),
        isCut: lostParentOf(this.#session.index, section) !== undefined,
        entries: section.positions.length,
      });
    }
    return branches;
  }

  /** The ids of entries by their positions; the line stands for an entry that has none or cannot be read. */
  async #idsOf(positions: readonly number[]): Promise<Map<number, string>> {
    const { index } = this.#session;
    const ids = new Map(positions.map((position) => [position, `line ${index.lineOf(position)}`]));
    const inOrder = [...ids.keys()].sort((a, b) => a - b);
    for await (const { position, value } of this.#session.entries(inOrder)) {
      if (typeof value['id'] === 'string') ids.set(position, value['id']);
      this.#lookAt({ position, line: index.lineOf(position), value });
    }
    return ids;
  }

  /** Whether nothing will be shown of an entry that links may lead to before it is reached. */
  #lookAt(entry: ExportEntry): void {
    const { tools, thinking, time } = this.#wish;
    if (tools !== 'none') return;
    const alone = new Transcript({ tools, thinking, time, image: () => notShown([]) });
    alone.push(entry);
    if (alone.hid) this.#hidden.add(entry.position);
  }

  #isHidden(position: number): boolean {
    const { index } = this.#session;
    const isResult = this.#wish.tools === 'none' && index.typeOf(position) === 'message' && index.roleOf(position) === 'toolResult';
    return isResult || this.#hidden.has(position);
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
      leaf: leaf < 0 || this.#wish.all ? undefined : (await this.#idsOf([leaf])).get(leaf),
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

const MOST_NOTES = 20;

/** How pictures are shown: inside the output, from files beside it, or as the refs that they are. */
class Pictures {
  readonly #name: string;
  readonly #io: Io;
  readonly #store: BlobStore | undefined;
  readonly #assets: AssetFolder | undefined;
  readonly #page: string | undefined;
  #kept = 0;
  /** The line of the entry that is being shown, for notes. */
  line = 0;

  constructor(name: string, wish: Wish, store: BlobStore | undefined, mode: number, io: Io) {
    this.#name = name;
    this.#io = io;
    this.#store = store;
    this.#page = wish.output;
    store?.folder.require();
    if (wish.assets !== undefined) this.#assets = new AssetFolder(wish.assets, mode & PRIVATE_MODE, io.random, io.signal);
  }

  show(block: JsonObject): Image {
    const picture = pictureOf(block);
    if (picture.kind === 'none') {
      if (picture.ref !== undefined && this.#store) this.#keep(picture.ref, 'bad-blob-ref');
      return notShown(picture.about);
    }
    if (picture.kind === 'data') {
      const { type, extension, base64 } = picture;
      return this.#assets ? this.#fromFile(type, extension, Buffer.from(base64, 'base64')) : embedded(type, base64);
    }
    const { type, extension, ref } = picture;
    const bytes = this.#store?.get(ref);
    if (bytes !== undefined && typeof bytes !== 'string') {
      return this.#assets ? this.#fromFile(type, extension, bytes) : embedded(type, bytes.toString('base64'));
    }
    if (bytes !== undefined) this.#keep(ref, bytes);
    return notShown([`Image of type ${type}: `, { code: ref }]);
  }

  #keep(ref: string, why: Kept): void {
    this.#kept++;
    if (this.#kept <= MOST_NOTES) this.#io.note(`${this.#name}:${this.line}: ${refStays(ref, why)}`);
  }

  /** The exit code that this has earned. */
  end(): number {
    if (this.#kept > MOST_NOTES) this.#io.note(`${this.#name}: ${this.#kept - MOST_NOTES} more refs kept`);
    return this.#kept > 0 ? 1 : 0;
  }

  #fromFile(type: string, extension: string, bytes: Buffer): Image {
    const assets = this.#assets;
    if (!assets) return notShown(aboutPicture(type, bytes.length));
    const name = assets.put(bytes, extension);
    return { kind: 'image', url: assets.addressOf(name, this.#page), about: aboutPicture(type, bytes.length) };
  }
}
