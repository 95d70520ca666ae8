import type { Line } from '../../lines/line.ts';
import { readLineBatches } from '../../lines/reader.ts';
import type { LogSource, OnDamage } from '../format.ts';
import { Grammar, type Kind, startOf } from './grammar.ts';
import { LONGEST_LINE, type Run } from './runs.ts';

/** Lines in a row that one of them has said: the user, Aider itself ('tool') or the model ('text'). */
export interface TextBlock {
  readonly kind: Exclude<Kind, 'blank'> | 'header';
  readonly lines: readonly string[];
  readonly line: number;
  /** It goes on in the next one, because it is too long to be held. */
  readonly isCut: boolean;
  /** Some of its bytes are no text. */
  readonly isDamaged: boolean;
}

/** A longer block is cut. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;

/** The bytes of a run, read from the file again. */
async function* bytesOf(source: LogSource, { offset, end }: Run): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(PIECE);
  for (let at = offset; at < end; ) {
    const length = await source.readAt(buffer.subarray(0, Math.min(PIECE, end - at)), at);
    if (length === 0) return;
    yield Buffer.from(buffer.subarray(0, length));
    at += length;
  }
}

/** The blocks of a run, one after the other. */
export async function* readRun(
  source: LogSource,
  run: Run,
  isStripped: boolean,
  onDamage: OnDamage,
): AsyncGenerator<TextBlock> {
  const reader = new BlockReader(run, isStripped, onDamage);
  for await (const lines of readLineBatches(bytesOf(source, run), { maxLineBytes: LONGEST_LINE }))
    for (const line of lines) {
      const block = reader.take(line);
      if (block) yield block;
    }
  const last = reader.end();
  if (last) yield last;
}

interface OpenBlock {
  readonly kind: TextBlock['kind'];
  readonly lines: string[];
  readonly line: number;
  characters: number;
  isDamaged: boolean;
}

class BlockReader {
  readonly #run: Run;
  readonly #grammar: Grammar;
  readonly #onDamage: OnDamage;
  #open: OpenBlock | undefined;

  constructor(run: Run, isStripped: boolean, onDamage: OnDamage) {
    this.#run = run;
    this.#grammar = new Grammar(isStripped);
    this.#onDamage = onDamage;
  }

  /** The block that ends before this line. */
  take(line: Line): TextBlock | undefined {
    const number = this.#run.line + line.number - 1;
    if (line.oversize > 0) {
      this.#onDamage(number, 'oversize-line', 1);
      return undefined;
    }
    const said = line.wellFormed ? line.text : Buffer.from(line.raw, 'latin1').toString('utf8');
    const text = said.endsWith('\r') ? said.slice(0, -1) : said;
    const isHeader = line.number === 1 && startOf(text) !== undefined;
    const found = isHeader ? 'header' : this.#grammar.next(text);
    const before = this.#open;
    // Only the model has blank lines in what it says.
    if (found === 'blank' && before?.kind !== 'text') return this.end();
    const kind = found === 'blank' ? 'text' : found;
    const isFull = before !== undefined && before.characters > MOST_CHARACTERS;
    const done = before && (before.kind !== kind || isFull) ? this.end(before.kind === kind) : undefined;
    this.#open ??= { kind, lines: [], line: number, characters: 0, isDamaged: false };
    this.#open.lines.push(found === 'user' || found === 'tool' ? this.#grammar.text : text);
    this.#open.characters += text.length;
    this.#open.isDamaged ||= !line.wellFormed;
    return done;
  }

  end(isCut = false): TextBlock | undefined {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return undefined;
    const { kind, line, isDamaged } = open;
    const lines = withoutBlankEnds(open.lines);
    return lines.length === 0 ? undefined : { kind, line, lines, isDamaged, isCut };
  }
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  let [start, end] = [0, lines.length];
  while (start < end && lines[start]?.trim() === '') start++;
  while (end > start && lines[end - 1]?.trim() === '') end--;
  return lines.slice(start, end);
}
