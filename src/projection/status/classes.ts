import { Trouble } from '../../base/trouble.ts';
import { nearest } from '../../base/words.ts';
import { isObject } from '../../json/value.ts';
import type { Verdict } from './verdict.ts';

/**
 * What a tool can do to the world, by its name. The one table of the gate: a call without a result is judged by the
 * class of its tool, and a name that is not here is `unknown`, which is handled as if it could write anywhere.
 */

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

export type SideEffect = 'none' | 'read' | 'workspace-write' | 'external-write';

export interface ToolClass {
  readonly name: ClassName;
  readonly sideEffect: SideEffect;
  readonly idempotency: Idempotency;
  readonly policy: Policy;
  /** For a call that may have run and has no result. */
  readonly verdict: Verdict;
  /** Lower case; `*` stands for any characters. */
  readonly tools: readonly string[];
}

export const TOOL_CLASSES: readonly ToolClass[] = [
  {
    name: 'pure',
    sideEffect: 'none',
    idempotency: 'safe',
    policy: 'replay-from-event',
    verdict: 'ready',
    tools: ['think', 'todo', 'todo_write', 'todowrite', 'update_plan', 'calc', 'yield', 'exit_plan_mode', 'exitplanmode'],
  },
  {
    name: 'read',
    sideEffect: 'read',
    idempotency: 'safe',
    policy: 'rerun-after-check',
    verdict: 'ready',
    tools: [
      'read',
      'grep',
      'find',
      'ls',
      'glob',
      'list',
      'ast_grep',
      'lsp',
      'recall',
      'output',
      'view_image',
      'read_file',
      'read_many_files',
      'list_directory',
      'search_file_content',
      'grep_search',
      'tool_search',
      'notebookread',
      'bashoutput',
    ],
  },
  {
    name: 'ask-user',
    sideEffect: 'none',
    idempotency: 'conditional',
    policy: 'require-user-confirmation',
    verdict: 'confirm',
    tools: ['ask', 'askuserquestion', 'request_user_input'],
  },
  {
    name: 'network',
    sideEffect: 'read',
    idempotency: 'conditional',
    policy: 'rerun-after-check',
    verdict: 'check',
    tools: ['web_fetch', 'webfetch', 'fetch', 'web_search', 'websearch', 'google_web_search', 'exa_*', 'read_url'],
  },
  {
    name: 'workspace-write',
    sideEffect: 'workspace-write',
    idempotency: 'conditional',
    policy: 'require-user-confirmation',
    verdict: 'confirm',
    tools: [
      'edit',
      'write',
      'multiedit',
      'notebookedit',
      'notebook',
      'ast_edit',
      'apply_patch',
      'patch',
      'replace',
      'write_file',
      'text_editor',
      'str_replace',
    ],
  },
  {
    name: 'process',
    sideEffect: 'workspace-write',
    idempotency: 'unsafe',
    policy: 'require-user-confirmation',
    verdict: 'confirm',
    tools: [
      'bash',
      'shell',
      'exec_command',
      'local_shell_call',
      'write_stdin',
      'python',
      'eval',
      'run_shell_command',
      'developer__shell',
      'debug',
      'killshell',
    ],
  },
  {
    name: 'external-write',
    sideEffect: 'external-write',
    idempotency: 'unsafe',
    policy: 'never-rerun',
    verdict: 'confirm',
    tools: ['ssh', 'git', 'github', 'gh', 'computer', 'browser*', 'generate_image', 'retain', 'memory_edit', 'mcp__*'],
  },
  {
    name: 'delegated',
    sideEffect: 'external-write',
    idempotency: 'unsafe',
    policy: 'require-user-confirmation',
    verdict: 'confirm',
    tools: ['task', 'agent', 'subagent', 'spawn_agent', 'delegate', 'vibe_spawn', 'workpool'],
  },
  {
    name: 'unknown',
    sideEffect: 'external-write',
    idempotency: 'unsafe',
    policy: 'require-user-confirmation',
    verdict: 'confirm',
    tools: [],
  },
];

/** What a user says about tools of their own; asked before the table. */
export interface ClassRule {
  readonly pattern: string;
  readonly class: ClassName;
  readonly idempotency?: Idempotency;
  readonly policy?: Policy;
}

export interface Classified {
  readonly class: ClassName;
  readonly sideEffect: SideEffect;
  readonly idempotency: Idempotency;
  readonly policy: Policy;
  readonly verdict: Verdict;
  /** The rule of the user that decided, if one did. */
  readonly rule?: string;
}

export type Classify = (toolName: string, args?: unknown) => Classified;

/** What a language server is asked without changing a file; `rename`, `format` and unknown actions may write. */
const LSP_QUERIES = new Set([
  ...['diagnostics', 'workspace_diagnostics', 'definition', 'type_definition', 'declaration', 'implementation', 'references', 'hover'],
  ...['symbols', 'workspace_symbols', 'document_symbols', 'incoming_calls', 'outgoing_calls', 'status', 'signature_help', 'capabilities'],
]);

