// AssemblyScript, not TypeScript: the hash of a line's keys and kinds of values, in two halves.
import { wordAt } from './bytes';

// Kinds of values, as they enter the hash.
export const KIND_STRING: u32 = 1;
export const KIND_EMPTY: u32 = 2;
export const KIND_LONG: u32 = 3;
export const KIND_NUMBER: u32 = 4;
export const KIND_TRUE: u32 = 5;
export const KIND_FALSE: u32 = 6;
export const KIND_NULL: u32 = 7;
export const KIND_OBJECT: u32 = 8;
export const KIND_ARRAY: u32 = 9;

export let seedA: u32 = 0;
export let seedB: u32 = 0;

/** Of the last value. */
export let hashA: u32 = 0;
export let hashB: u32 = 0;

export function seedHash(a: u32, b: u32): void {
  seedA = a;
  seedB = b;
}

@inline export function setHash(a: u32, b: u32): void {
  hashA = a;
  hashB = b;
}

@inline export function mixA(h: u32, word: u32): u32 {
  const m = (h ^ word) * 0x9e3779b1;
  return m ^ (m >>> 15);
}

@inline export function mixB(h: u32, word: u32): u32 {
  const m = (h ^ word) * 0x85ebca77;
  return m ^ (m >>> 13);
}

/** Mixes a short text into the last value's hash. */
@inline export function mixText(start: usize, end: usize): void {
  let a = hashA;
  let b = hashB;
  for (let at = start; at < end; at += 4) {
    const word = wordAt(at, end);
    a = mixA(a, word);
    b = mixB(b, word);
  }
  hashA = mixA(a, <u32>(end - start));
  hashB = mixB(b, <u32>(end - start));
}

@inline export function kind(k: u32): void {
  hashA = mixA(seedA, k);
  hashB = mixB(seedB, k);
}
