import { isObject } from '../json/value.ts';
import { AppError } from '../util/errors.ts';
import { nearest } from '../util/words.ts';
import type { Verdict } from './verdict.ts';

/** What a tool can do to the world, by its name: the one table by which calls without a result are judged. */

export const CLASS_NAMES = [
  'pure',
  'read',
  'ask-user',
  'network',
  'workspace-write',
  'process',
  'external-write',
  'delegated',
  'unknown',
] as const;
export type ClassName = (typeof CLASS_NAMES)[number];

export const IDEMPOTENCIES = ['safe', 'conditional', 'unsafe'] as const;
export type Idempotency = (typeof IDEMPOTENCIES)[number];

export const POLICIES = ['replay-from-event', 'rerun-after-check', 'require-user-confirmation', 'never-rerun'] as const;
export type Policy = (typeof POLICIES)[number];

/** How a call without a result is judged by what its tool can do. */
export interface Classified {
  readonly class: ClassName;
  readonly idempotency: Idempotency;
  readonly policy: Policy;
  /** For a call that may have run and has no result. */
  readonly verdict: Verdict;
  /** The rule of the user that decided, if one did. */
  readonly rule?: string;
}

export type Classify = (toolName: string, args?: unknown) => Classified;

export interface ToolClass extends Classified {
  /** Lower case; `*` stands for any characters. */
  readonly tools: readonly string[];
}

/** One row per class; a tool that is in none of them is `unknown`, which is handled as if it could write anywhere. */
export const TOOL_CLASSES: readonly ToolClass[] = [
  row(
    'pure',
    'safe',
    'replay-from-event',
    'ready',
    'think todo todo_write todowrite update_plan calc yield exit_plan_mode exitplanmode',
  ),
  row(
    'read',
    'safe',
    'rerun-after-check',
    'ready',
    `read grep find ls glob list ast_grep lsp recall output view_image read_file read_many_files list_directory
      search_file_content grep_search tool_search notebookread bashoutput`,
  ),
  row('ask-user', 'conditional', 'require-user-confirmation', 'confirm', 'ask askuserquestion request_user_input'),
  row(
    'network',
    'conditional',
    'rerun-after-check',
    'check',
    'web_fetch webfetch fetch web_search websearch google_web_search exa_* read_url',
  ),
  row(
    'workspace-write',
    'conditional',
    'require-user-confirmation',
    'confirm',
    'edit write multiedit notebookedit notebook ast_edit apply_patch patch replace write_file text_editor str_replace',
  ),
  row(
    'process',
    'unsafe',
    'require-user-confirmation',
    'confirm',
    `bash shell exec_command local_shell_call write_stdin python eval run_shell_command developer__shell debug
      killshell`,
  ),
  row(
    'external-write',
    'unsafe',
    'never-rerun',
    'confirm',
    'ssh git github gh computer browser* generate_image retain memory_edit mcp__*',
  ),
  row(
    'delegated',
    'unsafe',
    'require-user-confirmation',
    'confirm',
    'task agent subagent spawn_agent delegate vibe_spawn workpool',
  ),
  row('unknown', 'unsafe', 'require-user-confirmation', 'confirm', ''),
];

function row(name: ClassName, idempotency: Idempotency, policy: Policy, verdict: Verdict, tools: string): ToolClass {
  return { class: name, idempotency, policy, verdict, tools: tools.split(/\s+/).filter((tool) => tool !== '') };
}

/** What a user says about tools of their own; asked before the table. */
export interface ClassRule {
  readonly pattern: string;
  readonly class: ClassName;
  readonly idempotency?: Idempotency;
  readonly policy?: Policy;
}

/** What a language server is asked without changing a file; `rename`, `format` and unknown actions may write. */
const LSP_QUERIES = new Set([
  ...[
    'diagnostics',
    'workspace_diagnostics',
    'definition',
    'type_definition',
    'declaration',
    'implementation',
    'references',
    'hover',
  ],
  ...[
    'symbols',
    'workspace_symbols',
    'document_symbols',
    'incoming_calls',
    'outgoing_calls',
    'status',
    'signature_help',
    'capabilities',
  ],
]);

