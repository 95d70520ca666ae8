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
  /** Values that are not secrets. */
  readonly allow: ReadonlySet<string>;
  /** Called once for each value. */
  readonly onValue?: ((marker: string, kind: string, value: string) => void) | undefined;
}

/** A secret that was found in a line; never its value. */
export interface Found {
  readonly kind: string;
  /** A JSON Pointer; '' if the line is not JSON. */
  readonly pointer: string;
}

/** Counts of what was replaced. */
export const newTally = () => ({
  /** By kind. */
  replaced: new Map<string, number>(),
  /** Removed blocks of signed thinking. */
  thinking: 0,
});
export type Tally = ReturnType<typeof newTally>;

/** Letters and digits written as escapes: such a line must be decoded to be searched. */
const HIDDEN = /\\u00[2-7]/;
/** Shorter user names, and common ones, are only replaced inside the path of a home folder. */
const SHORTEST_USER = 3;
const COMMON_USERS =
  /^(?:root|user|users|home|admin|runner|node|app|dev|ubuntu|debian|vscode|codespace|shared|public|default|guest|linuxbrew)$/i;

/** Replaces secrets line by line; equal values get the same marker in all lines. */
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

  /** The bytes of a line without its secrets, padded with spaces if it must keep its length. */
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

  /** Searches the texts of a line until nothing more is found. */
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
          // Something found before is inside it.
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
    // The name of a home folder is also searched elsewhere.
    const user = kind === 'home' ? (value.split(/[\\/]/).at(-1) ?? '') : '';
    if (user.length >= SHORTEST_USER && !COMMON_USERS.test(user)) this.values.marker('user', user);
    const marker = this.values.marker(kind, value);
    const { replaced } = this.tally;
    replaced.set(kindOf(marker), (replaced.get(kindOf(marker)) ?? 0) + 1);
    return marker;
  }

  /** Converts the splices of all texts to splices of the line, innermost texts first. */
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

  /** Removes blocks from their arrays; if an array would become empty, the block is replaced by a text. */
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

/** Converts splices of a unit to splices of the text around it. */
function spliceUnit({ type, start, end }: Unit, splices: readonly Splice[], around: string): Splice[] {
  if (type !== 'number') return spliceString(around, start, splices);
  return splices.map(({ text }) => ({ start, end, text }));
}

/** The replacement of a secret. If the length must stay the same and the marker is too long: asterisks, or a number. */
function replacement({ type }: Unit, marker: string, length = Number.POSITIVE_INFINITY): string {
  if (type === 'number') return length < Number.POSITIVE_INFINITY ? '1'.repeat(length) : JSON.stringify(marker);
  return marker.length > length ? '*'.repeat(length) : marker;
}

/** Makes a function that redacts the names of members in a pointer. */
function safePointers(units: readonly Unit[]): (pointer: string) => string {
  const names = units
    .filter(({ type, splices }) => type === 'key' && splices.length > 0)
    .map(({ text, splices }) => [pointerStep(text), pointerStep(applySplices(text, splices))] as const);
  return (pointer) => names.reduce((safe, [name, redacted]) => safe.replaceAll(name, redacted), pointer);
}

/** A value found in two ways keeps its first kind. */
function kindOf(marker: string): string {
  return marker.split(':')[1] ?? '';
}
