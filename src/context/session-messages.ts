import type { Log } from '../log/log.ts';
import { resolveRev } from '../tree/rev.ts';
import { duplicatesIn, sessionContext } from './context.ts';
import { type FormName, MessageForm, replaysIn } from './messages/form.ts';
import type { PathState } from './state.ts';
import type { Profile } from './types.ts';

/** What the model sees at an entry of a session. */
export interface MessagesAndState {
  /** Each message as JSON text; untouched native messages are the very text of the log. */
  readonly messages: readonly string[];
  readonly state: PathState;
  readonly notes: readonly string[];
  /** What is for the system prompt, in the forms whose messages do not hold it. */
  readonly system: readonly string[];
}

/** All of it at once, for callers that hold the messages. */
export async function messagesAt(
  session: Log,
  leaf: string,
  profile: Profile,
  as: FormName,
): Promise<MessagesAndState> {
  const isEmpty = session.index.size === 0 && leaf === '@';
  const options = { allowNull: true, duplicates: duplicatesIn(profile) };
  const position = isEmpty ? null : await resolveRev(session, leaf, options);
  const context = await sessionContext(session, position, profile, replaysIn(as));
  const form = new MessageForm(as);
  const messages: string[] = [];
  const notes = [...context.notes];
  for await (const { projected } of context.emitted()) {
    for (const message of projected.messages) messages.push(...form.add(message));
    if (projected.note !== undefined) notes.push(projected.note);
  }
  messages.push(...form.end());
  return { messages, state: await context.state(), notes, system: form.system };
}
