import { type Context, duplicatesIn, buildContext as projected, sessionContext } from '../context/context.ts';
import { FORMS, type FormName, MessageForm, replaysIn } from '../context/messages/form.ts';
import type { PathState } from '../context/state.ts';
import { PROFILES, type Profile } from '../context/types.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { RandomAccess } from '../log/byte-store.ts';
import { resolveRev } from '../tree/rev.ts';
import { toJson } from '../util/to-json.ts';
import { type Bytes, described, optionsOf } from './arguments.ts';
import { requireRev, type SessionLog, withSession } from './session.ts';

/** An entry of a path. Messages are made from the text, which is that of its line, or from the value without one. */
export interface GivenEntry {
  readonly value: JsonObject;
  readonly text?: string;
}

export interface ContextOptions {
  /** Whose reading of the log is wanted where the agents differ: 'spec' by default. */
  readonly profile?: Profile;
}

/** What the model sees at the end of a path that is given as a whole, root first, of version 3. */
export function buildContext(path: Iterable<GivenEntry>, options?: ContextOptions): Context {
  const { profile } = optionsOf('buildContext', options, { profile: PROFILES });
  if (typeof path !== 'object' || path === null || !(Symbol.iterator in path)) {
    throw new TypeError(`buildContext: the path must be an array of entries, root first, not ${described(path)}`);
  }
  const entries = Array.from(path, (entry, at) => {
    const value: unknown = entry?.value;
    if (!isObject(value))
      throw new TypeError(`buildContext: entry ${at} of the path has a value that is not an object`);
    if (entry.text !== undefined && typeof entry.text !== 'string')
      throw new TypeError(`buildContext: entry ${at} of the path has a text that is not a string`);
    return { value, text: entry.text ?? toJson(value) };
  });
  return projected(entries, { profile: profile ?? 'spec' });
}

export interface SessionContextOptions extends ContextOptions {
  /** The entry at which the context ends; '@' by default. */
  readonly leaf?: string;
  /** The messages in the form of an API; 'native' by default. */
  readonly as?: FormName;
}

/** What the model sees at an entry of a session. */
export interface MessagesAndState {
  /** Each message as JSON text; untouched native messages are the very text of the log. */
  readonly messages: readonly string[];
  readonly state: PathState;
  readonly notes: readonly string[];
  /** What is for the system prompt, in the forms whose messages do not hold it. */
  readonly system: readonly string[];
}

/** What the model sees at an entry of a log. Holds the messages; see openSession for what is held of the log. */
export async function contextOf(
  source: Bytes | RandomAccess | SessionLog,
  options?: SessionContextOptions,
): Promise<MessagesAndState> {
  const given = optionsOf('contextOf', options, { profile: PROFILES, leaf: 'checked later', as: FORMS });
  const { profile = 'spec', leaf = '@', as = 'native' } = given;
  requireRev('contextOf', leaf, 'leaf');
  return await withSession('contextOf', source, async (session) => {
    const isEmpty = session.index.size === 0 && leaf === '@';
    const position = isEmpty
      ? null
      : await resolveRev(session, leaf, { allowNull: true, duplicates: duplicatesIn(profile) });
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
  });
}
