import { factsOf, readSmallFile } from '../files/input.ts';
import { placeIn } from '../files/place.ts';
import { Workspace } from '../files/probe.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { Finding } from '../rules/rule.ts';
import { scannerKind } from '../scanner/layout.ts';
import { agentName } from '../sessions/agents.ts';
import { type Command, flag, type Io, leafOption, option, type ParsedArgs } from '../shared/command.ts';
import { eachLog, isFolderName } from '../shared/each-log.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { type Classify, classifier, parseClassRules, severity, type Verdict } from '../status/classes.ts';
import type { PathFacts } from '../status/facts.ts';
import { probeCalls } from '../status/probe.ts';
import { sessionStatus } from '../status/status.ts';
import { statusText } from '../status/text.ts';
import { UsageError } from '../util/errors.ts';
import { printable } from '../util/printable.ts';
import { safeJson } from '../util/to-json.ts';

export const command: Command = {
  operands: '[FILE|DIR]',
  description: [
    'The verdict is ready, check (look first), confirm (ask the user) or blocked: the worst that anything in the log calls for. Exit 0 means ready, 1 any other verdict, 2 an error. A tool call without a result is judged by what its tool can do; what no log can show is listed with --verbose and in --json. The last line is the command to run next: for a session that is ready, the one that resumes it in its agent. Nothing is run and nothing is written. A folder stands for every session in it: one line each with its verdict, and exit 1 unless all are ready.',
    'With --workspace, the files of pending edits and writes are read, relative to the cwd of the session and never outside DIR; this can turn confirm into check, but never into ready.',
    'The file for --classes is a JSON array of rules that take precedence over the built-in table; the first match wins: {"pattern": "deploy_*", "class": "external-write", "idempotency": "unsafe", "policy": "never-rerun"}. A pattern is matched against the whole name in lowercase; * matches any characters. Classes: pure, read, ask-user, network, workspace-write, process, external-write, delegated, unknown. Idempotency (optional): safe, conditional, unsafe. Policy (optional; it then decides the verdict): replay-from-event, rerun-after-check, require-user-confirmation, never-rerun.',
    'Memory: the index of the log, about 55 bytes per entry, the ids of the path and the calls of its last turn.',
  ],
  options: [
    leafOption('Judge the path to this entry; --leaf=-abc for an id that starts with a dash'),
    flag('json', 'Print one JSON object, or for a folder one for each session'),
    flag('verbose', 'Also list what is unknown, because no log can show it', { short: 'v' }),
    option('workspace', 'DIR', 'Compare pending edits and writes with the files below DIR (read only)'),
    option('classes', 'FILE', 'Classes for your own tools, as JSON'),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl status session.jsonl': 'the verdict and why',
    [`sessionctl status session.jsonl --json | jq -e '.verdict=="ready"'`]: 'use it as a gate in a script',
    'sessionctl status ~/.pi/agent/sessions': 'which sessions need a look',
    'sessionctl status session.jsonl --workspace .': 'check whether a pending edit was made',
    'sessionctl status session.jsonl --json | jq -r .lastStableEntryId': 'a REV to fork from',
  },
  readsInput: true,
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('status takes one FILE; run it once per session');
    const classes = args.text('classes');
    const rules = classes === undefined ? [] : parseClassRules(await readSmallFile(classes), classes);
    const [name = '-'] = args.operands;
    const worst = (await isFolderName(name)) ? new Worst() : undefined;
    const work = (session: Log, view: View) => show(session, view, args, classifier(rules), worst, io);
    const options = { ...choiceIn(args), readings: 1 };
    if (!worst) return await readSession(name, io, work, options);
    const stray = ['leaf', 'session'].find((one) => args.text(one) !== undefined);
    if (stray) throw new UsageError(`--${stray} is about one session; '${name}' is a folder`);
    const code = await eachLog([name], io, (path) => readSession(path, io, work, options));
    if (!args.flag('json') && worst.next !== '') io.stdout.write(`${worst.next}\n`);
    return code;
  },
};

/** The session of a folder that needs care most, of several the one that was changed last. */
class Worst {
  next = '';
  #severity = -1;
  #changed = 0;

  async take(path: string, verdict: Verdict, next: string): Promise<void> {
    const found = severity(verdict);
    const changed = (await factsOf(path)).mtimeMs;
    if (found < this.#severity || (found === this.#severity && changed <= this.#changed)) return;
    [this.#severity, this.#changed, this.next] = [found, changed, next];
  }
}

/** A session of a folder gets one line, and what to do next is kept in `worst`. */
async function show(
  session: Log,
  view: View,
  args: ParsedArgs,
  classify: Classify,
  worst: Worst | undefined,
  io: Io,
): Promise<number> {
  const rev = args.text('leaf');
  const folder = args.text('workspace');
  view.noteStaleLeaf(rev);
  const probe = (facts: PathFacts) => {
    if (folder === undefined) return undefined;
    const cwd = session.header?.['cwd'];
    const workspace = new Workspace(folder, typeof cwd === 'string' ? cwd : '');
    return probeCalls(facts, classify, (path, size) => workspace.look(path, size));
  };
  const found = session.format?.checks && session.name !== '-' ? await findingsIn(session.name, args, io) : undefined;
  const errors = found?.filter(({ severity }) => severity === 'error');
  const warnings = found?.filter(({ severity }) => severity === 'warning');
  const onPath = (path: Int32Array): void => view.reads(path);
  const status = await sessionStatus(session, { rev, classify, probe, errors, warnings, onPath });
  const clean = io.stdout.isTTY ? printable : (text: string): string => text.replace(/[\r\n]+/g, ' ');
  const format = session.format?.id;
  const parent = status.subagentOf && `${agentName(undefined, format ?? '')}:${status.subagentOf}`;
  const source = {
    ...{ name: session.name, hasTree: session.fileVersion > 1, unit: session.unit, format, parent },
    session: args.text('session') ?? (await placeIn(args.operands[0] ?? '-')).session,
  };
  const out = new ByteWriter(io.stdout);
  const text = statusText(status, source, { style: io.style, clean, verbose: args.flag('verbose') });
  const lines = text.trimEnd().split('\n');
  await worst?.take(session.name, status.verdict, lines.at(-1)?.trim() ?? '');
  if (args.flag('json')) out.text(`${safeJson(worst ? { file: session.name, ...status } : status)}\n`);
  else out.text(worst ? `${clean(session.name)}: ${lines[0]}\n` : text);
  await out.flush();
  return status.verdict === 'ready' ? 0 : 1;
}

/** What `validate` reports. */
async function findingsIn(name: string, args: ParsedArgs, io: Io): Promise<readonly Finding[]> {
  const { checkFile, LogChecker } = await import('../validate/log-checker.ts');
  const settings = { levels: new Map(), from: args.text('from'), scanner: scannerKind(io.env) };
  return (await checkFile(new LogChecker(settings, io.random), name)).findings;
}
