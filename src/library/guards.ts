import { isObject } from '../json/value.ts';
import type { Block, Entry, Message } from './types.ts';

/**
 * Whether a value of a log is an entry of this type. It checks the type alone: what `validate` finds no error in has
 * the fields too. An entry of a type that is not known stays what it is.
 */
export function isEntry<Type extends Entry['type']>(
  value: unknown,
  type: Type,
): value is Extract<Entry, { type: Type }> {
  return isObject(value) && value['type'] === type;
}

/** The same for a message and its role. */
export function isMessage<Role extends Message['role']>(
  value: unknown,
  role: Role,
): value is Extract<Message, { role: Role }> {
  return isObject(value) && value['role'] === role;
}

/** The same for a block of a message's content and its type. */
export function isBlock<Type extends Block['type']>(
  value: unknown,
  type: Type,
): value is Extract<Block, { type: Type }> {
  return isObject(value) && value['type'] === type;
}
