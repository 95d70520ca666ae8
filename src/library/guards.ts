import { contentBlocks, messageRoles } from '../entries/messages.ts';
import { entryTypes } from '../entries/types/index.ts';
import { isObject } from '../json/value.ts';
import { requireOption } from './arguments.ts';
import type { Block, Entry, Message } from './types.ts';

/**
 * Whether a value of a log is an entry of this type, or of any known one. It checks the type alone; the other fields
 * are what `validate` checks. An entry of a type that is not known stays what it is.
 */
export function isEntry<Type extends Entry['type'] = Entry['type']>(
  value: unknown,
  type?: Type,
): value is Extract<Entry, { type: Type }> {
  return isOneOf('isEntry', entryTypes, value, 'type', type);
}

/** The same for a message and its role. */
export function isMessage<Role extends Message['role'] = Message['role']>(
  value: unknown,
  role?: Role,
): value is Extract<Message, { role: Role }> {
  const roles = messageRoles.filter(({ isOld }) => !isOld);
  return isOneOf('isMessage', roles, value, 'role', role);
}

/** The same for a block of a message's content and its type. */
export function isBlock<Type extends Block['type'] = Block['type']>(
  value: unknown,
  type?: Type,
): value is Extract<Block, { type: Type }> {
  return isOneOf('isBlock', contentBlocks, value, 'type', type);
}

function isOneOf(
  caller: string,
  known: readonly { readonly name: string }[],
  value: unknown,
  key: 'type' | 'role',
  wanted: string | undefined,
): boolean {
  const isKnown = (word: unknown): boolean => known.some(({ name }) => name === word);
  if (wanted !== undefined && !isKnown(wanted)) {
    const names = known.map(({ name }) => name);
    requireOption(caller, key, wanted, names);
  }
  if (!isObject(value)) return false;
  return wanted === undefined ? isKnown(value[key]) : value[key] === wanted;
}
