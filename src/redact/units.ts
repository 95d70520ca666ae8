import { type Splice, skipSpace, unquote } from '../json/text.ts';
import { isObject, parseJson } from '../json/value.ts';
import { type Frame, pointerOf, walkJson } from '../json/walk.ts';

/** A text of a line to search, unescaped. */
export interface Unit {
  /** 'json' is a string of JSON, whose own strings are searched; numbers only if their name suggests a secret. */
  readonly type: 'key' | 'string' | 'json' | 'number';
  readonly text: string;
  /** Its range in its container or else in the line, including quotes. */
  readonly start: number;
  readonly end: number;
  /** The string of JSON that contains it. */
  readonly container: Unit | undefined;
  /** The name of the member with this value; '' for a key and for an element of an array. */
  readonly name: string;
  /** A JSON Pointer to it. */
  readonly pointer: string;
  /** The signed thinking whose text it is. */
  thinking?: SignedThinking;
  /** Its changes. */
  splices: Splice[];
}

/** A block that its provider only accepts unchanged. */
export interface SignedThinking {
  /** The range of the block in the line, and where its array opens. */
  readonly start: number;
  readonly end: number;
  readonly array: number | undefined;
  readonly index: number;
}

/** How deep JSON strings inside JSON strings are searched; no agent nests deeper. */
const DEEPEST = 4;
/** Members with ids of records, calls or sessions, and with data that only the provider can read. */
const SKIPPED_NAMES =
  /^(?:id|ids|uuid|uuids)$|[a-z](?:Id|ID|Ids|IDs|Uuid|UUID|Uuids)$|_(?:id|ids|uuid)$|^signature$|Signature$|_signature$|^encrypted/;
/** Not ids, whatever they end in. */
const NO_ID = /key|secret|token|password|client/i;
/** The arguments of a tool have no ids of records. */
const ARGUMENTS = /^(?:arguments|args|input|parameters|params)$/;
/** Members whose number is a secret. */
const SECRET_NUMBER = /(?:pass(?:word|wd|phrase|code)|pwd)$/i;
/** A longer text of base64 alone is data. */
const SHORTEST_DATA = 512;
/** Members that describe a record. */
const STRUCTURE =
  /^(?:type|subtype|role|name|toolName|tool|version|cli_version|model|modelId|model_id|provider|model_provider|api|timestamp|time|date|createdAt|updatedAt|startTime|lastUpdated|stopReason|stop_reason|finish_reason|mimeType|mime_type|media_type|status|kind|customType|level|thinkingLevel|mode|history_mode|userType|entrypoint|originator|operation|service_tier|schema_version|format|hash|sha256|detail|phase|channel|state)$/;

/** The texts in valid JSON; containers come before their content. */
export function collectUnits(json: string, from: number): Unit[] {
  const units: Unit[] = [];
  walkUnits(json, from, undefined, 1, units);
  return units;
}

/** A line that is not JSON, treated as one string: each escape is one character, as spliceString counts them. */
export function damagedUnit(line: string): Unit {
  const text = line.replace(/\\(?:u.{0,4}|.?)/gs, (one) => String(parseJson(`"${one}"`) ?? '\ufffd'));
  const place = { start: -1, end: line.length + 1, container: undefined, name: '', pointer: '' };
  return { type: 'string', text, ...place, splices: [] };
}

/** Whether it is content, and not a description of the record. */
export function isContent({ type, container, name }: Unit): boolean {
  return type === 'string' && (container !== undefined || !STRUCTURE.test(name));
}

function walkUnits(json: string, from: number, container: Unit | undefined, depth: number, units: Unit[]): void {
  /** By block: the text of thinking, and whether it is signed. */
  const thinking = new Map<Frame, Unit>();
  const signed = new Set<Frame>();
  const add = (type: Unit['type'], text: string, frame: Frame, start: number, end: number): Unit => {
    const name = type === 'key' || frame.array ? '' : frame.key;
    const pointer = container?.pointer ?? pointerOf(frame);
    const unit: Unit = { type, text, start, end, container, name, pointer, splices: [] };
    units.push(unit);
    return unit;
  };
  walkJson(json, from, {
    key: (frame, start, end) => void add('key', frame.key, frame, start, end),
    string: (frame, start, end) => {
      const text = unquote(json.slice(start, end));
      const name = frame.array ? '' : frame.key;
      // JSON inside a string has no ids of records.
      if (!container && isSkipped(frame, name, text)) {
        if (/signature$/i.test(name) && text !== '') signed.add(frame);
        return;
      }
      const isJson = depth < DEEPEST && holdsJson(text);
      const unit = add(isJson ? 'json' : 'string', text, frame, start, end);
      if (name === 'thinking') thinking.set(frame, unit);
      if (isJson) walkUnits(text, 0, unit, depth + 1, units);
    },
    word: (frame, start, end) => {
      const text = json.slice(start, end);
      if (!frame.array && SECRET_NUMBER.test(frame.key) && /^\d+$/.test(text)) add('number', text, frame, start, end);
    },
    close: (frame, end) => {
      const unit = thinking.get(frame);
      const { parent } = frame;
      if (!unit || container || !signed.has(frame)) return;
      unit.thinking = {
        start: frame.start,
        end,
        array: parent?.array ? parent.start : undefined,
        index: parent?.index ?? 0,
      };
    },
  });
}

/** Ids, signatures, encrypted content and base64 data. */
function isSkipped(frame: Frame, name: string, text: string): boolean {
  if (SKIPPED_NAMES.test(nameAbove(frame, name)) && !NO_ID.test(name) && !isArgument(frame)) return true;
  if (text.startsWith('data:') && text.slice(0, 200).includes(';base64,')) return true;
  return text.length >= SHORTEST_DATA && !NO_ID.test(name) && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
}

/** An element of a list of ids is an id. */
function nameAbove(frame: Frame, name: string): string {
  return frame.array && frame.parent && !frame.parent.array ? frame.parent.key : name;
}

function isArgument(frame: Frame): boolean {
  for (let one = frame.parent; one; one = one.parent) if (!one.array && ARGUMENTS.test(one.key)) return true;
  return false;
}

function holdsJson(text: string): boolean {
  const first = text[skipSpace(text, 0)];
  if (first !== '{' && first !== '[') return false;
  const value = parseJson(text);
  return isObject(value) || Array.isArray(value);
}