/** A function that knows the table and the user's rules; the first match wins, rules before table. */
export function classifier(rules: readonly ClassRule[] = []): Classify {
  const own = rules.map((rule) => ({ found: fromRule(rule), matches: globMatcher(rule.pattern.toLowerCase()) }));
  const table = TOOL_CLASSES.flatMap(({ tools, ...found }) =>
    tools.map((tool) => ({ found, matches: globMatcher(tool) })),
  );
  const known = new Map<string, Classified>();
  return (toolName, args) => {
    const name = toolName.toLowerCase();
    const before = known.get(name);
    if (before) return before;
    const mine = own.find((one) => one.matches(name))?.found;
    if (!mine && name === 'lsp') return classOf(asksLanguageServer(args) ? 'read' : 'workspace-write');
    const found = mine ?? table.find((one) => one.matches(name))?.found ?? classOf('unknown');
    known.set(name, found);
    return found;
  };
}

function asksLanguageServer(args: unknown): boolean {
  if (!isObject(args)) return false;
  const action = args['action'] ?? args['operation'] ?? args['method'];
  return typeof action === 'string' && LSP_QUERIES.has(action);
}

function classOf(name: ClassName): Classified {
  const { tools: _, ...found } = TOOL_CLASSES.find((one) => one.class === name) as ToolClass;
  return found;
}

function fromRule({ class: name, idempotency, policy, pattern }: ClassRule): Classified {
  const row = classOf(name);
  const chosen = policy === undefined ? {} : { policy, verdict: verdictOfPolicy(policy, row.verdict) };
  return { ...row, ...(idempotency ? { idempotency } : {}), ...chosen, rule: pattern };
}

/** A policy that the user chose decides; without one the class does. */
function verdictOfPolicy(policy: Policy, own: Verdict): Verdict {
  if (policy === 'replay-from-event') return 'ready';
  if (policy === 'rerun-after-check') return own === 'ready' ? 'ready' : 'check';
  return 'confirm';
}

/** `*` any characters, `?` one; everything else stands for itself. Linear but for the stars, and names are short. */
function globMatcher(pattern: string): (name: string) => boolean {
  const source = pattern.replace(/\*+/g, '*').replace(/[.+^${}()|[\]\\*?]/g, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  const expression = new RegExp(`^${source}$`, 's');
  return (name) => expression.test(name);
}

const RULE_KEYS = ['pattern', 'class', 'idempotency', 'policy', 'note'];

/** Reads the text of a `--classes` file: a JSON array of rules. `name` is the file's, for messages. */
export function parseClassRules(text: string, name: string): ClassRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError(
      `${name}: not JSON: ${error instanceof Error ? error.message : String(error)}; see 'sessionctl status --help'`,
    );
  }
  if (!Array.isArray(value)) {
    throw new AppError(
      `${name}: tool classes must be a JSON array of rules such as [{"pattern":"deploy_*","class":"external-write"}]`,
    );
  }
  return value.map((item, index) => parseRule(item, `${name}: rule ${index + 1}`));
}

function parseRule(item: unknown, where: string): ClassRule {
  if (!isObject(item)) throw new AppError(`${where}: is not an object with a pattern and a class`);
  for (const key of Object.keys(item)) {
    if (RULE_KEYS.includes(key)) continue;
    const meant = nearest(key, RULE_KEYS)[0];
    throw new AppError(
      `${where}: unknown key '${key}'${meant ? `; did you mean '${meant}'?` : `; the keys are ${RULE_KEYS.join(', ')}`}`,
    );
  }
  const pattern = item['pattern'];
  if (typeof pattern !== 'string' || pattern === '') {
    throw new AppError(
      `${where}: 'pattern' must be a non-empty string: the name of a tool, with '*' for any characters`,
    );
  }
  if (pattern.length > 200 || pattern.split('*').length > 8)
    throw new AppError(`${where}: 'pattern' is too long or has too many stars`);
  const idempotency = choice(item['idempotency'], IDEMPOTENCIES, 'idempotency', where);
  const policy = choice(item['policy'], POLICIES, 'policy', where);
  const className = choice(item['class'], CLASS_NAMES, 'class', where);
  if (className === undefined)
    throw new AppError(`${where}: 'class' is missing; it must be one of ${CLASS_NAMES.join(', ')}`);
  return { pattern, class: className, ...(idempotency ? { idempotency } : {}), ...(policy ? { policy } : {}) };
}

function choice<T extends string>(value: unknown, choices: readonly T[], key: string, where: string): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((one) => one === value);
  if (found !== undefined) return found;
  const meant = typeof value === 'string' ? nearest(value, choices)[0] : undefined;
  const said = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  throw new AppError(
    `${where}: '${key}' must be one of ${choices.join(', ')}, not ${said}${meant ? `; did you mean '${meant}'?` : ''}`,
  );
}
