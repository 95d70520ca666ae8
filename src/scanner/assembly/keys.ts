// AssemblyScript, not TypeScript: what a key means at its place.
import { isText, skipString, stringEnd, stringPlain, stringStart } from './bytes';
import { hashA, hashB, mixText, seedA, seedB, setHash } from './hash';

// Where in an entry a value is.
export const AT_OTHER: i32 = 0;
export const AT_ENTRY: i32 = 1;
export const AT_MESSAGE: i32 = 2;
export const AT_CONTENT: i32 = 3;
export const AT_BLOCK: i32 = 4;
export const AT_OPAQUE: i32 = 5;
export const AT_DATA: i32 = 6;

// Keys that mean something at their place.
export const KEY_NONE: i32 = 0;
export const KEY_TYPE: i32 = 1;
export const KEY_ID: i32 = 2;
export const KEY_PARENT: i32 = 3;
export const KEY_TIME: i32 = 4;
export const KEY_MESSAGE: i32 = 5;
export const KEY_ROLE: i32 = 6;
export const KEY_STOP: i32 = 7;
export const KEY_RESULT: i32 = 8;
export const KEY_CONTENT: i32 = 9;
export const KEY_OPAQUE: i32 = 10;
export const KEY_TRANSIENT: i32 = 11;
export const KEY_URL: i32 = 12;

export const ANYWHERE: i32 = -1;
/** Keys that stand in an object once. */
export const ONCE: u32 = ~((1 << KEY_NONE) | (1 << KEY_OPAQUE));

// Keys of up to 15 bytes that were met before, each in the slot that its text leads to: 16 bytes of text and length,
// the two halves of its hash, what it means and where. Behind them the slot of a long key, which is not found again.
export const KEY_BITS: i32 = 12;
export const keys: usize = (__heap_base + 15) & ~15;
export const longKey: usize = keys + (32 << KEY_BITS);
/** Sixteen bytes of ones and sixteen of zeros. */
export const masks: usize = longKey + 32;
/** The names that outline.ts knows. */
export const names: usize = masks + 32;
export const NAME_BITS: i32 = 8;
export const MOST_LONG_NAMES: i32 = 32;
export const longNames: usize = names + (32 << NAME_BITS);
/** Memory behind it is free. */
export const keysEnd: usize = longNames + (MOST_LONG_NAMES << 6);

/** Forgets all keys. */
export function clearKeys(): void {
  // No text is all ones: its length is not.
  memory.fill(keys, 0xff, 32 << KEY_BITS);
  memory.fill(masks, 0xff, 16);
}

/** Which of the keys that mean something a key is, and as bits the places where it means it. */
function meaningOf(start: usize, length: usize): u32 {
  if (isText(start, length, 'type')) return meaning(KEY_TYPE, ANYWHERE);
  if (isText(start, length, 'role')) return meaning(KEY_ROLE, ANYWHERE);
  if (isText(start, length, 'id')) return meaning(KEY_ID, (1 << AT_ENTRY) | (1 << AT_BLOCK));
  if (isText(start, length, 'parentId')) return meaning(KEY_PARENT, 1 << AT_ENTRY);
  if (isText(start, length, 'timestamp')) return meaning(KEY_TIME, 1 << AT_ENTRY);
  if (isText(start, length, 'message')) return meaning(KEY_MESSAGE, 1 << AT_ENTRY);
  if (isText(start, length, 'content')) return meaning(KEY_CONTENT, 1 << AT_MESSAGE);
  if (isText(start, length, 'stopReason')) return meaning(KEY_STOP, 1 << AT_MESSAGE);
  if (isText(start, length, 'toolCallId')) return meaning(KEY_RESULT, 1 << AT_MESSAGE);
  if (isText(start, length, 'partialJson')) return meaning(KEY_TRANSIENT, ANYWHERE);
  if (isText(start, length, 'jsonlEvents')) return meaning(KEY_TRANSIENT, ANYWHERE);
  if (isText(start, length, 'image_url')) return meaning(KEY_URL, ANYWHERE);
  if (isText(start, length, 'arguments') || isText(start, length, 'details')) return meaning(KEY_OPAQUE, ANYWHERE);
  if (isText(start, length, 'data') || isText(start, length, 'input')) return meaning(KEY_OPAQUE, ANYWHERE);
  return meaning(KEY_NONE, 0);
}

@inline function meaning(key: i32, places: i32): u32 {
  return <u32>((places << 8) | key);
}

/** From a quote to the next one; 16 where that is not among the next 16 bytes. */
@inline export function shortLength(at: usize): usize {
  return <usize>ctz(i8x16.bitmask(i8x16.eq(v128.load(at + 1), i8x16.splat(0x22))) | 0x10000);
}

/** So many bytes behind a quote, zeros, and last how many there are: so no two texts are alike. */
@inline export function shortText(at: usize, length: usize): v128 {
  return i8x16.replace_lane(v128.and(v128.load(at + 1), v128.load(masks + 16 - length)), 15, <i8>length);
}

@inline function slotOf(text: v128): usize {
  const folded = i64x2.extract_lane(text, 0) ^ rotl(i64x2.extract_lane(text, 1), 23);
  return keys + (<usize>((folded * 0x9e3779b97f4a7c15) >>> (64 - KEY_BITS)) << 5);
}

/** Behind the key that was found last. */
export let keyEnd: usize = 0;

/** The slot of the key at a quote; 0 if it is not a key or may be any. */
@inline export function findKey(at: usize): usize {
  // Nearly every key is short and was met before, so it has no escape.
  const length = shortLength(at);
  const text = shortText(at, length);
  let slot = slotOf(text);
  if (v128.any_true(v128.xor(text, v128.load(slot)))) {
    slot = readKey(at, text, slot);
    keyEnd = stringEnd + 1;
  } else keyEnd = at + length + 2;
  return slot;
}

/** What the key of a slot means at a place. */
@inline export function keyAt(place: i32, slot: usize): i32 {
  const meaning = load<u32>(slot, 24);
  return (meaning >>> place) & 0x100 ? <i32>(meaning & 0xff) : KEY_NONE;
}

/** The code of an entry's type; 0 for any other. */
export function typeCode(start: usize, length: usize): i32 {
  if (isText(start, length, 'message')) return 1;
  if (isText(start, length, 'custom')) return 2;
  if (isText(start, length, 'model_change')) return 3;
  if (isText(start, length, 'thinking_level_change')) return 4;
  return 0;
}

/** The code of a message's role. */
export function roleCode(start: usize, length: usize): i32 {
  if (isText(start, length, 'user')) return 1 << 4;
  if (isText(start, length, 'assistant')) return 2 << 4;
  if (isText(start, length, 'toolResult')) return 3 << 4;
  return 15 << 4;
}

/** A key that was not seen recently, in full. Returns its slot; 0 if it is not a key or may be any. */
function readKey(at: usize, text: v128, slotOfText: usize): usize {
  if (skipString(at) == 0 || (!stringPlain && hasEscape(stringStart, stringEnd))) return 0;
  const length = stringEnd - stringStart;
  const slot = length < 16 ? slotOfText : longKey;
  if (length < 16) v128.store(slot, text);
  setHash(seedA, seedB);
  mixText(stringStart, stringEnd);
  store<u32>(slot, hashA, 16);
  store<u32>(slot, hashB, 20);
  store<u32>(slot, meaningOf(stringStart, length), 24);
  return slot;
}

function hasEscape(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) == 0x5c) return true;
  return false;
}
