import { arrayElements, objectMembers, type Splice } from './json-text.ts';

/** The splices that take some elements, with their commas, out of the array that opens at `open`. */
export function removeElements(text: string, open: number, goes: (index: number) => boolean): Splice[] {
  return removals([...arrayElements(text, open)], goes);
}

/** The splices that take members with these keys, with their commas, out of the object that opens at `open`. */
export function removeMembers(text: string, open: number, goes: (key: string) => boolean): Splice[] {
  const members = [...objectMembers(text, open)];
  return removals(
    members.map((member) => ({ start: member.start, end: member.valueEnd })),
    (index) => goes(members[index]?.key ?? ''),
  );
}

/**
 * A part goes with the comma behind it; what goes at the very end takes the comma before it instead.
 */
function removals(parts: readonly { readonly start: number; readonly end: number }[], goes: (index: number) => boolean): Splice[] {
  const splices: Splice[] = [];
  let keptEnd: number | undefined;
  let first: number | undefined;
  parts.forEach((part, index) => {
    if (goes(index)) {
      first ??= part.start;
      return;
    }
    if (first !== undefined) splices.push({ start: first, end: part.start, text: '' });
    first = undefined;
    keptEnd = part.end;
  });
  const last = parts.at(-1);
  if (first !== undefined && last) splices.push({ start: keptEnd ?? first, end: last.end, text: '' });
  return splices;
}
