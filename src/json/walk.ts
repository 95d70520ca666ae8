import { skipSpace, skipString, skipValue, unquote } from './text.ts';

/** An object or array on the way down to the place that is looked at. Its fields name the member the walk is in. */
export interface Frame {
  readonly array: boolean;
  /** Where it opens. */
  readonly start: number;
  readonly parent: Frame | undefined;
  /** 1 for what the walk starts with. */
  readonly depth: number;
  /** Object: the key of the member that the walk is in, unescaped, and where its quote opens. */
  key: string;
  keyStart: number;
  /** Array: the number of the element that the walk is in. Object: of the member. */
  index: number;
}

/** What a walk calls. Positions are those of the text; ends are behind the last character. */
export interface JsonVisitor {
  open?(frame: Frame): void;
  /** The key of a member, quotes included in the span; `frame.key` has it unescaped. */
  key?(frame: Frame, start: number, end: number): void;
  /** A string that is a value, quotes included in the span. */
  string?(frame: Frame, start: number, end: number): void;
  /** A number, true, false or null. */
  word?(frame: Frame, start: number, end: number): void;
  /** Called when the object or array has ended; `frame.parent` is in the member that it is the value of. */
  close?(frame: Frame, end: number): void;
}

/** Walks once through JSON that JSON.parse accepts, however deep: decoded text, or a byte to a character. */
export function walkJson(text: string, from: number, visitor: JsonVisitor): void {
  let at = skipSpace(text, from);
  let frame: Frame | undefined;
  /** In an object: a key comes next. */
  let expectsKey = false;
  while (at < text.length) {
    const character = text[at];
    if (character === '{' || character === '[') {
      const depth = (frame?.depth ?? 0) + 1;
      frame = { array: character === '[', start: at, parent: frame, depth, key: '', keyStart: -1, index: 0 };
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
      frame.keyStart = at;
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

/** Where the member that the walk is in is, as in `message.content[1].data`. */
export function pathOf(frame: Frame): string {
  return spellPath(stepsTo(frame));
}

/** The same as a JSON Pointer: `/message/content/1/data`. */
export function pointerOf(frame: Frame): string {
  return stepsTo(frame)
    .map((step) => `/${pointerStep(String(step))}`)
    .join('');
}

/** A key as a JSON Pointer has it. */
export function pointerStep(key: string): string {
  return key.replace(/~/g, '~0').replace(/\//g, '~1');
}

function stepsTo(frame: Frame): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let one: Frame | undefined = frame; one; one = one.parent) steps.push(one.array ? one.index : one.key);
  return steps.reverse();
}

/** Keys and indexes as a path. */
export function spellPath(steps: readonly PropertyKey[]): string {
  const spell = (step: PropertyKey): string => {
    if (typeof step === 'number') return `[${step}]`;
    const key = String(step);
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  };
  return steps.map(spell).join('').replace(/^\./, '');
}

/** How deep objects and arrays are nested, 1 for a flat object. */
export function nestingDepth(text: string): number {
  let deepest = 0;
  walkJson(text, 0, { open: ({ depth }) => (deepest = Math.max(deepest, depth)) });
  return deepest;
}
