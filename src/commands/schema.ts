import { entrySchema, lineSchema, schemaTypes } from '../entries/schema/json-schema.ts';
import { ByteWriter } from '../lines/writer.ts';
import { type Command, flag, option } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';

export const command: Command = {
  operands: '',
  description: [
    'Prints JSON Schema 2020-12 for one line of a version 3 log, made from the same declarations that `validate` uses, for an editor, a test or an agent in another language. Unknown entry types, roles, blocks and fields are allowed. Older logs are described by `#/$defs/line-v1` and `#/$defs/line-v2` of the same document.',
    'A schema sees one line at a time; `validate` also checks what a schema cannot express: damaged bytes, the tree, references, tool calls.',
  ],
  memory: 'none; no log is read.',
  options: [
    option('entry', 'TYPE', 'Only this entry type; `session` is the header, `title` the title slot', {
      choices: schemaTypes(),
    }),
    flag('config', 'The schema of `sessionctl.config.json` instead'),
  ],
  examples: {
    'sessionctl schema > session.schema.json': 'the schema of a line',
    'sessionctl schema --entry compaction': 'the schema of one entry type',
    'sessionctl schema --config > sessionctl.schema.json': 'the schema of the settings of validate, for an editor',
  },
  readsInput: false,
  run: async (args, io) => {
    if (args.operands.length > 0) throw new UsageError(`takes no FILE; unexpected '${args.operands[0]}'`);
    const type = args.text('entry');
    if (type !== undefined && args.flag('config')) throw new UsageError("'--entry' and '--config' exclude each other");
    const schema = args.flag('config')
      ? (await import('../validate/config-json-schema.ts')).configJsonSchema()
      : ((type === undefined ? undefined : entrySchema(type)) ?? lineSchema());
    const out = new ByteWriter(io.stdout);
    out.text(`${JSON.stringify(schema, null, 2)}\n`);
    await out.flush();
    return 0;
  },
};
