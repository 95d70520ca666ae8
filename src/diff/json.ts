import { isObject, type JsonObject } from '../json/value.ts';
import { safeJson } from '../util/to-json.ts';
import type { DiffEntry, DiffFormat, Place } from './compare.ts';
import { wordDiff } from './words.ts';

/** One object, in pieces. */
export function jsonFormat(): DiffFormat {
  let count = 0;
  const change = (value: object): string => `${count++ > 0 ? ',' : ''}${safeJson(value)}`;
  return {
    begin: (a, b, ancestor, divergence) => {
      const places = (
        one: { readonly a: Place | undefined; readonly b: Place | undefined } | undefined,
      ): object | null => (one ? { a: placeRecord(one.a), b: placeRecord(one.b) } : null);
      return `${safeJson({ a, b, ancestor: places(ancestor), divergence: places(divergence) }).slice(0, -1)},"changes":[`;
    },
    same: (entries) => change({ kind: 'same', entries }),
    alone: (side, entry) => change({ kind: side === 'a' ? 'removed' : 'added', ...entryRecord(entry) }),
    changed: (a, b) =>
      change({ kind: 'changed', a: entryRecord(a), b: entryRecord(b), words: wordDiff(a.item.text, b.item.text) }),
    end: (same, a, b) => `],"same":${same},"onlyA":${safeJson(a)},"onlyB":${safeJson(b)}}\n`,
  };
}

function placeRecord(place: Place | undefined): object | null {
  return place ? { entryId: place.entryId, line: place.line } : null;
}

function entryRecord({ entryId, line, value, item }: DiffEntry): object {
  const { role, content }: JsonObject = isObject(value['message']) ? value['message'] : {};
  const calls = Array.isArray(content)
    ? content.filter((block) => isObject(block) && block['type'] === 'toolCall')
    : [];
  return {
    entryId,
    line,
    type: value['type'] ?? null,
    ...(typeof role === 'string' ? { role } : {}),
    title: item.title,
    text: item.text,
    ...(calls.length > 0 ? { calls: calls.map(callRecord) } : {}),
  };
}

function callRecord(call: JsonObject): object {
  return { id: call['id'], name: call['name'], arguments: call['arguments'] ?? call['input'] };
}
