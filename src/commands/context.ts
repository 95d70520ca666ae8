import { duplicatesIn, type ProjectedEntry, type SessionContext, sessionContext } from '../context/context.ts';
import { FORMS, type FormName, HAVE_SYSTEM, MessageForm, replaysIn, verdictOf } from '../context/messages/form.ts';
import { PROFILES, type Profile } from '../context/types.ts';
import { isObject } from '../json/value.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { idShortener } from '../overview/short-id.ts';
import { BLOBS_OPTION, blobResolver } from '../shared/blob-options.ts';
import { type Command, flag, INDEX, type Io, leafOption, option, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { labelsById, sessionTitle } from '../tree/labels.ts';
import { UsageError } from '../util/errors.ts';
import { escapeUnsafe, jsonEscape, printable } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';

export const command: Command = {
  operands: '[FILE]',
  description: [
    'Follows the parents from an entry to its root and prints the messages that an agent would send, one JSON object per line: the summary of the last compaction, the messages it keeps, and those after it. Messages that no rule changes are byte for byte those of the log. The copies that a compaction of pi 0.81 to 0.85 has of what it keeps (`retainedTail`) come after its summary. Blob refs become images with `--blobs`; a missing one stays a ref, with exit code 1.',
    'The profile says whose rules apply:',
    '- `spec`: the documented format',
    '- `pi`: pi 1.5, which differs in models, context edits and system messages',
    '- `omp`: omp 18, which differs in calls without results, turns that were stopped, resets, and histories that a provider keeps',
    'Logs that make an agent hang or crash still give an answer: a path ends where it would become a cycle, and an entry without a message gives none, with a note. The form of the messages is one of these; the log is never changed:',
    '- `native`: as they are in the log',
    '- `llm`: only messages of user, assistant and tools, with executions and summaries as text',
    '- `anthropic`, `openai`: messages that those APIs accept: a call without a result gets one, a result without a call becomes text, adjacent messages of one role are merged, ids are made unique, images become blocks of that API, and thinking is sent only with the signature of that provider. System text is a message for openai, and is in `--state` as `system` for the others.',
    '- `responses`: the input items of the Responses API of OpenAI, with the reasoning that it encrypted, and a history that it compacted as it was sent; a call without a result is said to be aborted, as Codex does',
  ],
  memory: `${INDEX}, 4 bytes per entry of the path, and one message at a time. \`--profile omp\` also holds the ids of tool calls; \`--as anthropic\`, \`openai\` and \`responses\` those and one turn.`,
  topics: ['rev', 'reading'],
  options: [
    leafOption('The entry whose context to show; `null` is the context before any entry'),
    option('profile', 'NAME', "Which agent's rules to apply", { choices: PROFILES, default: 'spec' }),
    option('as', 'FORM', 'The format of the messages', { choices: FORMS, default: 'native' }),
    flag(
      'state',
      'Print the rest of the state instead, as one object; it has `leafId`, `thinkingLevel`, `models`, `mode`, `modeData`, `injectedTtsrRules`, `title` and `labels` of the file, and `counts`, `usage` and `cost` of the path',
    ),
    flag('explain', 'Print one line per entry of the path instead: in or out, and by which rule'),
    BLOBS_OPTION,
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    [`sessionctl context session.jsonl | jq -r 'select(.role=="user").content'`]: 'what the user said',
    'sessionctl context --leaf @~5 --profile omp session.jsonl': 'what omp would have sent five entries ago',
    'sessionctl context --explain session.jsonl': 'why each entry is in or out',
    'sessionctl context --as anthropic session.jsonl | jq -s .': "the messages of a request to Anthropic's API",
    'sessionctl context --as responses rollout.jsonl': 'what Codex would send when it resumes the session',
    'sessionctl context --leaf=-abc session.jsonl': 'an id that starts with a dash',
  },
  run: async (args, io) => {
    const [name = '-', ...more] = args.operands;
    if (more.length > 0) throw new UsageError(`takes one FILE; unexpected '${more[0]}'`);
    if (args.flag('state') && args.flag('explain'))
      throw new UsageError("use either '--state' or '--explain', not both");
    const options = { ...choiceIn(args), readings: 1 };
    return await readSession(name, io, (session, view) => show(session, view, args, io), options);
  },
};

async function show(session: Log, view: View, args: ParsedArgs, io: Io): Promise<number> {
  const profile = (args.text('profile') ?? 'spec') as Profile;
  const form = (args.text('as') ?? 'native') as FormName;
  const rev = args.text('leaf');
  const options = { allowNull: true, duplicates: duplicatesIn(profile) };
  const position = await view.leaf(rev === '@' ? undefined : rev, options);
  const blobs = blobResolver(session.name, args, io);
  const context = await sessionContext(session, position < 0 ? null : position, profile, replaysIn(form));
  for (const note of context.notes) io.note(`${session.name}: ${note}`);
  const out = new ByteWriter(io.stdout);
  const print = (line: string): Promise<void> => out.put(`${line}\n`);
  // A terminal gets no character that could do more than be read.
  const printJson = (line: string) => print(io.stdout.isTTY ? escapeUnsafe(line, jsonEscape) : line);
  if (args.flag('state')) await printJson(await stateText(session, context, form));
  else if (args.flag('explain')) {
    const shortId = idShortener(session);
    for await (const one of context.explained()) await print(explanation(one, form, shortId, io));
  } else {
    const messages = new MessageForm(form);
    for await (const { entry, projected } of context.emitted()) {
      if (projected.note !== undefined) io.note(`${session.name}:${entry.line}: ${projected.note}`);
      for (const message of projected.messages) {
        for (const line of messages.add(blobs.resolve(message, entry.line))) await printJson(line);
      }
    }
    for (const line of messages.end()) await printJson(line);
    for (const [role, count] of messages.unknownRoles) {
      const left = `${counted(count, 'message')} with the unknown role '${role}' left out`;
      io.note(`${session.name}: ${left}; '--as native' shows ${count === 1 ? 'it' : 'them'}`);
    }
  }
  await out.flush();
  return blobs.end();
}

async function stateText(session: Log, context: SessionContext, form: FormName): Promise<string> {
  const title = await sessionTitle(session);
  const system = await systemText(context, form);
  const { counts, usage, cost, ...state } = await context.state();
  return toJson({
    ...state,
    title,
    labels: Object.fromEntries(await labelsById(session)),
    counts,
    usage,
    cost,
    system,
  });
}

/** Text for the system prompt, in the forms whose messages do not hold it. */
async function systemText(context: SessionContext, name: FormName): Promise<string | undefined> {
  if (HAVE_SYSTEM.has(name)) return undefined;
  const form = new MessageForm(name);
  for await (const { projected } of context.emitted()) for (const message of projected.messages) form.add(message);
  return form.system.length > 0 ? form.system.join('\n\n') : undefined;
}

function explanation(
  { entry, projected }: ProjectedEntry,
  form: FormName,
  shortId: (id: string) => string,
  { style, stdout }: Io,
): string {
  const { isIn, rule, why } = verdictOf(projected, form);
  const { id, type, message } = entry.value;
  const role = type === 'message' && isObject(message) ? message['role'] : undefined;
  const kind = typeof role === 'string' ? `message ${role}` : String(type ?? '-');
  const name = typeof id === 'string' ? shortId(id) : '-';
  const place = entry.line > 0 ? `line:${entry.line}` : '-';
  const text = `${place.padEnd(9)}  ${name.padEnd(8)}  ${kind.padEnd(21)}  ${rule}: ${why}`;
  const safe = stdout.isTTY ? printable(text) : text.replace(/[\r\n]/g, ' ');
  return isIn ? `${style.green('in ')}  ${safe}` : style.dim(`out  ${safe}`);
}
