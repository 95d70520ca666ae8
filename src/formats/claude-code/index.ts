import type { JsonObject } from '../../json/value.ts';
import { below, homeFolder } from '../folders.ts';
import { hasMembers, type LogFormat } from '../format.ts';

/** Types of records in files without a conversation. */
const META_TYPES: ReadonlySet<unknown> = new Set(
  `file-history-snapshot queue-operation ai-title custom-title attribution-snapshot last-prompt permission-mode
  speculation-accept api-request api-request-blob api-request-shape atis-latch cost-state tools-used`.split(/\s+/),
);
/** Those whose names others may use too: with the session that they belong to. */
const SESSION_TYPES: ReadonlySet<unknown> = new Set(
  `mode tag agent-name agent-color agent-setting worktree-state pr-link content-replacement frame-link
  bridge-session`.split(/\s+/),
);

export const claudeCode: LogFormat = {
  id: 'claude-code',
  agent: 'claude',
  title: 'a Claude Code transcript',
  noun: 'Claude Code transcript',
  files: 'JSONL transcripts, with the files of subagents',
  versions: ['2.1.100', '2.1.325'],
  detect: ({ objects }) => {
    const turns = objects.filter(isTurn);
    if (turns.some((turn) => Object.hasOwn(turn, 'isSidechain'))) return 'certain';
    const isProbable = turns.length > 0 || (objects.length > 0 && objects.every(isBeside));
    return isProbable ? 'probable' : undefined;
  },
  locations: (env) => {
    const home = homeFolder(env);
    const config = env['XDG_CONFIG_HOME'] || below(home, '.config')[0];
    const folders = env['CLAUDE_CONFIG_DIR']?.split(',') ?? [...below(home, '.claude'), ...below(config, 'claude')];
    return folders.flatMap((folder) => (folder ? `${folder.trim()}/projects` : []));
  },
  resume: ({ id, cwd }) => ({ argv: ['claude', '--resume', id], cwd }),
  checks: async () => (await import('./checks.ts')).checks,
  isRepairable: true,
  activity: async () => {
    const { ClaudeActivity } = await import('./activity.ts');
    return (activity) => new ClaudeActivity(activity);
  },
  toNative: async (...task) => (await import('./convert.ts')).toNative(...task),
};

/** What is beside the turns: a damaged log may have lost its only ones. */
function isBeside({ type, uuid, isSidechain, sessionId, leafUuid }: JsonObject): boolean {
  if (META_TYPES.has(type)) return true;
  if (SESSION_TYPES.has(type)) return typeof sessionId === 'string';
  if (type === 'summary') return typeof leafUuid === 'string';
  const isChained = type === 'attachment' || type === 'system' || type === 'progress';
  return isChained && typeof uuid === 'string' && typeof isSidechain === 'boolean';
}

/** Qwen Code's records are similar, but have `parts` where Claude Code has `content`. */
function isTurn(value: JsonObject): boolean {
  return (
    (value['type'] === 'user' || value['type'] === 'assistant') &&
    hasMembers(value, { uuid: 'string', parentUuid: 'any' }) &&
    (typeof value['sessionId'] === 'string' || typeof value['isSidechain'] === 'boolean') &&
    hasMembers(value['message'], { content: 'any' })
  );
}
