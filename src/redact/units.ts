import { type Splice, skipSpace, unquote } from '../json/text.ts';
import { isObject, parseJson } from '../json/value.ts';
import { type Frame, pointerOf, walkJson } from '../json/walk.ts';

/** A text of a line that is looked at, unescaped. */
export interface Unit {
  /** What JSON holds as a string is looked at as its own strings; a number only where its name makes it a secret. */
  readonly type: 'key' | 'string' | 'json' | 'number';
  readonly text: string;
  /** Where it is in the text that it is in, quotes included: in that of its container, or in the line. */
  readonly start: number;
  readonly end: number;
  /** The string of JSON that it is in. */
  readonly container: Unit | undefined;
  /** The name of the member that it is the value of; '' for a key and for an element of an array. */
  readonly name: string;
  /** A JSON Pointer to its place in the line. */
  readonly pointer: string;
  /** The signed thinking that it is the text of. */
  thinking?: SignedThinking;
  /** What is changed of it. */
  splices: Splice[];
}

/** A block that its provider takes back only as it was. */
export interface SignedThinking {
  /** Where the block is in the line, and where the array opens that it is in. */
  readonly start: number;
  readonly end: number;
  readonly array: number | undefined;
  readonly index: number;
}

/** JSON in a string in JSON in a string: no agent writes more. */
const DEEPEST = 4;
/** Members that name a record, a call or a session, and those that only their provider can read. */
const SKIPPED_NAMES =
  /^(?:id|ids|uuid|uuids)$|[a-z](?:Id|ID|Ids|IDs|Uuid|UUID|Uuids)$|_(?:id|ids|uuid)$|^signature$|Signature$|_signature$|^encrypted/;
/** Not ids, whatever they end in. */
const NO_ID = /key|secret|token|password|client/i;
/** What a tool was asked to do is no link to a record. */
const ARGUMENTS = /^(?:arguments|args|input|parameters|params)$/;
/** Names of members whose number is a secret. */
const SECRET_NUMBER = /(?:pass(?:word|wd|phrase|code)|pwd)$/i;
/** Above this a text of nothing but base64 is data. */
const SHORTEST_DATA = 512;
/** Members that say what a record is. */
const STRUCTURE =
  /^(?:type|subtype|role|name|toolName|tool|version|cli_version|model|modelId|model_id|provider|model_provider|api|timestamp|time|date|createdAt|updatedAt|startTime|lastUpdated|stopReason|stop_reason|finish_reason|mimeType|mime_type|media_type|status|kind|customType|level|thinkingLevel|mode|history_mode|userType|entrypoint|originator|operation|service_tier|schema_version|format|hash|sha256|detail|phase|channel|state)$/;

/** The texts in JSON that JSON.parse accepts; containers come before what is in them. */
export function collectUnits(json: string, from: number): Unit[] {
  const units: Unit[] = [];
  walkUnits(json, from, undefined, 1, units);
  return units;
}

/** A line that is no JSON, as if all of it were in a string: each escape is one character, as spliceString counts them. */
export function damagedUnit(line: string): Unit {
  const text = line.replace(/\\(?:u.{0,4}|.?)/gs, (one) => String(parseJson(`"${one}"`) ?? '\ufffd'));
  const place = { start: -1, end: line.length + 1, container: undefined, name: '', pointer: '' };
  return { type: 'string', text, ...place, splices: [] };
}

/** Whether it is what somebody said or did, and not what says what a record is. */
export function isContent({ type, container, name }: Unit): boolean {
  return type === 'string' && (container !== undefined || !STRUCTURE.test(name));
}

function walkUnits(json: string, from: number, container: Unit | undefined, depth: number, units: Unit[]): void {
  /** Texts of thinking and whether it is signed, by the block. */
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
      // In JSON in a string nothing is a link to a record.
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

/** An element of a list of ids is one. */
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
