import { isObject, type JsonObject } from '../../json/value.ts';

export interface DeepMatch {
  readonly value: unknown;
  /** Of the member; undefined for an element of an array. */
  readonly key: string | undefined;
  readonly path: string;
  readonly parent: JsonObject | undefined;
}

/** Every value below that the test accepts, in order, with its path. No recursion: a log may nest as deep as it likes. */
export function findDeep(root: JsonObject, test: (value: unknown, key: string | undefined) => boolean): DeepMatch[] {
  const found: DeepMatch[] = [];
  const waiting: { value: JsonObject | readonly unknown[]; path: string }[] = [{ value: root, path: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next;
    const below: typeof waiting = [];
    const look = (inner: unknown, key: string | undefined, at: string, parent: JsonObject | undefined): void => {
      if (test(inner, key)) found.push({ value: inner, key, path: at, parent });
      else if (isObject(inner) || Array.isArray(inner)) below.push({ value: inner, path: at });
    };
    if (isObject(value))
      for (const key of Object.keys(value)) look(value[key], key, path === '' ? key : `${path}.${key}`, value);
    else for (const [index, inner] of value.entries()) look(inner, undefined, `${path}[${index}]`, undefined);
    for (let at = below.length - 1; at >= 0; at--) waiting.push(below[at] as (typeof waiting)[number]);
  }
  return found;
}
