import { extname } from 'node:path';
import { exportBody } from '../exporters/export.ts';
import type { ExportFormat, ExportOptions, TimeText } from '../exporters/exporter.ts';
import { exportFormats } from '../exporters/index.ts';
import { type ImageStores, imageView } from '../exporters/view/images.ts';
import { timeTextIn } from '../exporters/view/totals.ts';
import { assetSaver } from '../files/assets.ts';
import { modeOf } from '../files/input.ts';
import { PRIVATE_MODE, type Sink, toFile, toStream } from '../files/sink.ts';
import { HeldOutput } from '../files/spool.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { BLOBS_OPTION, namedStore, refStays } from '../shared/blob-options.ts';
import { type Command, flag, type Io, leafOption, option, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { resolveEntry } from '../tree/rev.ts';
import { ClosedPipe, UsageError } from '../util/errors.ts';
import { visibleEscape } from '../util/printable.ts';

export const command: Command = {
  operands: '[FILE]',
  description: [
    'Writes the branch that ends at the leaf, or every branch with --all, for people to read. Markdown has front matter with ' +
      'session, title, folder, model, dates, tokens and cost, and renders on GitHub. HTML is one self-contained page that loads ' +
      'nothing: it has search, folding and a tree of the branches, and can also be read without scripts.',
    'Tool calls are shown in a form that suits the tool, and long results are shortened, with their full length; --tools full shows ' +
      'everything. Entries of unknown types are shown as notes; what the log of another agent has beside the conversation is left out. Nothing in the log can break out of its place in the output, run, or ' +
      'load anything.',
    'Images are part of the output as data URLs, or files in --assets DIR, named by the hash of their content. Blob refs stay ' +
      'refs unless --blobs or SESSIONCTL_BLOBS is set.',
    'Times are shown in UTC, so that the output is the same on every machine; --tz takes a zone such as Europe/Berlin.',
    'Memory: about 55 bytes per entry for the index, 4 to 12 more with --all, one turn with its results, and up to 8 MB of output; ' +
      'longer output is kept in a private temporary file, because the totals come first. Standard input is copied to one too. ' +
      'Damage in lines that are not read may go unnoticed; use validate to find it.',
  ],
  options: [
    option('format', 'FORMAT', 'Markdown or HTML; the default depends on the file extension of -o', {
      short: 'f',
      choices: exportFormats.map((format) => format.name),
      default: 'md',
    }),
    leafOption('The branch that ends here, instead of at the last entry; --leaf=-abc for an id with a dash'),
    flag('all', 'Every branch, with links where they split'),
    option('tools', 'HOW', 'Show tool calls and results in full, with long ones shortened, or not at all', {
      choices: ['full', 'summary', 'none'],
      default: 'summary',
    }),
    option('thinking', 'HOW', "Show the model's thinking folded, expanded, or not at all", {
      choices: ['folded', 'full', 'none'],
      default: 'folded',
    }),
    option('assets', 'DIR', 'Write images to files in DIR instead of embedding them'),
    BLOBS_OPTION,
    flag('redact', "Replace secrets by markers, as 'sessionctl redact' does"),
    option('tz', 'ZONE', 'Show times in this time zone', { default: 'UTC' }),
    option('output', 'FILE', 'Write to FILE instead of standard output, all at once', { short: 'o' }),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl export session.jsonl > session.md': 'the branch that ends at the leaf, as Markdown',
    'sessionctl export --all -o session.html session.jsonl': 'every branch on one page',
    'sessionctl export --leaf label:done --tools none session.jsonl': 'only what was said, up to a label',
  },
  readsInput: true,
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('one FILE at a time, because each becomes its own document');
    const options = readOptions(args);
    const name = args.operands[0] ?? '-';
    const redaction = args.flag('redact')
      ? await (await import('../shared/redaction.ts')).openRedaction(args, io)
      : undefined;
    const work = async (session: Log, view: View): Promise<number> => {
      redaction?.tell(name);
      return await exportLog(session, view, options, args, io);
    };
    return await readSession(name, io, work, { ...choiceIn(args), readings: 1, change: redaction?.change });
  },
};

function readOptions(args: ParsedArgs): ExportOptions {
  const zone = args.text('tz') ?? 'UTC';
  const name = args.text('format');
  return {
    format: exportFormats.find((one) => one.name === name) ?? formatFor(args.text('output')),
    all: args.flag('all'),
    tools: (args.text('tools') ?? 'summary') as ExportOptions['tools'],
    thinking: (args.text('thinking') ?? 'folded') as ExportOptions['thinking'],
    zone,
    time: timesIn(zone),
    assets: args.text('assets') !== undefined,
  };
}

/** By the ending of the output; Markdown where there is none, as for a device. */
function formatFor(output: string | undefined): ExportFormat {
  const ending = extname(output ?? '').toLowerCase();
  const format = ending === '' ? exportFormats[0] : exportFormats.find(({ endings }) => endings.includes(ending));
  if (format) return format;
  const known = exportFormats.flatMap(({ endings }) => endings);
  const words = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  throw new UsageError(`'${output}' ends in '${ending}', not in ${words}; set the format with --format`);
}

function timesIn(zone: string): TimeText {
  try {
    return timeTextIn(zone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`'${zone}' is not a time zone; use one such as UTC or Europe/Berlin`);
  }
}

const MOST_NOTES = 20;

async function exportLog(session: Log, view: View, options: ExportOptions, args: ParsedArgs, io: Io): Promise<number> {
  const { name } = session;
  const path = name === '-' ? undefined : name;
  const mode = path === undefined ? PRIVATE_MODE : await modeOf(path);
  const output = args.text('output') === '-' ? undefined : args.text('output');
  let kept = 0;
  const onKept: ImageStores['onKept'] = (line, ref, why) => {
    if (++kept <= MOST_NOTES) io.note(`${name}:${line}: ${refStays(ref, why)}`);
  };
  const blobs = namedStore(args, io);
  blobs?.folder.require();
  const assets = args.text('assets');
  const save = assets === undefined ? undefined : assetSaver(assets, mode & PRIVATE_MODE, output, io);
  const image = imageView({ blobs, save, onKept });
  const end = (): number => {
    if (kept > MOST_NOTES) io.note(`${name}: ${kept - MOST_NOTES} more refs kept`);
    return kept > 0 ? 1 : 0;
  };
  // From here on there is something to clean up. The export of a read-only log is writable all the same.
  const files = { random: io.random, signal: io.signal, input: path, mode: mode | 0o200 };
  const sink = output === undefined ? toStream(terminalSafe(io.stdout, visibleEscape)) : toFile(output, files);
  const body = new HeldOutput(io.random, io.signal);
  try {
    const leaf = await leafOf(session, view, args);
    await deliver(await exportBody({ session, leaf, options, image, body }), body, sink);
    return end();
  } catch (error) {
    throw error instanceof ClosedPipe ? Object.assign(error, { exitCode: end() }) : error;
  } finally {
    body.close();
    sink.discard();
  }
}

/** With --all every branch is shown, and each says where it was cut off. */
async function leafOf(session: Log, view: View, args: ParsedArgs): Promise<number> {
  const leaf = args.text('leaf');
  if (!args.flag('all')) return await view.leaf(leaf);
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
