import { extname } from 'node:path';
import type { ExportFormat, TimeText } from '../exporters/exporter.ts';
import { htmlFormat } from '../exporters/html/index.ts';
import { exportFormats } from '../exporters/index.ts';
import { timeTextIn } from '../exporters/view/totals.ts';
import { isFolderOutput } from '../files/place.ts';
import type { Log } from '../log/log.ts';
import { type ExportSettings, exportLog } from '../sessions/export-log.ts';
import { writeSite } from '../sessions/site.ts';
import { BLOBS_OPTION, namedStore } from '../shared/blob-options.ts';
import { type Command, flag, INDEX, type Io, leafOption, option, type ParsedArgs } from '../shared/command.ts';
import { isFolderName } from '../shared/each-log.ts';
import {
  choiceIn,
  FORMAT_OPTION,
  REDACT_OPTION,
  readSession,
  SESSION_OPTION,
  type View,
} from '../shared/open-session.ts';
import { UsageError } from '../util/errors.ts';

export const command: Command = {
  operands: '[FILE|DIR]...',
  description: [
    'Writes the branch that ends at the leaf, or every branch with `--all`, for people to read. A shell command is shown as shell, an edit as a diff, a write in the language of its file, anything else as JSON, each followed by its result; long ones are shortened, with their full length. Errors, aborted turns, compactions, branch summaries, labels and changes of model, thinking level and mode are shown where they happened, entries of unknown types as notes; what the log of another agent has besides the conversation is left out. Nothing in a log can break out of its place in the output, run, or load anything.',
    '- Markdown renders on GitHub. It has front matter with session, title, folder, model, dates, tokens and cost; headings of turns have their first words, and long results are folded. What users and models wrote stays Markdown: raw HTML is shown as text, fences are always closed, headings are one level below those of the export, and definitions of links and footnotes, external images and mentions have no effect.',
    '- HTML is one page that loads nothing and has a strict content security policy. It has a tree of the branches, a timeline of the turns with their tokens and errors, filters (no tools, user, labeled, errors), search, folding, light and dark mode, links to every entry, result and branch (a click on `#` or the number of a turn copies one), and keyboard shortcuts (`?` lists them); it can also be read without scripts. A folded tool call shows its command or path, how long it took and whether it failed. What is shortened can be opened in the page, up to 1 MB of one text and 10 MB of all. Code is not highlighted: a highlighter would be twice the size of the rest of the page, and guesses wrong on excerpts.',
    "- The log in the page: an HTML page also holds its header and entries as they are in the log, byte for byte, with all that it does not show of them, up to 10 MB, and so grows by the size of the log without its images; `--redact` replaces the secrets in them too. Its readers can save a branch, or all of them, as a session log that `validate` accepts and pi opens; of another agent's log it is what `convert` gives. `--no-entries`, `--tools none`, `--thinking none` and `--assets` leave the entries out; of a larger log the page names the `fork` that writes a branch.",
    '- A site, with `-o DIR/`: a page for each session of the files and folders, and an `index.html` that lists them with agent, project, time, title, turns, tokens and cost. It can be filtered and sorted, and is a plain table without scripts. No FILE means all sessions on this machine.',
    'Images are part of the output as data URLs, unless `--assets` is given; blob refs stay refs without a store. Times are in UTC, so that the output is the same on every machine.',
  ],
  memory: `${INDEX}, 4 to 12 bytes more with \`--all\`, one turn with its results, and up to 8 MB of output; longer output is kept in a private temporary file, because the totals come first.`,
  topics: ['rev', 'reading'],
  options: [
    option('format', 'FORMAT', 'Markdown or HTML; the default depends on the file extension of `-o`', {
      short: 'f',
      choices: exportFormats.map((format) => format.name),
      default: 'md',
    }),
    leafOption('The branch that ends here, instead of at the last entry'),
    flag('all', 'Every branch, with links where they split'),
    option('tools', 'HOW', 'Show tool calls and results in full, with long ones shortened, or not at all', {
      choices: ['full', 'summary', 'none'],
      default: 'summary',
    }),
    option('thinking', 'HOW', "Show the model's thinking folded, expanded, or not at all", {
      choices: ['folded', 'full', 'none'],
      default: 'folded',
    }),
    option(
      'assets',
      'DIR',
      'Write images to files in DIR instead of embedding them; their names are the hashes of their contents',
    ),
    flag('no-entries', 'Leave out of an HTML page the entries that its readers could save as a log'),
    BLOBS_OPTION,
    REDACT_OPTION,
    option('tz', 'ZONE', 'Show times in this time zone, such as `Europe/Berlin`', { default: 'UTC' }),
    option('output', 'FILE', 'Write to FILE instead of standard output, all at once; a folder gets a site', {
      short: 'o',
    }),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl export session.jsonl > session.md': 'the branch that ends at the leaf, as Markdown',
    'sessionctl export --all -o session.html session.jsonl': 'every branch on one page',
    'sessionctl export -o site/ ~/.claude/projects': 'a page for every session, and a list of them',
    'sessionctl export --leaf label:done --tools none session.jsonl': 'only what was said, up to a label',
  },
  run: async (args, io) => {
    const output = args.text('output') === '-' ? undefined : args.text('output');
    const redaction = args.flag('redact')
      ? await (await import('../shared/redaction.ts')).openRedaction(args, io)
      : undefined;
    if (output !== undefined && (await isFolderOutput(output))) {
      if (args.text('format') === 'md') throw new UsageError(`'${output}' is a folder: a site has HTML pages`);
      return await writeSite(args.operands, output, { ...settingsIn(args, io, htmlFormat), redaction }, io);
    }
    const [name = '-', ...more] = args.operands;
    if (more.length > 0 || (await isFolderName(name)))
      throw new UsageError("several sessions become a site of HTML pages; pass '-o DIR/' for its folder");
    const settings = settingsIn(args, io, formatIn(args));
    const work = async (session: Log, view: View): Promise<number> => {
      redaction?.report(name);
      return (await exportLog(session, view, settings, output, io)).code;
    };
    return await readSession(name, io, work, { ...choiceIn(args), readings: 1, change: redaction?.change });
  },
};

function settingsIn(args: ParsedArgs, io: Io, format: ExportFormat): ExportSettings {
  const zone = args.text('tz') ?? 'UTC';
  return {
    format,
    leaf: args.text('leaf'),
    blobs: namedStore(args, io),
    all: args.flag('all'),
    tools: (args.text('tools') ?? 'summary') as ExportSettings['tools'],
    thinking: (args.text('thinking') ?? 'folded') as ExportSettings['thinking'],
    zone,
    time: timesIn(zone),
    assets: args.text('assets') !== undefined,
    entries: !args.flag('no-entries'),
    assetFolder: args.text('assets'),
  };
}

/** The one that was asked for, or by the ending of the output; Markdown where there is none, as for a device. */
function formatIn(args: ParsedArgs): ExportFormat {
  const [name, output] = [args.text('format'), args.text('output')];
  const ending = extname(output ?? '').toLowerCase();
  const byEnding = ending === '' ? exportFormats[0] : exportFormats.find(({ endings }) => endings.includes(ending));
  const format = name === undefined ? byEnding : exportFormats.find((one) => one.name === name);
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
