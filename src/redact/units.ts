import { type Splice, skipSpace, unquote } from '../json/text.ts';
import { isObject, parseJson } from '../json/value.ts';
import { type Frame, pointerOf, walkJson } from '../json/walk.ts';

/** A text of a line that is looked at: a string or a key, unescaped. */
export interface Unit {
  readonly text: string;
  /** Where its quote opens in the text that it is in: that of its container, or the line. */
  readonly start: number;
  /** The string of JSON that it is in. */
  readonly container: Unit | undefined;
  /** The name of the member that it is the value of; '' for a key and for an element of an array. */
  readonly name: string;
  /** A JSON Pointer to the string in the line. */
  readonly pointer: string;
  /** What it says is what its own strings say. */
  readonly isJson: boolean;
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

export interface UnitOptions {
  /** Only the texts of messages: what says what a record is stays. */
  readonly contentOnly: boolean;
}

/** JSON in a string in JSON in a string: no agent writes more. */
const DEEPEST = 4;
/** Members that name a record, a call or a session, and those that only their provider can read. */
const UNTOUCHED =
  /^(?:id|ids|uuid|uuids)$|[a-z](?:Id|ID|Ids|IDs|Uuid|UUID|Uuids)$|_(?:id|ids|uuid)$|^signature$|Signature$|_signature$|^encrypted/;
/** Not ids, whatever they end in. */
const NO_ID = /key|secret|token|password|client/i;
/** What a tool was asked to do is no link to a record. */
const ARGUMENTS = /^(?:arguments|args|input|parameters|params)$/;
/** Above this a text of nothing but base64 is data. */
const SHORTEST_DATA = 512;
/** Members that say what a record is. */
const STRUCTURE =
  /^(?:type|subtype|role|name|toolName|tool|version|cli_version|model|modelId|model_id|provider|model_provider|api|timestamp|time|date|createdAt|updatedAt|startTime|lastUpdated|stopReason|stop_reason|finish_reason|mimeType|mime_type|media_type|status|kind|customType|level|thinkingLevel|mode|history_mode|userType|entrypoint|originator|operation|service_tier|schema_version|format|hash|sha256|detail|phase|channel|state)$/;

/** The texts in JSON that JSON.parse accepts; containers come before what is in them. */
export function collectUnits(json: string, from: number, { contentOnly }: UnitOptions): Unit[] {
  const units: Unit[] = [];
  walkUnits(json, from, undefined, 1, contentOnly, units);
  return units;
}

/** A line that is no JSON, as if all of it were in a string: each escape is one character, as spliceString counts them. */
export function damagedUnit(line: string): Unit {
  const text = line.replace(/\\(?:u.{0,4}|.?)/gs, (one) => String(parseJson(`"${one}"`) ?? '\ufffd'));
  return { text, start: -1, container: undefined, name: '', pointer: '', isJson: false, splices: [] };
}

function walkUnits(
  json: string,
  from: number,
  container: Unit | undefined,
  depth: number,
  contentOnly: boolean,
  units: Unit[],
): void {
  /** Texts of thinking and whether it is signed, by the block. */
  const thinking = new Map<Frame, Unit>();
  const signed = new Set<Frame>();
  const add = (frame: Frame, start: number, end: number, isKey: boolean): void => {
    const text = unquote(json.slice(start, end));
    const name = isKey || frame.array ? '' : frame.key;
    // In JSON in a string nothing is a link to a record.
    if (!container && !isKey && isUntouched(frame, name, text)) {
      if (/signature$/i.test(name) && text !== '') signed.add(frame);
      return;
    }
    if (contentOnly && (isKey || (!container && STRUCTURE.test(name)))) return;
    const pointer = container?.pointer ?? pointerOf(frame);
    const isJson = !isKey && depth < DEEPEST && holdsJson(text);
    const unit: Unit = { text, start, container, name, pointer, isJson, splices: [] };
    units.push(unit);
    if (name === 'thinking') thinking.set(frame, unit);
    if (isJson) walkUnits(text, 0, unit, depth + 1, contentOnly, units);
  };
  walkJson(json, from, {
    key: (frame, start, end) => add(frame, start, end, true),
    string: (frame, start, end) => add(frame, start, end, false),
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
function isUntouched(frame: Frame, name: string, text: string): boolean {
  if (UNTOUCHED.test(nameAbove(frame, name)) && !NO_ID.test(name) && !isArgument(frame)) return true;
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
