import { type Member, objectMembers, type Splice, setMember } from './text.ts';
import { isObject, type JsonObject } from './value.ts';

/** The keys and indexes of a path such as message.content[0].text. */
function partsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((part) => part !== '');
}

/** The value at a path. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of partsOf(path)) {
    if (Array.isArray(value)) value = value[Number(part)];
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

/** A copy of an object with another value at a path of keys. */
export function withValueAt(root: JsonObject, path: string, value: unknown): JsonObject {
  const [key = '', ...rest] = partsOf(path);
  const inner = root[key];
  return { ...root, [key]: rest.length > 0 ? withValueAt(isObject(inner) ? inner : {}, rest.join('.'), value) : value };
}

/** Whether a path equals the other or is inside it. */
export function isInside(path: string, outer: string): boolean {
  return path.startsWith(outer) && /^(?:$|[.[])/.test(path.slice(outer.length));
}

/** The same for any of several. */
export function isInsideAny(path: string, outer: { readonly has: (path: string) => boolean }): boolean {
  for (let end = 1; end < path.length; end++)
    if ((path[end] === '.' || path[end] === '[') && outer.has(path.slice(0, end))) return true;
  return outer.has(path);
}

/** A cache of the members of the last text, by where their object opens: one line may have many changes. */
let known: { readonly text: string; readonly members: Map<number, readonly Member[]> } | undefined;

function membersAt(text: string, open: number): readonly Member[] {
  if (known?.text !== text) known = { text, members: new Map() };
  const members = known.members.get(open) ?? [...objectMembers(text, open)];
  known.members.set(open, members);
  return members;
}

/** The range of a value in the text of the object that opens at `open`. */
function placeAt(text: string, open: number, parts: readonly string[]) {
  let place = { start: open, end: open };
  for (const part of parts) {
    const isArray = text.charCodeAt(place.start) === 0x5b;
    if (!isArray && text.charCodeAt(place.start) !== 0x7b) return undefined;
    const members = membersAt(text, place.start);
    const member = isArray ? members[Number(part)] : members.findLast(({ key }) => key === part);
    if (!member) return undefined;
    place = { start: member.valueStart, end: member.valueEnd };
  }
  return place;
}

/** The splice that sets a path to JSON; empty if its parent does not exist. */
export function setAt(text: string, open: number, path: string, json: string): Splice[] {
  const parts = partsOf(path);
  const around = placeAt(text, open, parts.slice(0, -1));
  if (around && text.charCodeAt(around.start) === 0x7b)
    return [setMember(text, around.start, parts.at(-1) ?? '', json)];
  const place = placeAt(text, open, parts);
  return place ? [{ ...place, text: json }] : [];
}

/** Makes a function that removes an array element: with the comma after it, or before it if no later element stays. */
export function elementRemover(leaving: ReadonlySet<string>) {
  const lastStaying = new Map<string, number>();
  return (text: string, open: number, path: string): Splice[] => {
    const [, array = '', index] = /^(.*)\[(\d+)\]$/.exec(path) ?? [];
    const place = placeAt(text, open, partsOf(array));
    const elements = place && text.charCodeAt(place.start) === 0x5b ? membersAt(text, place.start) : [];
    const at = Number(index);
    const element = elements[at];
    if (!element) return [];
    let last = lastStaying.get(array) ?? elements.length - 1;
    while (leaving.has(`${array}[${last}]`)) last--;
    lastStaying.set(array, last);
    const next = elements[at + 1];
    if (next && at < last) return [{ start: element.start, end: next.start, text: '' }];
    return [{ start: elements[at - 1]?.valueEnd ?? element.start, end: element.valueEnd, text: '' }];
  };
}
