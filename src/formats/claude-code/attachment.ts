import { type JsonObject, objectsIn } from '../../json/value.ts';
import type { LossSeverity } from '../format.ts';
import { blocksOf } from '../model-message.ts';

/** Attachments that do not go to the model. */
const SILENT: ReadonlySet<unknown> = new Set(
  `prompt_snapshot hook_success hook_cancelled hook_non_blocking_error hook_error_during_execution
  hook_permission_decision hook_system_message command_permissions structured_output already_read_file
  dynamic_skill max_turns_reached`.split(/\s+/),
);

export function isSilent(kind: unknown): boolean {
  return SILENT.has(kind);
}

/** Attachments that list features; the program makes them again whenever it resumes a session. */
const LISTINGS: ReadonlySet<unknown> = new Set(
  'skill_listing agent_listing_delta deferred_tools_delta mcp_instructions_delta'.split(' '),
);

/** The severity of the loss where the text of an attachment is not in the log. */
export function lossWithoutText(kind: unknown): LossSeverity {
  return LISTINGS.has(kind) ? 'info' : 'lossy';
}

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['plan_mode', 'plan'],
  ['plan_mode_reentry', 'plan'],
  ['plan_mode_exit', 'none'],
]);

export function modeOf(kind: unknown): string | undefined {
  return MODES.get(kind);
}

/** The text of an attachment for the model, where the version of Claude Code stores it: one text, or blocks. */
export function attachmentText(rendered: unknown): string | JsonObject[] | undefined {
  if (!Array.isArray(rendered)) return undefined;
  const contents = objectsIn(rendered).map(({ content }) => content);
  const [only] = contents;
  if (contents.length === 1 && typeof only === 'string') return only;
  const blocks = contents.flatMap(blocksOf);
  return blocks.length === 0 ? undefined : blocks;
}
