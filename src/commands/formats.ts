import { type Support, supportedFormats } from '../formats/support.ts';
import { ByteWriter } from '../lines/writer.ts';
import { type Command, flag, type Io } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';
import { toJson } from '../util/to-json.ts';
import { columnsOf, cutToWidth } from '../util/width.ts';
import { fill } from '../util/words.ts';

export const command: Command = {
  operands: '',
  description: [
    'Says which formats are read by every command that reads, which are checked by `validate` and repaired in their own form, which `convert` writes, and where each agent keeps its logs. A log is recognized by its content; `--from` takes the names of this list.',
  ],
  memory: 'none; no log is read.',
  options: [flag('json', 'Print one JSON object per format')],
  examples: {
    'sessionctl formats': 'what is supported',
    "sessionctl formats --json | jq -r 'select(.writes).id'": 'what convert --to takes',
  },
  readsInput: false,
  run: async (args, io) => {
    if (args.operands.length > 0) throw new UsageError(`takes no FILE; unexpected '${args.operands[0]}'`);
    const formats = supportedFormats(io.env);
    const out = new ByteWriter(io.stdout);
    if (args.flag('json')) for (const format of formats) out.text(`${toJson(format)}\n`);
    else out.text(table(formats, io));
    await out.flush();
    return 0;
  },
};

const ABILITIES = { reads: 'read', checks: 'check', repairs: 'repair', writes: 'write' } as const;

function table(formats: readonly Support[], { env, style, stdout }: Io): string {
  const { HOME: home } = env;
  const columns = stdout.isTTY ? columnsOf(stdout) : Number.POSITIVE_INFINITY;
  const short = (path: string): string => (home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  const names = Math.max(...formats.map(({ id }) => id.length));
  const indent = ' '.repeat(names + 2);
  return formats
    .map(({ id, files, versions, locations, ...format }) => {
      const can = Object.entries(ABILITIES).map(([key, word]) =>
        (format[key as keyof typeof ABILITIES] ? word : '-').padEnd(word.length),
      );
      const abilities = `${id.padEnd(names)}  ${can.join(' ')}`;
      const about = `${files}${versions.length > 0 ? `; tested with ${versions.join(', ')}` : ''}`;
      const isOneLine = abilities.length + 2 + about.length <= columns;
      const below = isOneLine ? [] : fill(about.split(' '), indent, indent, columns);
      const where = locations.map((path) => `${indent}${style.dim(cutToWidth(short(path), columns - indent.length))}`);
      const rest = isOneLine ? `${abilities.slice(names)}  ${about}` : abilities.slice(names).trimEnd();
      return [style.bold(abilities.slice(0, names)) + rest, ...below, ...where].map((line) => `${line}\n`).join('');
    })
    .join('');
}
