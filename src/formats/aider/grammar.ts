/** The author of a line: the user, Aider itself ('tool') or the model ('text'). */
export type AiderLineKind = 'user' | 'tool' | 'blank' | 'text';

export const HEADER = /^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$/;
/** Aider ends its own lines and those of the user with two spaces. */
const USER = /^####(?: (.*))? {2}$/;
const TOOL = /^> ?(.*) {2}$/;
/** The same in a file whose trailing spaces an editor has removed. */
const STRIPPED_USER = /^####(?: (.*))?$/;
const STRIPPED_TOOL = /^>(?: (.*))?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** When a run began, by Aider's clock; undefined for a line that is no header. */
export function startOf(line: string): string | undefined {
  const found = HEADER.exec(line);
  return found ? `${found[1]}T${found[2]}` : undefined;
}

/** Recognizes the lines of a run, given in order and without line ends. */
export class Grammar {
  /** The last line of the user or Aider, without its marks. */
  text = '';
  readonly #user: RegExp;
  readonly #tool: RegExp;
  readonly #isStripped: boolean;
  #fence = '';

  constructor(isStripped: boolean) {
    this.#isStripped = isStripped;
    this.#user = isStripped ? STRIPPED_USER : USER;
    this.#tool = isStripped ? STRIPPED_TOOL : TOOL;
  }

  next(line: string): AiderLineKind {
    if (line.trim() === '') return 'blank';
    const kind = this.#kindOf(line);
    if (kind !== 'text') this.#fence = '';
    else if (this.#isStripped) this.#followFence(line);
    return kind;
  }

  #kindOf(line: string): AiderLineKind {
    // Without the spaces a quote in a fence looks like a mark.
    if (this.#fence !== '') return 'text';
    const isUser = line.startsWith('####');
    if (!isUser && !line.startsWith('>')) return 'text';
    const found = (isUser ? this.#user : this.#tool).exec(line);
    if (!found) return 'text';
    this.text = found[1] ?? '';
    return isUser ? 'user' : 'tool';
  }

  #followFence(line: string): void {
    const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
    if (marks === '') return;
    if (this.#fence === '') this.#fence = marks;
    else if (marks.startsWith(this.#fence) && rest.trim() === '') this.#fence = '';
  }
}
