import { type Context, buildContext as projected } from '../context/context.ts';
import { FORMS, type FormName } from '../context/messages/form.ts';
import { type MessagesAndState, messagesAt } from '../context/session-messages.ts';
import { PROFILES, type Profile } from '../context/types.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { RandomAccess } from '../log/byte-store.ts';
import { toJson } from '../util/to-json.ts';
import { type Bytes, described, optionsOf } from './arguments.ts';
import { type SessionLog, withSession } from './session.ts';

/** An entry of a path. Messages are made from the text, which is that of its line, or from the value without one. */
export interface ContextEntry {
  readonly value: JsonObject;
  readonly text?: string;
}

export interface ContextOptions {
  /** Whose reading of the log is wanted where the agents differ: 'spec' by default. */
  readonly profile?: Profile;
}

/** What the model sees at the end of a path that is given as a whole, root first, of version 3. */
export function buildContext(path: Iterable<ContextEntry>, options?: ContextOptions): Context {
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

/** What the model sees at an entry of a log. Holds the messages; see openSession for what is held of the log. */
export async function contextOf(
  source: Bytes | RandomAccess | SessionLog,
  options?: SessionContextOptions,
): Promise<MessagesAndState> {
  const given = optionsOf('contextOf', options, { profile: PROFILES, leaf: 'rev', as: FORMS });
  const { profile = 'spec', leaf = '@', as = 'native' } = given;
  return await withSession('contextOf', source, (session) => messagesAt(session, leaf, profile, as));
}
