import { messageOf } from '../entries/envelope-check.ts';
import { asString } from '../json/value.ts';
import { argumentsOf, toolCalls } from '../transcript/turns.ts';
import type { Style } from '../util/io.ts';
import { safeJson } from '../util/to-json.ts';
import { counted, grouped } from '../util/words.ts';
import type { DiffEntry, DiffFormat, DiffHead, SideName } from './compare.ts';
import { cutText, type DiffItem, itemOf } from './item.ts';
import type { SideTotals } from './totals.ts';
import { type Segment, similarity, wordDiff } from './words.ts';

/** How a diff is drawn. `clean` makes a line of log content safe for the output. */
export interface DiffStyle {
  readonly style: Style;
  readonly clean: (line: string) => string;
}

const MAX_LINE_CHARS = 2000;
/** Texts with less in common are shown one after the other. */
const MIN_SIMILARITY = 0.3;
/** How much of a long unchanged text is shown at each end. */
const EDGE_CHARS = 60;
const MAX_FILES = 20;

/** For people: each line with its sign, in color if enabled. */
export function textFormat(look: DiffStyle): DiffFormat {
  const { style, clean } = look;
  const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const nameOf = ({ entryId, line }: DiffEntry): string => entryId ?? `line:${line}`;
  const sideName = ({ file, leafId, line }: SideName): string =>
    clean(`${file} ${leafId ?? (line === null ? '(no entries)' : `line:${line}`)}`);
  return {
    begin: ({ a, b, ancestor, divergence, isDisjoint }) => {
      const lines = [style.bold(`--- A ${sideName(a)}`), style.bold(`+++ B ${sideName(b)}`)];
      lines.push(style.cyan(`@@ ${clean(ancestorText(ancestor, isDisjoint))} @@`));
      if (divergence && (ancestor === null || ancestor.a !== ancestor.b)) {
        lines.push(style.cyan(`@@ first difference: ${clean(divergenceText(divergence))} @@`));
      }
      return joined(lines);
    },
    same: (count) => joined([style.dim(`  ... ${counted(count, 'entry', 'entries')} the same`)]),
    alone: (side, entry) => joined(aloneLines(side, nameOf(entry), diffItem(entry), look)),
    changed: (a, b) => joined(changedLines({ a: nameOf(a), b: nameOf(b) }, diffItem(a), diffItem(b), look)),
    end: (same, a, b) => joined(same ? ['the same'] : [...totalsLines('a', a, look), ...totalsLines('b', b, look)]),
  };
}

function diffItem({ value }: DiffEntry): DiffItem {
  return value ? itemOf(value) : { title: 'damaged line', text: '', maxLines: 0 };
}

function ancestorText(ancestor: DiffHead['ancestor'], isDisjoint: boolean): string {
  if (ancestor === null) return isDisjoint ? 'nothing in common' : 'different from the start';
  const { title, text } = diffItem(ancestor.a);
  const start = text.split('\n', 1)[0]?.slice(0, 60) ?? '';
  const what = start === '' ? title : `${title} ${start}`;
  const [left, right] = [placeText(ancestor.a), placeText(ancestor.b)];
  if (ancestor.a === ancestor.b) return `common ancestor ${left}: ${what}`;
  return `the same up to ${left === right ? left : `${left} / ${right}`}: ${what}`;
}

function divergenceText({ a, b }: NonNullable<DiffHead['divergence']>): string {
  const places = [a && `A ${placeText(a)}`, b && `B ${placeText(b)}`].filter((place) => place !== null);
  return `${places.length === 1 ? 'only in ' : ''}${places.join(', ')}`;
}

function placeText({ entryId, line }: DiffEntry): string {
  return entryId === null ? `line ${line}` : `${entryId} (line ${line})`;
}

/** An entry of one side only, each line with its sign. */
export function aloneLines(side: 'a' | 'b', name: string, item: DiffItem, look: DiffStyle): string[] {
  const sign = side === 'a' ? '-' : '+';
  const paint = side === 'a' ? look.style.red : look.style.green;
  const lines = item.text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const shown = lines.slice(0, item.maxLines).map((line) => cutText(line, MAX_LINE_CHARS));
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`... ${counted(more, 'more line')} (${grouped(item.text.length)} characters)`);
  return [
    paint(`${sign} ${look.clean(item.title)}`) + look.style.dim(`  ${look.clean(name)}`),
    ...shown.map((line) => paint(line === '' ? sign : `${sign}   ${look.clean(line)}`)),
  ];
}

