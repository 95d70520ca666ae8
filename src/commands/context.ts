import { FORMS, type FormName, formOf, type MessageForm } from '../context/messages/form.ts';
import { verdictOf } from '../context/messages/verdict.ts';
import { duplicatesIn, SessionContext } from '../context/session-context.ts';
import { PROFILES, type Profile } from '../context/types.ts';
import { isObject } from '../json/value.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { BLOBS_OPTION } from '../shared/blob-options.ts';
import { BlobResolver } from '../shared/blob-resolver.ts';
import type { Command, Io, ParsedArgs } from '../shared/command.ts';
import { readSession } from '../shared/open-session.ts';
import type { View } from '../shared/view.ts';
import { labels } from '../tree/labels.ts';
import { sessionTitle } from '../tree/title.ts';
import { UsageError } from '../util/errors.ts';
import { escapeUnsafe, jsonEscape, printable } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import { counted } from '../util/words.ts';

export const command: Command = {
  name: 'context',
  summary: 'Show what the model sees at an entry, and why',
  operands: '[FILE]',
  description: [
    'Follows the parents from an entry to its root and prints the messages that an agent would send: the summary of the last compaction, the messages it keeps, and the messages after it. Each line is one message as JSON; messages that no rule changes are byte for byte those of the log.',
    "The profile says which agent's rules to apply. spec is the documented format; pi and omp do what those agents do where they differ: context edits and system messages (pi), calls without results, stopped turns, resets and provider histories (omp).",
    '--as llm prints only messages of user, assistant and tool, with executions and summaries as text. --as anthropic and --as openai print messages that those APIs accept: calls without a result get one, adjacent messages of one role are merged, ids are made unique. The log is never changed.',
    "If the last entry is a stale leaf, the context is that of the last entry, as it is for agents, and a note points to the newer work. Write an id that starts with a dash as --leaf=-abc. REV 'null' is the context before any entry.",
    'Damage elsewhere in the file may go unnoticed; use validate to find it.',
    'Memory: about 27 bytes per entry of the log, 8 per entry of the path, and one message at a time. --profile omp also holds the ids of tool calls, --as anthropic and openai those and one turn. Standard input is copied to a private temporary file.',
  ],
  options: [
    {
      name: 'leaf',
      kind: 'text',
      value: 'REV',
      default: '@',
      describe:
        'The entry whose context to show: an id, a prefix of one, a label, @~N, leaf:N, line:N, root, null; --leaf=-abc for an id with a dash',
    },
    {
      name: 'profile',
      kind: 'text',
      value: 'NAME',
      choices: PROFILES,
      default: 'spec',
      describe: "Which agent's rules to apply",
    },
    {
      name: 'as',
      kind: 'text',
      value: 'FORM',
      choices: FORMS,
      default: 'native',
      describe: 'The format of the messages',
    },
    {
      name: 'state',
      kind: 'flag',
      describe:
        'Print one object instead: thinking level, models, mode, rules, title, labels, and the counts, tokens and cost of the path',
    },
    {
      name: 'explain',
      kind: 'flag',
      describe: 'Print one line per entry of the path instead: in or out, and by which rule',
    },
    BLOBS_OPTION,
  ],
  examples: [
    { run: `sessionctl context session.jsonl | jq -r 'select(.role=="user").content'`, shows: 'what the user said' },
    {
      run: 'sessionctl context --leaf @~5 --profile omp session.jsonl',
      shows: 'what omp would have sent five entries ago',
    },
    { run: 'sessionctl context --explain session.jsonl', shows: 'why each entry is in or out' },
    {
      run: 'sessionctl context --as anthropic session.jsonl | jq -s .',
      shows: "the messages of a request to Anthropic's API",
    },
    { run: 'sessionctl context --leaf=-abc session.jsonl', shows: 'an id that starts with a dash' },
  ],
  readsInput: true,
  run: async (args, io) => {
    const [name = '-', ...more] = args.operands;
    if (more.length > 0) throw new UsageError(`takes one FILE; unexpected '${more[0]}'`);
    if (args.flag('state') && args.flag('explain'))
      throw new UsageError("use either '--state' or '--explain', not both");
    return await readSession(name, io, (session, view) => show(session, view, args, io), { readings: 1 });
  },
};

