import { findMember, objectMembers, removeElements, type Splice, setMember } from './text.ts';
import { isObject, type JsonObject } from './value.ts';

/** The keys and numbers of a path such as message.content[0].text. */
function partsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((part) => part !== '');
}

/** What is at a path of a value. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of partsOf(path)) {
    if (Array.isArray(value)) value = value[Number(part)];
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

/** An object with another value at a path of keys. */
export function withValueAt(root: JsonObject, path: string, value: unknown): JsonObject {
  const [key = '', ...rest] = partsOf(path);
  const inner = root[key];
  return { ...root, [key]: rest.length > 0 ? withValueAt(isObject(inner) ? inner : {}, rest.join('.'), value) : value };
}

/** Whether one path is the other or leads into it. */
export function isInside(path: string, outer: string): boolean {
  return path.startsWith(outer) && /^(?:$|[.[])/.test(path.slice(outer.length));
}

/** Where a value is in the text of the object that opens at `open`. */
function placeAt(text: string, open: number, parts: readonly string[]) {
  let place = { start: open, end: open };
  for (const part of parts) {
    const isArray = text.charCodeAt(place.start) === 0x5b;
    if (!isArray && text.charCodeAt(place.start) !== 0x7b) return undefined;
    const member = isArray ? [...objectMembers(text, place.start)][Number(part)] : findMember(text, place.start, part);
    if (!member) return undefined;
    place = { start: member.valueStart, end: member.valueEnd };
  }
  return place;
}

/** The splice that puts JSON to a path; none where there is nothing to put it into. */
export function setAt(text: string, open: number, path: string, json: string): Splice[] {
  const parts = partsOf(path);
  const around = placeAt(text, open, parts.slice(0, -1));
  if (around && text.charCodeAt(around.start) === 0x7b)
    return [setMember(text, around.start, parts.at(-1) ?? '', json)];
  const place = placeAt(text, open, parts);
  return place ? [{ ...place, text: json }] : [];
}

/** The splices that take the elements of arrays out that are at these paths. */
export function removeAt(text: string, open: number, paths: readonly string[]): Splice[] {
  const arrays = new Map<string, Set<number>>();
  for (const path of paths) {
    const [, array, at] = /^(.*)\[(\d+)\]$/.exec(path) ?? [];
    if (array === undefined) continue;
    const known = arrays.get(array);
    if (known) known.add(Number(at));
    else arrays.set(array, new Set([Number(at)]));
  }
  return [...arrays].flatMap(([array, leaving]) => {
    const place = placeAt(text, open, partsOf(array));
    return place ? removeElements(text, place.start, (index) => leaving.has(index)) : [];
  });
}