/** An entry with two texts: the words that differ, or both texts if they have little in common. */
export function changedLines(names: Record<'a' | 'b', string>, a: DiffItem, b: DiffItem, look: DiffStyle): string[] {
  const segments = wordDiff(a.text, b.text);
  if (similarity(segments) < MIN_SIMILARITY)
    return [...aloneLines('a', names.a, a, look), ...aloneLines('b', names.b, b, look)];
  const title = a.title === b.title ? a.title : `${a.title} / ${b.title}`;
  const both = names.a === names.b ? names.a : `${names.a} / ${names.b}`;
  const head = look.style.yellow(`~ ${look.clean(title)}`) + look.style.dim(`  ${look.clean(both)}`);
  if (segments.every(({ kind }) => kind === 'same'))
    return [head, look.style.dim('~   (same text; differs in fields that are not shown)')];
  return [head, ...wordLines(segments, look).map((line) => (line === '' ? '~' : `~   ${line}`))];
}

/** As `git diff --word-diff` writes it: [-removed-]{+added+}. */
function wordLines(segments: readonly Segment[], { style, clean }: DiffStyle): string[] {
  const lines = [''];
  const marks = {
    same: (line: string) => line,
    removed: (line: string) => style.red(`[-${line}-]`),
    added: (line: string) => style.green(`{+${line}+}`),
  };
  segments.forEach(({ kind, text }, index) => {
    const shown = kind === 'same' ? excerpt(text, index > 0, index < segments.length - 1) : text;
    shown.split('\n').forEach((line, place) => {
      if (place > 0) lines.push('');
      if (line !== '') lines.push(`${lines.pop()}${marks[kind](clean(cutText(line, MAX_LINE_CHARS)))}`);
    });
  });
  return lines;
}

/** Shortens unchanged text: cuts its middle, or its outer part at the start or end of the whole text. */
function excerpt(text: string, changesBefore: boolean, changesAfter: boolean): string {
  const head = changesBefore ? EDGE_CHARS : 0;
  const tail = changesAfter ? EDGE_CHARS : 0;
  if (text.length <= head + tail + 2 * EDGE_CHARS) return text;
  const start = text.slice(0, head).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - tail).replace(/^[\uDC00-\uDFFF]/, '');
  return `${start} ...${grouped(text.length - head - tail)} identical characters... ${end}`;
}

/** Totals of what only one side has. */
export function totalsLines(side: 'a' | 'b', totals: SideTotals, look: DiffStyle): string[] {
  const { entries, messages, files, usage } = totals;
  const paint = side === 'a' ? look.style.red : look.style.green;
  const name = side.toUpperCase();
  if (entries === 0) return [paint(`only ${name}: nothing`)];
  const cost = usage.cost === 0 ? '' : `, $${usage.cost.toFixed(4)}`;
  const spent = `${counted(messages, 'message')}, ${counted(usage.totalTokens, 'token')}${cost}`;
  const shown = files.slice(0, MAX_FILES).map(({ path, calls, failed }) => {
    const done = calls === failed ? ', failed' : failed > 0 ? `, ${failed} failed` : '';
    return `${look.clean(path)} (${counted(calls, 'call')}${done})`;
  });
  if (files.length > shown.length) shown.push(`and ${files.length - shown.length} more`);
  const lists = { files: shown, models: totals.models.map(look.clean), modes: totals.modes.map(look.clean) };
  return [
    paint(`only ${name}: ${counted(entries, 'entry', 'entries')}, ${spent}`),
    ...Object.entries(lists).flatMap(([what, list]) => (list.length > 0 ? [`  ${what}: ${list.join(', ')}`] : [])),
  ];
}

/** For programs: one JSON object, written part by part. */
export function jsonFormat(): DiffFormat {
  let count = 0;
  const change = (value: object): string => `${count++ > 0 ? ',' : ''}${safeJson(value)}`;
  const place = (entry: DiffEntry | null): object | null => entry && { entryId: entry.entryId, line: entry.line };
  const places = (pair: DiffHead['divergence']): object | null => pair && { a: place(pair.a), b: place(pair.b) };
  return {
    begin: ({ a, b, ancestor, divergence }) => {
      const head = safeJson({ a, b, ancestor: places(ancestor), divergence: places(divergence) });
      return `${head.slice(0, -1)},"changes":[`;
    },
    same: (entries) => change({ kind: 'same', entries }),
    alone: (side, entry) => change({ kind: side === 'a' ? 'removed' : 'added', ...entryRecord(entry) }),
    changed: (a, b) => {
      const [left, right] = [entryRecord(a), entryRecord(b)];
      return change({ kind: 'changed', a: left, b: right, words: wordDiff(left.text, right.text) });
    },
    end: (same, a, b) => `],"same":${same},"onlyA":${safeJson(a)},"onlyB":${safeJson(b)}}\n`,
  };
}

function entryRecord(entry: DiffEntry) {
  const { entryId, line, value = {} } = entry;
  const message = messageOf(value) ?? {};
  const { title, text } = diffItem(entry);
  const role = asString(message['role']);
  const all = toolCalls(message).map((call) => ({ id: call['id'], name: call['name'], arguments: argumentsOf(call) }));
  return { entryId, line, type: value['type'] ?? null, role, title, text, calls: all.length > 0 ? all : undefined };
}
