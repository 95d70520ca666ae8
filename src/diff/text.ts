import type { Style } from '../util/io.ts';
import { counted, grouped } from '../util/words.ts';
import type { Ancestor, DiffFormat, Place, SideName } from './compare.ts';
import type { DiffItem } from './item.ts';
import type { SideTotals } from './side.ts';
import { type Segment, sameness, wordDiff } from './words.ts';

/** How a difference is drawn. `clean` makes one line of log content fit for where it is printed. */
export interface Look {
  readonly style: Style;
  readonly clean: (line: string) => string;
}

const MOST_LINE_CHARS = 2000;
/** Below this much likeness two wordings are two texts. */
const LEAST_LIKENESS = 0.3;
/** This much of a long unchanged text is shown at each end. */
const EDGE_CHARS = 60;

/** For people: each line with its sign, colored where that is wanted. */
export function textFormat(look: Look): DiffFormat {
  const { style, clean } = look;
  const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const nameOf = ({ entryId, line }: Place): string => entryId ?? `line:${line}`;
  const sideName = ({ file, leafId, line }: SideName): string =>
    clean(`${file} ${leafId ?? (line === null ? '(no entries)' : `line:${line}`)}`);
  return {
    begin: (a, b, ancestor, divergence) => {
      const lines = [
        style.bold(`--- A ${sideName(a)}`),
        style.bold(`+++ B ${sideName(b)}`),
        style.cyan(`@@ ${ancestor ? clean(ancestorText(ancestor)) : 'nothing in common'} @@`),
      ];
      if (divergence && !ancestor?.isCommon) {
        const [left, right] = [divergence.a, divergence.b].map((entry) =>
          entry ? clean(placeText(entry)) : 'at its end',
        );
        lines.push(style.cyan(`@@ first difference: A ${left}, B ${right} @@`));
      }
      return joined(lines);
    },
    same: (count) => joined([style.dim(`  ... ${counted(count, 'entry', 'entries')} the same`)]),
    alone: (side, entry) => joined(aloneLines(side, nameOf(entry), entry.item, look)),
    changed: (a, b) => joined(changedLines({ a: nameOf(a), b: nameOf(b) }, a.item, b.item, look)),
    end: (same, a, b) => joined(same ? ['the same'] : [...totalsLines('a', a, look), ...totalsLines('b', b, look)]),
  };
}

function ancestorText({ isCommon, a, b, item }: Ancestor): string {
  const start = item.text.split('\n', 1)[0]?.slice(0, 60) ?? '';
  const text = `${item.title}${start === '' ? '' : ` ${start}`}`;
  if (isCommon) return `common ancestor ${placeText(a)}: ${text}`;
  const [left, right] = [placeText(a), placeText(b)];
  return `the same up to ${left === right ? left : `${left} / ${right}`}: ${text}`;
}

function placeText({ entryId, line }: Place): string {
  return entryId === null ? `line ${line}` : `${entryId} (line ${line})`;
}

/** An entry that one side has alone, each line with its sign. */
export function aloneLines(side: 'a' | 'b', name: string, item: DiffItem, look: Look): string[] {
  const sign = side === 'a' ? '-' : '+';
  const paint = side === 'a' ? look.style.red : look.style.green;
  const lines = [paint(`${sign} ${look.clean(item.title)}`) + look.style.dim(`  ${look.clean(name)}`)];
  for (const line of shortened(item.text, item.mostLines))
    lines.push(paint(line === '' ? sign : `${sign}   ${look.clean(line)}`));
  return lines;
}

