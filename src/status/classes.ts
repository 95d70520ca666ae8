import { isObject } from '../json/value.ts';
import { AppError } from '../util/errors.ts';
import { didYouMean } from '../util/words.ts';

/** Verdicts about a session, mildest first. All but `ready` require a check before resuming. */
export const VERDICTS = ['ready', 'check', 'confirm', 'blocked'] as const;
export type Verdict = (typeof VERDICTS)[number];

export function severity(verdict: Verdict): number {
  return VERDICTS.indexOf(verdict);
}

/** The worst of them; `ready` for none. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? 'ready';
}

export function milder(a: Verdict, b: Verdict): Verdict {
  return severity(a) <= severity(b) ? a : b;
}

const IDEMPOTENCIES = ['safe', 'conditional', 'unsafe'] as const;
export type Idempotency = (typeof IDEMPOTENCIES)[number];

const POLICIES = ['replay-from-event', 'rerun-after-check', 'require-user-confirmation', 'never-rerun'] as const;
export type Policy = (typeof POLICIES)[number];

/** By what a tool can affect: the judgment of a call that may have run and has no result. */
const CLASSES = {
  pure: ['safe', 'replay-from-event', 'ready'],
  read: ['safe', 'rerun-after-check', 'ready'],
  'ask-user': ['conditional', 'require-user-confirmation', 'confirm'],
  network: ['conditional', 'rerun-after-check', 'check'],
  'workspace-write': ['conditional', 'require-user-confirmation', 'confirm'],
  process: ['unsafe', 'require-user-confirmation', 'confirm'],
  'external-write': ['unsafe', 'never-rerun', 'confirm'],
  delegated: ['unsafe', 'require-user-confirmation', 'confirm'],
  /** A tool without a class is treated as if it could write anywhere. */
  unknown: ['unsafe', 'require-user-confirmation', 'confirm'],
} as const satisfies Readonly<Record<string, readonly [Idempotency, Policy, Verdict]>>;

export type ClassName = keyof typeof CLASSES;
export const CLASS_NAMES = Object.keys(CLASSES) as ClassName[];

/** Tool names by class, in lowercase; `*` matches any characters. */
const TOOLS: Partial<Record<ClassName, string>> = {
  pure: 'think todo todo_write todowrite update_plan calc yield exit_plan_mode exitplanmode',
  read: `read grep find ls glob list ast_grep lsp recall output view_image read_file read_many_files list_directory
    search_file_content grep_search tool_search notebookread bashoutput`,
  'ask-user': 'ask askuserquestion request_user_input',
  network: 'web_fetch webfetch fetch web_search websearch google_web_search exa_* read_url',
  'workspace-write': `edit write multiedit notebookedit notebook ast_edit apply_patch patch replace write_file
    text_editor str_replace`,
  process: `bash shell exec_command local_shell_call write_stdin python eval run_shell_command developer__shell debug
    killshell`,
  'external-write': 'ssh git github gh computer browser* generate_image retain memory_edit mcp__*',
  delegated: 'task agent subagent spawn_agent delegate vibe_spawn workpool',
};

export const TOOL_CLASSES = CLASS_NAMES.map((name) => ({ class: name, tools: TOOLS[name]?.split(/\s+/) ?? [] }));

/** The judgment of a call without a result, by the class of its tool. */
export interface Classified {
  readonly class: ClassName;
  readonly idempotency: Idempotency;
  readonly policy: Policy;
  readonly verdict: Verdict;
  /** The user's rule that decided, if any. */
  readonly rule?: string;
}

export type Classify = (toolName: string, args?: unknown) => Classified;

/** A user's rule for a tool; checked before the table. */
export interface ClassRule extends Pick<Classified, 'class'>, Partial<Pick<Classified, 'idempotency' | 'policy'>> {
  readonly pattern: string;
}

/** Actions of a language server that change no file; `rename`, `format` and unknown ones may write. */
const LSP_QUERIES: ReadonlySet<unknown> = new Set(
  `diagnostics workspace_diagnostics definition type_definition declaration implementation references hover symbols
    workspace_symbols document_symbols incoming_calls outgoing_calls status signature_help capabilities`.split(/\s+/),
);

