import { factsOf, readSmallFile } from '../files/input.ts';
import { placeIn } from '../files/place.ts';
import { Workspace } from '../files/probe.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { Finding } from '../rules/rule.ts';
import { scannerKind } from '../scanner/layout.ts';
import { agentName } from '../sessions/agents.ts';
import { type Command, flag, INDEX, type Io, leafOption, option, type ParsedArgs } from '../shared/command.ts';
import { eachLog, isFolderName } from '../shared/each-log.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { type Classify, classifier, parseClassRules, severity, type Verdict } from '../status/classes.ts';
import type { PathFacts } from '../status/facts.ts';
import { probeCalls } from '../status/probe.ts';
import { sessionStatus } from '../status/status.ts';
import { statusText } from '../status/text.ts';
import { UsageError, withExitCode } from '../util/errors.ts';
import { printable } from '../util/printable.ts';
import { safeJson } from '../util/to-json.ts';

export const command: Command = {
  operands: '[FILE|DIR]',
  description: [
    'The gate before a session is resumed: can the agent continue from here, or could that repeat something, ignore a denial or rely on an incomplete record? The verdict is `ready`, `check` (look first), `confirm` (ask the user) or `blocked` (repair the log first): the worst that anything in the log calls for. Exit 0 means ready, 1 any other verdict. Nothing is run and nothing is written.',
    'A folder stands for every session in it: one line each with its verdict, last what to do about the worst, and exit 1 unless all are ready. The log of a subagent is judged like any other, but no agent resumes it by itself: the session to resume is named (`subagentOf`), and its status is the next step.',
    '- A call without a result is judged by the class of its tool: `pure` and `read` are ready, `network` is check, `ask-user`, `workspace-write`, `process`, `external-write`, `delegated` and `unknown` are confirm. If the writer marks starts (omp 18) and this call has no mark, it is check. Arguments that were truncated by the output limit are blocked. For a shell command there is a hint (likely read-only, rerunnable, destructive or external), which never changes the verdict.',
    '- Denials, interruptions, provider errors, exhausted budgets, background processes, killed processes, truncated lines, missing parents and incomplete compactions each count.',
    '- The last stable entry is the last one where every call has its result and the model, or a result, came last: a REV for `fork`. If that is not the leaf and the verdict is ready, the reason is given (`lastStableReason`).',
    '- The last line is the command to run next, which `--json` has as `next`: `{"command": "resume", "argv": [...], "cwd"?}`. Of a session that is ready it resumes the session in its agent (`claude --resume`, `codex resume`, `gemini --resume`, `opencode --session`, `goose session --resume`, `openclaw agent`, `pi --session`, `omp --resume`); an agent finds a session by its id only among its own files, and some only in the folder of the session. What no agent resumes is first written for pi with `convert`, and another leaf than the last entry needs a `fork`. Otherwise it is `log` to look, `repair` (with `--only` where the agent copes with the damage), `migrate`, or `fork` from the last stable entry.',
    'With `--workspace`, the files of pending edits and writes are read, relative to the cwd of the session. Links are resolved first, nothing outside DIR is read, and pipes and devices are never opened. This can turn confirm into check, but never into ready.',
    'The file for `--classes` is a JSON array of rules that take precedence over the built-in table; the first match wins: `[{"pattern": "mcp__docs__*", "class": "read"}, {"pattern": "deploy_*", "class": "external-write", "idempotency": "unsafe", "policy": "never-rerun"}]`. A pattern is matched against the whole name in lowercase; `*` matches any characters. Idempotency (optional) is `safe`, `conditional` or `unsafe`. A policy (optional) decides the verdict: `replay-from-event`, `rerun-after-check`, `require-user-confirmation`, `never-rerun`.',
  ],
  memory: `${INDEX}, up to 200 bytes per entry of the path, and the calls of its last turn.`,
  topics: ['rev', 'reading'],
  options: [
    leafOption('Judge the path to this entry'),
    flag(
      'json',
      'Print one JSON object, or for a folder one for each session; it has the verdict with `reasons` and their `evidence` (entry and line), a `checklist` of yes, no and unknown, and the `limits` of what a log can show',
    ),
    flag('verbose', 'Also list what is unknown, because no log can show it', { short: 'v' }),
    option('workspace', 'DIR', 'Compare pending edits and writes with the files below DIR'),
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
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('status takes one FILE; run it once per session');
    const classes = args.text('classes');
    const rules = classes === undefined ? [] : parseClassRules(await readSmallFile(classes), classes);
    const [name = '-'] = args.operands;
    const worst = (await isFolderName(name)) ? new Worst() : undefined;
    const out = new ByteWriter(io.stdout);
    let code = 0;
    const work = async (session: Log, view: View): Promise<number> => {
      const judged = await judge(session, view, args, classifier(rules), worst, io);
      out.text(judged.text);
      code = Math.max(code, judged.code);
      await withExitCode(code, out.flush());
      return code;
    };
    const options = { ...choiceIn(args), readings: 1, judgesDamage: true };
    if (!worst) return await readSession(name, io, work, options);
    const stray = ['leaf', 'session'].find((one) => args.text(one) !== undefined);
    if (stray) throw new UsageError(`--${stray} is about one session; '${name}' is a folder`);
    // The line of a session has its verdict; what more there is to say of it, its own status does.
    const quiet = { ...io, note: () => {} };
    const all = await eachLog([name], io, (path) => readSession(path, quiet, work, options));
    if (!args.flag('json') && worst.next !== '') io.stdout.write(`${worst.next}\n`);
    return all;
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

/** What is printed, and the exit code. A session of a folder gets one line, and what to do next is kept in `worst`. */
async function judge(
  session: Log,
  view: View,
  args: ParsedArgs,
  classify: Classify,
  worst: Worst | undefined,
  io: Io,
): Promise<{ readonly code: number; readonly text: string }> {
  const rev = args.text('leaf');
  const folder = args.text('workspace');
  view.noteStaleLeaf(rev);
  const probe = (facts: PathFacts) => {
    if (folder === undefined) return undefined;
    const cwd = session.header?.['cwd'];
    const workspace = new Workspace(folder, typeof cwd === 'string' ? cwd : '');
    return probeCalls(facts, classify, (path, size) => workspace.look(path, size));
  };
  // A pipe has nothing more to read, and no agent could.
  const isKept = session.name !== '-' && (await factsOf(session.name)).isFile();
  const file = isKept ? session.name : '-';
  const found = session.format?.checks && isKept ? await findingsIn(file, args, io) : undefined;
  const errors = found?.filter(({ severity }) => severity === 'error');
  const warnings = found?.filter(({ severity }) => severity === 'warning');
  const onPath = (path: Int32Array): void => view.reads(path);
  const status = await sessionStatus(session, { rev, file, classify, probe, errors, warnings, onPath });
  const clean = io.stdout.isTTY ? printable : (text: string): string => text.replace(/[\r\n]+/g, ' ');
  const format = session.format?.id;
  const place = await placeIn(args.operands[0] ?? '-');
  const parent = status.subagentOf && `${agentName(undefined, format ?? '')}:${status.subagentOf}`;
  const source = {
    ...{ name: file, hasTree: session.fileVersion > 1, unit: session.unit, format, parent },
    // The session of a subagent may be alone in a file of its own.
    session: session.name === place.path ? (args.text('session') ?? place.session) : undefined,
  };
  const code = status.verdict === 'ready' ? 0 : 1;
  const text = statusText(status, source, { style: io.style, clean, verbose: args.flag('verbose') });
  const lines = text.trimEnd().split('\n');
  await worst?.take(session.name, status.verdict, lines.at(-1)?.trim() ?? '');
  if (args.flag('json')) return { code, text: `${safeJson(worst ? { file: session.name, ...status } : status)}\n` };
  return { code, text: worst ? `${clean(session.name)}: ${lines[0]}\n` : text };
}

/** What `validate` reports. */
async function findingsIn(name: string, args: ParsedArgs, io: Io): Promise<readonly Finding[]> {
  const { checkFile, LogChecker } = await import('../validate/log-checker.ts');
  const settings = { levels: new Map(), from: args.text('from'), scanner: scannerKind(io.env) };
  return (await checkFile(new LogChecker(settings, io.random), name)).findings;
}
