import { skipSpace, skipString, skipValue, unquote } from './text.ts';

/** An object or array on the way to the current position. Its fields name the current member. */
export interface Frame {
  readonly array: boolean;
  /** Where it opens. */
  readonly start: number;
  readonly parent: Frame | undefined;
  /** 1 for the outermost one. */
  readonly depth: number;
  /** Object: the key of the current member, unescaped. */
  key: string;
  /** The index of the current element or member. */
  index: number;
}

/** Callbacks of a walk. Ends are positions after the last character. */
interface JsonVisitor {
  open?(frame: Frame): void;
  /** A key, including its quotes; `frame.key` is unescaped. */
  key?(frame: Frame, start: number, end: number): void;
  /** A string value, including its quotes. */
  string?(frame: Frame, start: number, end: number): void;
  /** A number, true, false or null. */
  word?(frame: Frame, start: number, end: number): void;
  /** Called after the end of an object or array; `frame.parent` is at the member with that value. */
  close?(frame: Frame, end: number): void;
}

/** Walks through valid JSON of any depth: decoded text, or one character per byte. */
export function walkJson(text: string, from: number, visitor: JsonVisitor): void {
  let at = skipSpace(text, from);
  let frame: Frame | undefined;
  /** In an object: a key comes next. */
  let expectsKey = false;
  while (at < text.length) {
    const character = text[at];
    if (character === '{' || character === '[') {
      const depth = (frame?.depth ?? 0) + 1;
      frame = { array: character === '[', start: at, parent: frame, depth, key: '', index: 0 };
      visitor.open?.(frame);
      expectsKey = character === '{';
      at = skipSpace(text, at + 1);
      continue;
    }
    if (frame === undefined) return;
    if (character === '}' || character === ']') {
      at++;
      visitor.close?.(frame, at);
      frame = frame.parent;
      if (frame === undefined) return;
      expectsKey = false;
    } else if (character === ',') {
      frame.index++;
      expectsKey = !frame.array;
      at++;
    } else if (expectsKey) {
      const end = skipString(text, at);
      if (end < 0) return;
      frame.key = unquote(text.slice(at, end));
      visitor.key?.(frame, at, end);
      expectsKey = false;
      // The colon, which is all that can follow a key.
      at = skipSpace(text, end) + 1;
    } else {
      const end = skipValue(text, at);
      if (end <= at) return;
      if (character === '"') visitor.string?.(frame, at, end);
      else visitor.word?.(frame, at, end);
      at = end;
    }
    at = skipSpace(text, at);
  }
}

/** The path of the current member, such as `message.content[1].data`. */
export function pathOf(frame: Frame): string {
  return spellPath(stepsTo(frame));
}

/** The same as a JSON Pointer: `/message/content/1/data`. */
export function pointerOf(frame: Frame): string {
  return stepsTo(frame)
    .map((step) => `/${pointerStep(String(step))}`)
    .join('');
}

/** A key as a step of a JSON Pointer. */
export function pointerStep(key: string): string {
  return key.replace(/~/g, '~0').replace(/\//g, '~1');
}

function stepsTo(frame: Frame): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let one: Frame | undefined = frame; one; one = one.parent) steps.push(one.array ? one.index : one.key);
  return steps.reverse();
}

/** A path from keys and indexes. */
export function spellPath(steps: readonly PropertyKey[]): string {
  const spell = (step: PropertyKey): string => {
    if (typeof step === 'number') return `[${step}]`;
    const key = String(step);
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  };
  return steps.map(spell).join('').replace(/^\./, '');
}

/** The nesting depth of objects and arrays, 1 for a flat object. */
export function nestingDepth(text: string): number {
  let deepest = 0;
  walkJson(text, 0, { open: ({ depth }) => (deepest = Math.max(deepest, depth)) });
  return deepest;
}
