import type { JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import { countingSource } from '../counting-source.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink } from '../format.ts';
import { NativeWriter, type Place } from '../native-writer.ts';
import { chooseSession } from '../sessions.ts';
import { UNKNOWN_USAGE } from '../usage.ts';
import { type AiderBlock, bytesOf, readTextBlocks } from './blocks.ts';
import { type AiderRun, findRuns, isPrompt } from './runs.ts';
import { isInterrupt, modelIn, usageIn, versionIn } from './tool-output.ts';

/** How many blocks of Aider after an answer may have its usage. */
const MOST_HELD = 64;

/** Converts one run of a history: the one that is wanted, else the newest. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const bytes = countingSource(source);
  const runs = await findRuns(bytes.chunks);
  const { list } = runs;
  if (runs.older > 0)
    sink.warn(0, `${counted(runs.older, 'older run')} can be neither listed nor chosen; split the file to read them`);
  const run = chooseSession(source.name, list, options.session) ?? NO_RUN;
  const writer = new NativeWriter(format, source, sink, options, run.id);
  const time = run.time === undefined ? undefined : `${run.time}Z`;
  writer.startAt(time);
  const conversion = new AiderConversion(writer);
  const onDamage = (...damage: Parameters<NativeWriter['damaged']>): void => writer.damaged(...damage);
  for await (const block of readTextBlocks(bytesOf(source, run), run.line, runs.isStripped, onDamage))
    conversion.add(block);
  conversion.end();
  if (time !== undefined) writer.loss('TZ_ASSUMED', 'info', run.line);
  if (runs.isStripped && list.length > 0) writer.loss('WHITESPACE_STRIPPED', 'ambiguous', 0);
  if (options.session === undefined) for (let left = runs.empty; left > 0; left--) writer.loss('EMPTY_RUN', 'info', 0);
  writer.loss('CWD_UNKNOWN', 'info', 0);
  for (const one of list) if (one !== run) writer.sibling(one);
  const { version } = conversion;
  writer.end({ id: run.id, time, cwd: undefined, formatVersion: version }, bytes.facts(), 'text-only');
}

const NO_RUN: AiderRun = { id: '', time: undefined, title: undefined, line: 1, offset: 0, end: 0 };

/** An answer whose usage is not known yet. */
interface OpenAiderAnswer {
  readonly block: AiderBlock;
  readonly model: string;
  readonly held: AiderBlock[];
  usage?: JsonObject | undefined;
  isInterrupted: boolean;
}

/** Converts the blocks of a run to native entries. Edits are text in answers, for Aider has no tools. */
class AiderConversion {
  version: string | undefined;
  readonly #writer: NativeWriter;
  #model = '';
  #answer: OpenAiderAnswer | undefined;
  #hasAnswers = false;

  constructor(writer: NativeWriter) {
    this.#writer = writer;
  }

  add(block: AiderBlock): void {
    if (block.damage?.rule === 'invalid-utf8') this.#writer.loss('INVALID_UTF8', 'damaged', block.damage.line);
    if (block.isCut) this.#writer.loss('TEXT_SPLIT', 'lossy', block.line);
    switch (block.kind) {
      case 'header':
        this.#writer.count('mapped');
        break;
      case 'user':
        this.#settle();
        this.#input(block);
        break;
      case 'tool':
        this.#toolOutput(block);
        break;
      case 'text':
        this.#settle();
        this.#answer = { block, model: this.#model, held: [], isInterrupted: false };
    }
  }

  end(): void {
    this.#settle();
    if (!this.#hasAnswers) this.#writer.loss('NO_ASSISTANT', 'info', 0);
  }

  #input({ lines, line }: AiderBlock): void {
    const text = lines.join('\n');
    if (isPrompt(text)) {
      this.#writer.message({ role: 'user', content: [{ type: 'text', text }] }, { line });
      this.#writer.count('mapped');
    } else this.#writer.keep('command', { text }, { line });
  }

  #toolOutput(block: AiderBlock): void {
    for (const line of block.lines) {
      this.version ??= versionIn(line);
      this.#model = modelIn(line) ?? this.#model;
    }
    const answer = this.#answer;
    if (!answer) {
      this.#keep(block);
      return;
    }
    const usage = answer.usage ? undefined : block.lines.map(usageIn).find((found) => found !== undefined);
    answer.usage ??= usage?.usage;
    if (usage?.isRounded) this.#writer.loss('USAGE_ROUNDED', 'info', block.line);
    answer.isInterrupted ||= block.lines.some(isInterrupt);
    if (usage && block.lines.length === 1) this.#writer.count('merged');
    else answer.held.push(block);
    if (answer.held.length >= MOST_HELD) this.#settle();
  }

  #keep({ lines, line }: AiderBlock): void {
    this.#writer.keep('tool', { text: lines.join('\n') }, { line });
  }

  #settle(): void {
    const answer = this.#answer;
    if (!answer) return;
    this.#answer = undefined;
    this.#hasAnswers = true;
    const { block, usage, held } = answer;
    const place: Place = { line: block.line };
    const at = answer.model.indexOf('/');
    const provider = at > 0 ? answer.model.slice(0, at) : 'unknown';
    const model = answer.model.slice(at + 1) || 'unknown';
    if (answer.model !== '') this.#writer.model(provider, model, place);
    if (!usage) this.#writer.loss('USAGE_UNKNOWN', 'info', block.line);
    const isAborted = answer.isInterrupted && !usage;
    this.#writer.message(
      {
        ...{ role: 'assistant', content: [{ type: 'text', text: block.lines.join('\n') }] },
        ...{ api: 'unknown', provider, model, usage: usage ?? UNKNOWN_USAGE },
        stopReason: isAborted ? 'aborted' : 'stop',
      },
      place,
    );
    this.#writer.count('mapped');
    for (const one of held) this.#keep(one);
  }
}
