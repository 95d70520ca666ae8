import { type Support, supportedFormats } from '../formats/support.ts';
import { ByteWriter } from '../lines/writer.ts';
import { type Command, flag } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';
import type { Style } from '../util/io.ts';
import { toJson } from '../util/to-json.ts';

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
    const formats = await supportedFormats(io.env);
    const out = new ByteWriter(io.stdout);
    if (args.flag('json')) for (const format of formats) out.text(`${toJson(format)}\n`);
    else out.text(table(formats, io.env, io.style));
    await out.flush();
    return 0;
  },
};

const ABILITIES = { reads: 'read', checks: 'check', repairs: 'repair', writes: 'write' } as const;

function table(
  formats: readonly Support[],
  { HOME: home }: Readonly<Record<string, string | undefined>>,
  style: Style,
) {
  const short = (path: string): string => (home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  const names = Math.max(...formats.map(({ id }) => id.length));
  return formats
    .map((format) => {
      const can = Object.entries(ABILITIES).map(([key, word]) =>
        (format[key as keyof typeof ABILITIES] ? word : '-').padEnd(word.length),
      );
      const where = format.locations.map((path) => `${' '.repeat(names + 2)}${style.dim(short(path))}\n`);
      const tested = format.versions.length > 0 ? `; tested with ${format.versions.join(', ')}` : '';
      return `${style.bold(format.id.padEnd(names))}  ${can.join(' ')}  ${format.files}${tested}\n${where.join('')}`;
    })
    .join('');
}
