/** Messages of Anthropic's API, in the shapes that Claude Code and `context --as anthropic` give. */
export interface ApiMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly [member: string]: unknown;
}

/** What stands between two answers: what the tools and the user said, and what the agent put in. */
interface Turn {
  readonly answer: readonly Block[];
  readonly results: readonly Block[];
  readonly said: readonly Block[];
  readonly reminders: readonly Reminder[];
}

/** A paragraph that the agent put in, and who it was from. */
type Reminder = readonly [role: string, text: string];

const REMINDER = /^<system-reminder>\n([\s\S]*?)\n?<\/system-reminder>\s*$/;
const SUMMARY =
  /^The conversation up to here was shortened\. This is what happened in it:\n\n<summary>\n([\s\S]*)\n<\/summary>$/;
const UNANSWERED = 'No result of this call was recorded.';
/** What Claude Code says in the model's place when it resumes a log that does not end with an answer. */
const FILLERS = ['No response requested.', 'Continue from where you left off.'];

function blocksOf(content: ApiMessage['content']): Block[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return blocks.map(({ cache_control: _mark, ...block }) => block as Block);
}

/**
 * The same conversation in one shape.
 * - Texts and lists of one text are the same, and so are white space at the end of a text, `is_error: false` and no
 *   such member, and marks for the cache.
 * - Reminders of one role are in their order, paragraph by paragraph. The place of a reminder in its turn does not
 *   count, for no record has it: the agent writes all of them behind the prompt, and sends those of the user before it
 *   and those of the system behind it, as one message without tags.
 * - Ours are all from the user, since a native log has no texts of the system; `roleOf` gives what was recorded.
 * - The results of one turn have the order of their calls in ours; `resultsOf` has the order of the log.
 * - A summary has the words around it that `context` puts there.
 */
export function turnsOf(
  messages: readonly ApiMessage[],
  roleOf = (_text: string, role: string): string => role,
): Turn[] {
  const turns: Turn[] = [{ answer: [], results: [], said: [], reminders: [] }];
  const update = (change: Partial<Turn>): void => {
    turns.push({ ...(turns.pop() as Turn), ...change });
  };
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const last = turns.at(-1) as Turn;
    const isNew = last.results.length + last.said.length + last.reminders.length > 0;
    if (role === 'assistant' && (isNew || last.answer.length === 0))
      turns.push({ answer: blocks.map(trimmed), results: [], said: [], reminders: [] });
    else if (role === 'assistant') update({ answer: [...last.answer, ...blocks.map(trimmed)] });
    else
      for (const block of blocks) {
        const isSystem = role === 'system' || roleOf(block.text ?? '', role) === 'system';
        update(withBlock(turns.at(-1) as Turn, isSystem ? 'system' : role, block));
      }
  }
  return turns.map((turn) => ({ ...turn, results: sorted(turn.results), reminders: byRole(turn.reminders) }));
}

/** The two roles apart, each in its order. */
function byRole(reminders: readonly Reminder[]): Reminder[] {
  return reminders.toSorted(([a], [b]) => a.localeCompare(b));
}

function withBlock(turn: Turn, role: string, block: Block): Partial<Turn> {
  if (block.type === 'tool_result') {
    const { is_error: isError, content = '', ...rest } = block;
    const result = {
      ...rest,
      content: blocksOf(content).map(trimmed),
      ...(isError === true ? { is_error: true } : {}),
    };
    return { results: [...turn.results, result] };
  }
  const text = block.text?.trimEnd() ?? '';
  const reminder = REMINDER.exec(text)?.[1] ?? (role === 'system' ? text : undefined);
  const paragraphs = reminder?.trim().split('\n\n').filter(Boolean);
  if (paragraphs) return { reminders: [...turn.reminders, ...paragraphs.map((one) => [role, one] as const)] };
  return { said: [...turn.said, block.type === 'text' ? { ...block, text: SUMMARY.exec(text)?.[1] ?? text } : block] };
}

function trimmed(block: Block): Block {
  return block.type === 'text' ? { ...block, text: block.text?.trimEnd() ?? '' } : block;
}

function sorted(blocks: readonly Block[]): Block[] {
  return blocks.toSorted((a, b) => String(a.tool_use_id).localeCompare(String(b.tool_use_id)));
}

/**
 * Both conversations without what only the resume adds.
 * - Calls that the log has no result of: we say so in a result of our own, 2.1.325 in its words, 2.1.100 leaves the
 *   call out.
 * - What the agent says to itself behind the end of the log.
 */
export function withoutResume(ours: readonly Turn[], theirs: readonly Turn[]) {
  const isOpen = ({ content }: Block): boolean => blocksOf(content ?? []).some(({ text }) => text === UNANSWERED);
  const open = new Set(ours.flatMap(({ results }) => results.filter(isOpen).map((block) => block.tool_use_id)));
  const closed = (turns: readonly Turn[]): Turn[] =>
    turns.map((turn) => ({
      ...turn,
      answer: turn.answer.filter(({ type, id }) => type !== 'tool_use' || !open.has(id)),
      results: turn.results.filter((block) => !open.has(block.tool_use_id)),
    }));
  const expected = closed(theirs);
  const isFiller = ({ text }: Block): boolean => FILLERS.includes(text ?? '');
  const lastAnswer = expected.at(-1)?.answer ?? [];
  if (expected.length === ours.length + 1 && lastAnswer.every(isFiller)) {
    expected.pop();
    const last = expected.at(-1) as Turn;
    if (ours.at(-1)?.said.some(isFiller) !== true)
      expected.splice(-1, 1, { ...last, said: last.said.filter((block) => !isFiller(block)) });
  }
  return { ours: closed(ours), theirs: expected };
}

/** For versions that store no reminders, and for turns whose reminders stand elsewhere. */
export function withoutReminders(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => ({ ...turn, reminders: [] }));
}

export function remindersOf(turns: readonly Turn[]): Reminder[] {
  return byRole(turns.flatMap(({ reminders }) => reminders));
}

/** The calls that have results, in the order of the results. */
export function resultsOf(messages: readonly ApiMessage[]): string[] {
  return messages.flatMap(({ content }) => blocksOf(content).flatMap((block) => block.tool_use_id ?? []));
}