async function show(session: Log, view: View, args: ParsedArgs, io: Io): Promise<number> {
  const profile = (args.text('profile') ?? 'spec') as Profile;
  const form = (args.text('as') ?? 'native') as FormName;
  const position = await leafOf(view, args, profile);
  const blobs = new BlobResolver(session.name, args, io);
  const context = await SessionContext.at(session, position, profile);
  for (const note of context.notes) io.note(`${session.name}: ${note}`);
  const out = new Output(io);
  if (args.flag('state')) await showState(session, context, form, out);
  else if (args.flag('explain')) await explain(context, form, out, io);
  else await showMessages(session, context, formOf(form), blobs, out, io);
  await out.flush();
  return blobs.end();
}

/** The position to look from; null for the empty context. */
async function leafOf(view: View, args: ParsedArgs, profile: Profile): Promise<number | null> {
  const rev = args.text('leaf');
  const position = await view.leaf(rev === '@' ? undefined : rev, {
    allowNull: true,
    duplicates: duplicatesIn(profile),
  });
  return position === null || position < 0 ? null : position;
}

async function showMessages(
  session: Log,
  context: SessionContext,
  form: MessageForm,
  blobs: BlobResolver,
  out: Output,
  io: Io,
): Promise<void> {
  for await (const { entry, projected } of context.emitted()) {
    if (projected.note !== undefined) io.note(`${session.name}:${entry.line}: ${projected.note}`);
    for (const message of projected.messages) {
      for (const line of form.add(blobs.resolve(message, entry.line))) await out.json(line);
    }
  }
  for (const line of form.end()) await out.json(line);
  for (const [role, count] of form.unknownRoles) {
    io.note(
      `${session.name}: ${counted(count, 'message')} with the unknown role '${role}' left out; '--as native' shows ${count === 1 ? 'it' : 'them'}`,
    );
  }
}

async function showState(session: Log, context: SessionContext, formName: FormName, out: Output): Promise<void> {
  const title = await sessionTitle(session);
  const system = await systemText(context, formName);
  const { counts, usage, cost, ...state } = await context.state();
  await out.json(toJson({ ...state, title, labels: await labelsById(session), counts, usage, cost, system }));
}

/** Text for the system prompt, in the forms whose messages do not hold it. */
async function systemText(context: SessionContext, formName: FormName): Promise<string | undefined> {
  const form = formOf(formName);
  if (formName === 'native' || formName === 'openai') return undefined;
  for await (const { projected } of context.emitted()) for (const message of projected.messages) form.add(message);
  return form.system.length > 0 ? form.system.join('\n\n') : undefined;
}

async function labelsById(session: Log): Promise<Readonly<Record<string, string>>> {
  const byPosition = await labels(session);
  const byId: [id: string, label: string][] = [];
  for await (const { position, value } of session.entries([...byPosition.keys()].sort((a, b) => a - b))) {
    if (typeof value['id'] === 'string') byId.push([value['id'], byPosition.get(position) ?? '']);
  }
  return Object.fromEntries(byId);
}

async function explain(context: SessionContext, formName: FormName, out: Output, io: Io): Promise<void> {
  const { green, dim } = io.style;
  for await (const { entry, projected } of context.explained()) {
    const { isIn, rule, why } = verdictOf(projected, formName);
    const columns = [
      `line:${entry.line}`.padEnd(9),
      idOf(entry).padEnd(8),
      kindOf(entry).padEnd(21),
      `${rule}: ${why}`,
    ];
    const line = out.safe(columns.join('  '));
    await out.line(isIn ? `${green('in ')}  ${line}` : dim(`out  ${line}`));
  }
}

function idOf({ value }: LogEntry): string {
  return typeof value['id'] === 'string' ? value['id'] : '-';
}

function kindOf({ value }: LogEntry): string {
  const { type, message } = value;
  const role = type === 'message' && isObject(message) ? message['role'] : undefined;
  return typeof role === 'string' ? `message ${role}` : String(type ?? '-');
}

/** Lines on their way out; a terminal gets no character that could do more than be read. */
class Output {
  readonly isTerminal: boolean;
  readonly #writer: ByteWriter;

  constructor(io: Io) {
    this.#writer = new ByteWriter(io.stdout);
    this.isTerminal = io.stdout.isTTY === true;
  }

  async json(line: string): Promise<void> {
    await this.line(this.isTerminal ? escapeUnsafe(line, jsonEscape) : line);
  }

  /** Text of the log as a part of a line. */
  safe(text: string): string {
    return this.isTerminal ? printable(text) : text.replace(/[\r\n]/g, ' ');
  }

  async line(line: string): Promise<void> {
    this.#writer.text(line);
    this.#writer.text('\n');
    if (this.#writer.full) await this.#writer.flush();
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
  }
}
