import type { Line } from '../../lines/line.ts';
import { readLineBatches } from '../../lines/reader.ts';
import type { LogSource, OnDamage } from '../format.ts';
import { type AiderLineKind, Grammar, startOf } from './grammar.ts';
import { type AiderRun, LONGEST_LINE } from './runs.ts';

/** Consecutive lines of one author: the user, Aider itself ('tool') or the model ('text'). */
export interface AiderBlock {
  readonly kind: Exclude<AiderLineKind, 'blank'> | 'header';
  readonly lines: readonly string[];
  readonly line: number;
  /** It is too long, and continues in the next one. */
  readonly isCut: boolean;
  /** The first of its lines that is damaged. */
  readonly damage: BlockDamage | undefined;
}

interface BlockDamage {
  readonly line: number;
  readonly rule: 'invalid-utf8' | 'nul-bytes';
}

const MOST_CHARACTERS = 4 * 1024 * 1024;
const PIECE = 1024 * 1024;

/** The bytes of a run, read from the file again. */
export async function* bytesOf(source: LogSource, { offset, end }: AiderRun): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(PIECE);
  for (let at = offset; at < end; ) {
    const length = await source.readAt(buffer.subarray(0, Math.min(PIECE, end - at)), at);
    if (length === 0) return;
    yield Buffer.from(buffer.subarray(0, length));
    at += length;
  }
}

/** The blocks of one run or of all; `firstLine` is the number of the first line. */
export async function* readTextBlocks(
  chunks: AsyncIterable<Uint8Array>,
  firstLine: number,
  isStripped: boolean,
  onDamage: OnDamage,
): AsyncGenerator<AiderBlock> {
  const reader = new BlockReader(firstLine, isStripped, onDamage);
  for await (const lines of readLineBatches(chunks, { maxLineBytes: LONGEST_LINE }))
    for (const line of lines) {
      const block = reader.push(line);
      if (block) yield block;
    }
  const last = reader.end();
  if (last) yield last;
}

interface OpenBlock {
  readonly kind: AiderBlock['kind'];
  readonly lines: string[];
  readonly line: number;
  characters: number;
  damage: BlockDamage | undefined;
}

class BlockReader {
  readonly #firstLine: number;
  readonly #grammar: Grammar;
  readonly #onDamage: OnDamage;
  #open: OpenBlock | undefined;
  #isAfterBlank = true;

  constructor(firstLine: number, isStripped: boolean, onDamage: OnDamage) {
    this.#firstLine = firstLine;
    this.#grammar = new Grammar(isStripped);
    this.#onDamage = onDamage;
  }

  /** Gives the block that ends before this line. */
  push(line: Line): AiderBlock | undefined {
    const number = this.#firstLine + line.number - 1;
    if (line.oversize > 0) {
      this.#isAfterBlank = false;
      this.#onDamage(number, 'oversize-line', 1);
      return undefined;
    }
    const decoded = line.wellFormed ? line.text : Buffer.from(line.raw, 'latin1').toString('utf8');
    const text = decoded.replace(number === 1 ? /^\ufeff|\r$/g : /\r$/, '');
    const isHeader = this.#isAfterBlank && startOf(text) !== undefined;
    this.#isAfterBlank = text === '';
    const found = isHeader ? 'header' : this.#grammar.next(text);
    const before = this.#open;
    // Only blocks of the model have blank lines.
    if (found === 'blank' && before?.kind !== 'text') return this.end();
    const kind = found === 'blank' ? 'text' : found;
    const isFull = before !== undefined && before.characters > MOST_CHARACTERS;
    const done = before && (before.kind !== kind || isFull) ? this.end(before.kind === kind) : undefined;
    this.#open ??= { kind, lines: [], line: number, characters: 0, damage: undefined };
    this.#open.lines.push(found === 'user' || found === 'tool' ? this.#grammar.text : text);
    this.#open.characters += text.length;
    const rule = line.wellFormed ? (line.raw.includes('\0') ? 'nul-bytes' : undefined) : 'invalid-utf8';
    if (rule) this.#open.damage ??= { line: number, rule };
    return done;
  }

  end(isCut = false): AiderBlock | undefined {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return undefined;
    const { kind, line, damage } = open;
    const lines = withoutBlankEnds(open.lines);
    return lines.length === 0 ? undefined : { kind, line, lines, damage, isCut };
  }
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  let [start, end] = [0, lines.length];
  while (start < end && lines[start]?.trim() === '') start++;
  while (end > start && lines[end - 1]?.trim() === '') end--;
  return lines.slice(start, end);
}
