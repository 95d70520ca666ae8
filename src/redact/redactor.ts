import { applySplices, arrayElements, removeElements, type Splice, spliceString } from '../json/text.ts';
import { isObject, parseJson } from '../json/value.ts';
import { pointerStep } from '../json/walk.ts';
import { encodeUtf8, type Line } from '../lines/line.ts';
import { Finder, type FinderOptions, type SecretHit } from './finder.ts';
import { BLANK, JoinedTexts } from './joined-texts.ts';
import { collectUnits, damagedUnit, isContent, type SignedThinking, type Unit } from './units.ts';
import { Values } from './values.ts';

export interface RedactorOptions extends FinderOptions {
  readonly content: boolean;
  /** Values that are no secrets. */
  readonly allow: ReadonlySet<string>;
  /** Hears of each value once. */
  readonly onValue?: ((marker: string, kind: string, value: string) => void) | undefined;
}

/** Something that was found in a line: never what it is. */
export interface Found {
  readonly kind: string;
  /** A JSON Pointer; '' in a line that is no JSON. */
  readonly pointer: string;
}

/** What was done so far. */
export const newTally = () => ({
  /** How many of which kind were replaced. */
  replaced: new Map<string, number>(),
  /** Blocks of signed thinking that were taken out. */
  thinking: 0,
});
export type Tally = ReturnType<typeof newTally>;

/** Letters and digits that are spelled as escapes: nothing can be said of such a line without decoding it. */
const HIDDEN = /\\u00[2-7]/;
/** A shorter name is left where no folder shows whose it is, and so is one that many machines have. */
const SHORTEST_USER = 3;
const COMMON_USERS =
  /^(?:root|user|users|home|admin|runner|node|app|dev|ubuntu|debian|vscode|codespace|shared|public|default|guest|linuxbrew)$/i;

/** Replaces secrets line by line; equal values are replaced by the same marker in all lines. */
export class Redactor {
  readonly values: Values;
  tally = newTally();
  readonly #options: RedactorOptions;
  readonly #finder: Finder;

  constructor(options: RedactorOptions) {
    this.#options = options;
    this.#finder = new Finder(options);
    this.values = new Values(options.onValue);
  }

  /** The bytes of a line without its secrets. Where it has to stay as long as it was, blanks fill it up. */
  line(line: Line, keepsLength = false, onFound?: (found: Found) => void): string {
    const { raw } = line;
    if (!this.#options.content && !HIDDEN.test(raw) && !this.#finder.mayHold(raw) && !this.values.mayHold(raw))
      return raw;
    const { text } = line;
    const splices = this.#splices(text, keepsLength, onFound);
    if (splices.length === 0) return raw;
    const changed = applySplices(text, splices);
    const bytes = line.encoding === 'utf8' ? encodeUtf8(changed) : changed;
    return keepsLength ? bytes + ' '.repeat(Math.max(0, raw.length - bytes.length)) : bytes;
  }

  #splices(text: string, keepsLength: boolean, onFound: ((found: Found) => void) | undefined): Splice[] {
    const from = text.startsWith('\ufeff') ? 1 : 0;
    const value = parseJson(from === 0 ? text : text.slice(from));
    const isJson = isObject(value) || Array.isArray(value);
    const units = isJson ? collectUnits(text, from) : [damagedUnit(text)];
    this.#search(units, keepsLength, onFound);
    return this.#join(text, units);
  }

  /** Finds everything in the texts of a line, until nothing more is found in what is left. */
  #search(units: readonly Unit[], keepsLength: boolean, onFound: ((found: Found) => void) | undefined): void {
    const texts = new JoinedTexts(units);
    const found: { readonly kind: string; readonly unit: Unit }[] = [];
    let isDone = false;
    const take = (hits: readonly SecretHit[]): string => {
      isDone = false;
      texts.blank(hits);
      for (const hit of hits) {
        if (this.#options.allow.has(hit.value)) continue;
        const { unit, start, end } = texts.placeOf(hit);
        let { value } = hit;
        if (value.includes(BLANK)) {
          // What was found before is in the middle of it.
          unit.splices = unit.splices.filter((one) => one.end <= start || end <= one.start);
          value = unit.text.slice(start, end);
        }
        const marker = this.#markerFor(hit.kind, value);
        found.push({ kind: kindOf(marker), unit });
        const text = replacement(unit, marker, keepsLength ? end - start : undefined);
        unit.splices.push({ start, end, text });
      }
      return texts.rest;
    };
    while (!isDone) {
      isDone = true;
      texts.forEach((unit, left, hits) => {
        const isWhole = this.#options.content && left !== '' && isContent(unit);
        const kind = isWhole ? 'content' : this.#finder.kindOfMember(unit.name, left);
        if (kind !== undefined) take(hits(kind));
      });
      this.values.find(texts.rest, take);
      this.#finder.find(texts.rest, take);
    }
    if (!onFound || found.length === 0) return;
    const safe = safePointers(units);
    for (const { kind, unit } of found) onFound({ kind, pointer: safe(unit.pointer) });
  }