/** A function that knows the table and the user's rules; the first match wins, rules before table. */
export function classifier(rules: readonly ClassRule[] = []): Classify {
  const own = rules.map((rule) => ({ rule, matches: globMatcher(rule.pattern.toLowerCase()) }));
  const exact = new Map<string, ToolClass>();
  const globs: { row: ToolClass; matches: (name: string) => boolean }[] = [];
  for (const row of TOOL_CLASSES) {
    for (const tool of row.tools) {
      if (tool.includes('*')) globs.push({ row, matches: globMatcher(tool) });
      else exact.set(tool, row);
    }
  }
  const known = new Map<string, Classified>();
  return (toolName, args) => {
    const name = toolName.toLowerCase();
    const before = known.get(name);
    if (before) return before;
    const mine = own.find((one) => one.matches(name))?.rule;
    if (!mine && name === 'lsp') return fromRow(rowOf(asksLanguageServer(args) ? 'read' : 'workspace-write'));
    const found = mine ? fromRule(mine) : fromRow(exact.get(name) ?? globs.find((one) => one.matches(name))?.row ?? rowOf('unknown'));
    known.set(name, found);
    return found;
  };
}

function asksLanguageServer(args: unknown): boolean {
  if (!isObject(args)) return false;
  const action = args['action'] ?? args['operation'] ?? args['method'];
  return typeof action === 'string' && LSP_QUERIES.has(action);
}

function rowOf(name: ClassName): ToolClass {
  const row = TOOL_CLASSES.find((one) => one.name === name);
  if (!row) throw new Error(`no class ${name}`);
  return row;
}

function fromRow(row: ToolClass): Classified {
  return { class: row.name, sideEffect: row.sideEffect, idempotency: row.idempotency, policy: row.policy, verdict: row.verdict };
}

function fromRule(rule: ClassRule): Classified {
  const row = rowOf(rule.class);
  const policy = rule.policy ?? row.policy;
  return {
    class: row.name,
    sideEffect: row.sideEffect,
    idempotency: rule.idempotency ?? row.idempotency,
    policy,
    verdict: rule.policy === undefined ? row.verdict : verdictOfPolicy(rule.policy, row),
    rule: rule.pattern,
  };
}

/** A policy that the user chose decides; without one the class does. */
function verdictOfPolicy(policy: Policy, row: ToolClass): Verdict {
  if (policy === 'replay-from-event') return 'ready';
  if (policy === 'rerun-after-check') return row.verdict === 'ready' ? 'ready' : 'check';
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
    throw new Trouble(`${name}: not JSON: ${error instanceof Error ? error.message : String(error)}; see 'sessionctl status --help'`);
  }
  if (!Array.isArray(value)) {
    throw new Trouble(`${name}: tool classes are a JSON array of rules such as [{"pattern":"deploy_*","class":"external-write"}]`);
  }
  return value.map((item, index) => parseRule(item, `${name}: rule ${index + 1}`));
}

function parseRule(item: unknown, where: string): ClassRule {
  if (!isObject(item)) throw new Trouble(`${where}: is not an object with a pattern and a class`);
  for (const key of Object.keys(item)) {
    if (RULE_KEYS.includes(key)) continue;
    const meant = nearest(key, RULE_KEYS)[0];
    throw new Trouble(`${where}: unknown key '${key}'${meant ? `; did you mean '${meant}'?` : `; known are ${RULE_KEYS.join(', ')}`}`);
  }
  const pattern = item['pattern'];
  if (typeof pattern !== 'string' || pattern === '') {
    throw new Trouble(`${where}: 'pattern' is the name of a tool, '*' for any characters; it must be a non-empty string`);
  }
  if (pattern.length > 200 || pattern.split('*').length > 8) throw new Trouble(`${where}: 'pattern' is too long or has too many stars`);
  const idempotency = choice(item['idempotency'], IDEMPOTENCIES, 'idempotency', where);
  const policy = choice(item['policy'], POLICIES, 'policy', where);
  const className = choice(item['class'], CLASS_NAMES, 'class', where);
  if (className === undefined) throw new Trouble(`${where}: 'class' is missing; one of ${CLASS_NAMES.join(', ')}`);
  return { pattern, class: className, ...(idempotency ? { idempotency } : {}), ...(policy ? { policy } : {}) };
}

function choice<T extends string>(value: unknown, choices: readonly T[], key: string, where: string): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((one) => one === value);
  if (found !== undefined) return found;
  const meant = typeof value === 'string' ? nearest(value, choices)[0] : undefined;
  const said = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  throw new Trouble(`${where}: '${key}' is one of ${choices.join(', ')}, not ${said}${meant ? `; did you mean '${meant}'?` : ''}`);
}
