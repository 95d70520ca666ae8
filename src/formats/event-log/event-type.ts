/** Dotted and in lowercase, or in CamelCase with at least two words. */
const DOTTED = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;
export const CAMEL = /^(?:[A-Z][a-z0-9]+){2,}$/;

/** Whether a type is spelled like that of an event, known or not. */
export function isEventType(type: string): boolean {
  return DOTTED.test(type) || CAMEL.test(type);
}