  #markerFor(kind: string, value: string): string {
    // Whose folder it is stands in other places too.
    const user = kind === 'home' ? (value.split(/[\\/]/).at(-1) ?? '') : '';
    if (user.length >= SHORTEST_USER && !COMMON_USERS.test(user)) this.values.marker('user', user);
    const marker = this.values.marker(kind, value);
    const { replaced } = this.tally;
    replaced.set(kindOf(marker), (replaced.get(kindOf(marker)) ?? 0) + 1);
    return marker;
  }

  /** The splices of all texts as splices of the line, from the innermost texts to the outermost. */
  #join(line: string, units: readonly Unit[]): Splice[] {
    const splices: Splice[] = [];
    const removed: SignedThinking[] = [];
    for (const unit of units.toReversed()) {
      if (unit.splices.length === 0) continue;
      const { container, thinking } = unit;
      const ordered = [...unit.splices].sort((a, b) => a.start - b.start);
      if (thinking) removed.push(thinking);
      else
        for (const one of spliceUnit(unit, ordered, container?.text ?? line)) (container?.splices ?? splices).push(one);
    }
    if (removed.length === 0) return splices;
    const stays = ({ start }: Splice): boolean => !removed.some((block) => start >= block.start && start < block.end);
    return [...splices.filter(stays), ...this.#withoutThinking(line, removed)];
  }

  /** Takes blocks out of their arrays; one that would leave an empty array becomes a text that says so. */
  #withoutThinking(line: string, blocks: readonly SignedThinking[]): Splice[] {
    this.tally.thinking += blocks.length;
    const splices: Splice[] = [];
    const instead = ({ start, end }: SignedThinking): Splice => {
      const text = this.values.marker('thinking', line.slice(start, end));
      return { start, end, text: JSON.stringify({ type: 'text', text }) };
    };
    for (const array of new Set(blocks.map(({ array }) => array))) {
      const group = blocks.filter((block) => block.array === array);
      const size = array === undefined ? group.length : [...arrayElements(line, array)].length;
      if (array === undefined || group.length === size) splices.push(...group.map(instead));
      else splices.push(...removeElements(line, array, (index) => group.some((block) => block.index === index)));
    }
    return splices;
  }
}

/** Splices of a unit as splices of the text that it is in. */
function spliceUnit({ type, start, end }: Unit, splices: readonly Splice[], around: string): Splice[] {
  if (type !== 'number') return spliceString(around, start, splices);
  return splices.map(({ text }) => ({ start, end, text }));
}

/** What takes the place of a secret. Where that has to be as long as it was and the marker is longer: asterisks, or a number. */
function replacement({ type }: Unit, marker: string, length = Number.POSITIVE_INFINITY): string {
  if (type === 'number') return length < Number.POSITIVE_INFINITY ? '1'.repeat(length) : JSON.stringify(marker);
  return marker.length > length ? '*'.repeat(length) : marker;
}

/** A function that gives a pointer without what was found in the names of members on the way. */
function safePointers(units: readonly Unit[]): (pointer: string) => string {
  const names = units
    .filter(({ type, splices }) => type === 'key' && splices.length > 0)
    .map(({ text, splices }) => [pointerStep(text), pointerStep(applySplices(text, splices))] as const);
  return (pointer) => names.reduce((safe, [name, redacted]) => safe.replaceAll(name, redacted), pointer);
}

/** A value that is found in two ways has the kind that it was found by first. */
function kindOf(marker: string): string {
  return marker.split(':')[1] ?? '';
}