/** Makes a classifier from the user's rules and the table; the first match wins. */
export function classifier(rules: readonly ClassRule[] = []): Classify {
  const own = rules.map((rule) => ({ found: fromRule(rule), pattern: globPattern([rule.pattern.toLowerCase()]) }));
  const table = TOOL_CLASSES.map((row) => ({ found: classOf(row.class), pattern: globPattern(row.tools) }));
  return (toolName, args) => {
    const name = toolName.toLowerCase();
    const { action, operation, method } = isObject(args) ? args : {};
    const isLspWrite = name === 'lsp' && !LSP_QUERIES.has(action ?? operation ?? method);
    const lsp = isLspWrite ? [{ found: classOf('workspace-write'), pattern: /./ }] : [];
    return [...own, ...lsp, ...table].find(({ pattern }) => pattern.test(name))?.found ?? classOf('unknown');
  };
}

function classOf(name: ClassName): Classified {
  const [idempotency, policy, verdict] = CLASSES[name];
  return { class: name, idempotency, policy, verdict };
}

function fromRule({ class: name, idempotency, policy, pattern }: ClassRule): Classified {
  const row = classOf(name);
  const judged = { ...row, idempotency: idempotency ?? row.idempotency, rule: pattern };
  // A policy chosen by the user decides, else the class.
  if (policy === undefined) return judged;
  if (policy === 'replay-from-event') return { ...judged, policy, verdict: 'ready' };
  return { ...judged, policy, verdict: policy === 'rerun-after-check' ? milder(row.verdict, 'check') : 'confirm' };
}

/** `*` matches any characters, `?` one. Few stars are allowed and names are short, so matching is fast. */
function globPattern(patterns: readonly string[]): RegExp {
  const escaped = patterns.map((pattern) => pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^(?:${escaped.join('|').replace(/\*+/g, '.*').replaceAll('?', '.')})$`, 's');
}

const RULE_KEYS = ['pattern', 'class', 'idempotency', 'policy', 'note'];

/** Parses a `--classes` file: a JSON array of rules. `name` is used in messages. */
export function parseClassRules(text: string, name: string): ClassRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError(`${name}: not JSON: ${why}; see 'sessionctl status --help'`);
  }
  return classRulesOf(value, name);
}

export function classRulesOf(value: unknown, name: string): ClassRule[] {
  if (!Array.isArray(value)) {
    const example = '[{"pattern":"deploy_*","class":"external-write"}]';
    throw new AppError(`${name}: tool classes must be a JSON array of rules such as ${example}`);
  }
  return value.map((item, index) => parseRule(item, `${name}: rule ${index + 1}`));
}

function parseRule(item: unknown, where: string): ClassRule {
  const fail = (what: string): never => {
    throw new AppError(`${where}: ${what}`);
  };
  if (!isObject(item)) return fail('is not an object with a pattern and a class');
  const unknown = Object.keys(item).find((key) => item[key] !== undefined && !RULE_KEYS.includes(key));
  if (unknown !== undefined)
    fail(`unknown key '${unknown}'${didYouMean(unknown, RULE_KEYS) || `; the keys are ${RULE_KEYS.join(', ')}`}`);
  const choice = <T extends string>(key: string, choices: readonly T[]): T | undefined => {
    const value = item[key];
    const found = choices.find((one) => one === value);
    if (value === undefined || found !== undefined) return found;
    const shown = typeof value === 'string' ? `'${value}'${didYouMean(value, choices)}` : JSON.stringify(value);
    return fail(`'${key}' must be one of ${choices.join(', ')}, not ${shown}`);
  };
  const { pattern } = item;
  if (typeof pattern !== 'string' || pattern === '')
    return fail("'pattern' must be a non-empty string: the name of a tool, with '*' for any characters");
  if (pattern.length > 200 || pattern.split('*').length > 8) fail("'pattern' is too long or has too many stars");
  const idempotency = choice('idempotency', IDEMPOTENCIES);
  const policy = choice('policy', POLICIES);
  const name = choice('class', CLASS_NAMES) ?? fail(`'class' is missing; it must be one of ${CLASS_NAMES.join(', ')}`);
  return { pattern, class: name, ...(idempotency ? { idempotency } : {}), ...(policy ? { policy } : {}) };
}