/** An entry in two wordings: the words that differ, or both texts where little is the same. */
export function changedLines(
  names: { readonly a: string; readonly b: string },
  a: DiffItem,
  b: DiffItem,
  look: Look,
): string[] {
  const segments = wordDiff(a.text, b.text);
  if (sameness(segments) < LEAST_LIKENESS)
    return [...aloneLines('a', names.a, a, look), ...aloneLines('b', names.b, b, look)];
  const title = a.title === b.title ? a.title : `${a.title} / ${b.title}`;
  const both = names.a === names.b ? names.a : `${names.a} / ${names.b}`;
  const lines = [look.style.yellow(`~ ${look.clean(title)}`) + look.style.dim(`  ${look.clean(both)}`)];
  const changes = segments.some((segment) => segment.kind !== 'same');
  if (!changes) return [...lines, look.style.dim('~   (same text; differs in fields that are not shown)')];
  return [...lines, ...wordLines(segments, look).map((line) => (line === '' ? '~' : `~   ${line}`))];
}

/** As `git diff --word-diff` writes it: [-removed-]{+added+}. */
function wordLines(segments: readonly Segment[], look: Look): string[] {
  const lines = [''];
  const put = (text: string, mark: (line: string) => string): void => {
    text.split('\n').forEach((line, index) => {
      if (index > 0) lines.push('');
      if (line !== '') lines.push(`${lines.pop() ?? ''}${mark(look.clean(cut(line)))}`);
    });
  };
  segments.forEach((segment, index) => {
    if (segment.kind === 'removed') put(segment.text, (line) => look.style.red(`[-${line}-]`));
    else if (segment.kind === 'added') put(segment.text, (line) => look.style.green(`{+${line}+}`));
    else put(excerpt(segment.text, index > 0, index < segments.length - 1), (line) => line);
  });
  return lines;
}

/** Unchanged text without its middle; at the start or end of the whole text without its outer part. */
function excerpt(text: string, changesBefore: boolean, changesAfter: boolean): string {
  const head = changesBefore ? EDGE_CHARS : 0;
  const tail = changesAfter ? EDGE_CHARS : 0;
  if (text.length <= head + tail + 2 * EDGE_CHARS) return text;
  const start = text.slice(0, head).replace(/[\uD800-\uDBFF]$/, '');
  const end = tail === 0 ? '' : text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, '');
  return `${start} ...${grouped(text.length - head - tail)} identical characters... ${end}`;
}

function shortened(text: string, mostLines: number): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const shown = lines.slice(0, mostLines).map(cut);
  if (lines.length > mostLines)
    shown.push(`... ${counted(lines.length - mostLines, 'more line')} (${grouped(text.length)} characters)`);
  return shown;
}

function cut(line: string): string {
  if (line.length <= MOST_LINE_CHARS) return line;
  return `${line.slice(0, MOST_LINE_CHARS).replace(/[\uD800-\uDBFF]$/, '')}... (${grouped(line.length)} characters)`;
}

/** What a side has alone, in numbers. */
export function totalsLines(side: 'a' | 'b', totals: SideTotals, look: Look): string[] {
  const { entries, messages, files, models, modes, usage } = totals;
  const paint = side === 'a' ? look.style.red : look.style.green;
  const name = side === 'a' ? 'A' : 'B';
  if (entries === 0) return [paint(`only ${name}: nothing`)];
  const cost = usage.cost === 0 ? '' : `, $${usage.cost.toFixed(4)}`;
  const lines = [
    paint(
      `only ${name}: ${counted(entries, 'entry', 'entries')}, ${counted(messages, 'message')}, ${counted(usage.totalTokens, 'token')}${cost}`,
    ),
  ];
  if (files.length > 0) {
    const shown = files.slice(0, 20).map(({ path, calls, failed }) => {
      const done = calls === failed ? ', failed' : failed > 0 ? `, ${failed} failed` : '';
      return `${look.clean(path)} (${counted(calls, 'call')}${done})`;
    });
    const more = files.length > shown.length ? `, and ${files.length - shown.length} more` : '';
    lines.push(`  files: ${shown.join(', ')}${more}`);
  }
  if (models.length > 0) lines.push(`  models: ${models.map(look.clean).join(', ')}`);
  if (modes.length > 0) lines.push(`  modes: ${modes.map(look.clean).join(', ')}`);
  return lines;
}
