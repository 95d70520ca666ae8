/**
 * Shell text as simple commands: enough grammar to know which programs a line would start, with quotes,
 * substitutions, redirections, pipes and here-documents taken for what they are. It runs nothing, expands nothing
 * and never fails: what it does not understand is marked.
 */

export interface ShellWord {
  /** Quotes removed, expansions left as they were written. */
  readonly text: string;
  /** False where a variable, substitution or arithmetic decides what the word will be. */
  readonly literal: boolean;
}

export interface SimpleCommand {
  readonly words: ShellWord[];
  assigns: boolean;
  redirects: boolean;
  /** Ended by `&`. */
  background: boolean;
}

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly tabs: boolean;
}

const MAX_DEPTH = 30;
const OPENER = /^(?:if|then|else|elif|while|until|do|\{|\}|fi|done|esac|coproc)$/;
const OPAQUE = /^(?:for|case|select|function|\[\[)$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;

const SKIPPED = /(?:[ \t\r]+|\\\r?\n|#[^\n]*)+/y;
const OPERATOR = /\n|;|\|[|&]?|&&|&(?!>)|[()]/y;
/** `<(` and `>(` are substitutions, which are words. */
const REDIRECTION = /(?:&>>?|\d*(?:<<<|<<-|<<|<&|<>|>>|>&|>\||[<>](?!\()))/y;
const PARAMETER = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y;
/** What is literal in a word, in double quotes and in `${...}`. */
const PLAIN = { word: /[^'"\\$`\s;&|()<>]+/y, '"': /[^"\\$`]+/y, '}': /[^'"\\$`}]+/y } as const;

export function parseShell(text: string, depth = 0): Script {
  const script = new Script(text);
  script.list(depth, false);
  return script;
}

/** What a text was read as, and the reading of it. */
class Script {
  /** Those inside substitutions too. */
  readonly commands: SimpleCommand[] = [];
  substitution = false;
  redirection = false;
  /** Loops, conditions, functions, subshells: the commands are seen, but not when or how often they run. */
  compound = false;
  /** False where a quote or bracket does not close, or the nesting is too deep: nothing may be concluded. */
  understood = true;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Commands up to the end, or to behind the `)` that closes a substitution. */
  list(depth: number, closes: boolean): void {
    const hereDocuments: HereDocument[] = [];
    let brackets = 0;
    let command = emptyCommand();
    while (this.#at < this.#text.length) {
      if (this.#match(SKIPPED) !== undefined) continue;
      const operator = this.#match(OPERATOR);
      if (operator === undefined) {
        if (!this.#redirection(command, hereDocuments, depth)) this.#commandWord(command, depth);
        continue;
      }
      this.#end(command, operator === '&');
      command = emptyCommand();
      if (operator === '\n') this.#skipHereDocuments(hereDocuments);
      if (operator === ')' && closes && brackets === 0) return;
      if (operator === '(' || operator === ')') {
        this.compound = true;
        brackets += operator === '(' ? 1 : -1;
      }
    }
    this.#end(command, false);
    if (closes || hereDocuments.length > 0) this.understood = false;
  }

  #end(command: SimpleCommand, background: boolean): void {
    command.background = background;
    if (command.words.length > 0 || command.assigns || command.redirects) this.commands.push(command);
  }

  #redirection(command: SimpleCommand, hereDocuments: HereDocument[], depth: number): boolean {
    const operator = this.#match(REDIRECTION)?.replace(/^\d+/, '');
    if (operator === undefined) return false;
    this.redirection = true;
    command.redirects = true;
    this.#match(/[ \t]+/y);
    const start = this.#at;
    const delimiter = this.#pieces('word', depth).text;
    const quoted = /['"\\]/.test(this.#text.slice(start, this.#at));
    if (operator === '<<' || operator === '<<-') hereDocuments.push({ delimiter, quoted, tabs: operator === '<<-' });
    return true;
  }

  #commandWord(command: SimpleCommand, depth: number): void {
    const start = this.#at;
    const word = this.#pieces('word', depth);
    const written = this.#text.slice(start, this.#at);
    if (written === '') {
      // A character that starts no word and no operator: nothing is sure any more.
      this.understood = false;
      this.#at++;
    } else if (command.words.length > 0) command.words.push(word);
    else if (written !== '!' && written !== 'time') {
      const isOpener = OPENER.test(written);
      if (isOpener || OPAQUE.test(written)) this.compound = true;
      if (ASSIGNMENT.test(written)) command.assigns = true;
      else if (!isOpener) command.words.push(word);
    }
  }

  #skipHereDocuments(waiting: HereDocument[]): void {
    const text = this.#text;
    for (const { delimiter, quoted, tabs } of waiting.splice(0)) {
      for (let isDelimiter = false; !isDelimiter; ) {
        if (this.#at >= text.length) {
          this.#giveUp();
          return;
        }
        const newline = text.indexOf('\n', this.#at);
        const end = newline < 0 ? text.length : newline;
        const line = text.slice(this.#at, end).replace(/\r$/, '');
        this.#at = end + 1;
        isDelimiter = (tabs ? line.replace(/^\t+/, '') : line) === delimiter;
        if (!isDelimiter && !quoted && /\$\(|`/.test(line)) this.substitution = true;
      }
    }
  }

  /** One word, up to white space or an operator, or what double quotes or `${...}` hold, up to behind their end. */
  #pieces(end: 'word' | '"' | '}', depth: number): ShellWord {
    const text = this.#text;
    const from = this.#at;
    let out = '';
    let literal = true;
    const add = (piece: ShellWord): void => {
      out += piece.text;
      literal &&= piece.literal;
    };
    for (;;) {
      out += this.#match(PLAIN[end]) ?? '';
      const character = text[this.#at];
      const next = text[this.#at + 1] ?? '';
      if (character === end) {
        this.#at++;
        return { text: out, literal };
      }
      if (character === '$' || character === '`') add(this.#expansion(depth, end !== 'word'));
      else if (character === '"') {
        this.#at++;
        add(this.#pieces('"', depth));
      } else if (character === "'" && end !== '"') add(this.#upTo("'", text.indexOf("'", this.#at + 1), 1));
      else if (character === '\\') {
        if (next !== '\n') out += end === '"' && !'$`"\\'.includes(next) ? `\\${next}` : next;
        this.#at += 2;
      } else if ((character === '<' || character === '>') && next === '(' && this.#at === from && end === 'word')
        add(this.#substitution(depth));
      else break;
    }
    if (end !== 'word') this.#giveUp();
    this.#at = Math.min(this.#at, text.length);
    return { text: out, literal: literal && end === 'word' };
  }

  /** What a `$` or a backquote begins; as it is written where it is not literal. */
  #expansion(depth: number, quoted: boolean): ShellWord {
    const text = this.#text;
    const start = this.#at;
    const next = text[start + 1];
    if (text[start] === '`') this.#backquoted(depth);
    else if (next === '(') return this.#substitution(depth);
    else if (next === '{') {
      this.#at += 2;
      if (depth > MAX_DEPTH) this.#giveUp();
      else this.#pieces('}', depth + 1);
    } else if (next === "'" && !quoted) return this.#upTo("'", this.#closing("'", start + 2), 2);
    else if (this.#match(PARAMETER) === undefined) {
      this.#at++;
      // Of a translated string, `$"..."`, the quotes follow.
      return { text: next === '"' && !quoted ? '' : '$', literal: true };
    }
    return { text: text.slice(start, this.#at), literal: false };
  }

  /** `$(...)`, `<(...)` or `>(...)`. */
  #substitution(depth: number): ShellWord {
    const start = this.#at;
    this.substitution = true;
    this.#at += 2;
    if (depth >= MAX_DEPTH) this.#giveUp();
    else this.list(depth + 1, true);
    return { text: this.#text.slice(start, this.#at), literal: false };
  }

  #backquoted(depth: number): void {
    const start = this.#at + 1;
    const inside = this.#upTo('`', this.#closing('`', start), 1);
    this.substitution = true;
    if (!inside.literal || depth >= MAX_DEPTH) {
      this.understood = false;
      return;
    }
    const inner = parseShell(inside.text.replace(/\\([`\\$])/g, '$1'), depth + 1);
    for (const command of inner.commands) this.commands.push(command);
    if (!inner.understood) this.understood = false;
  }

  /** What is between an opening and the quote that closes it; all the rest, and not literal, where none does. */
  #upTo(quote: string, close: number, opening: number): ShellWord {
    const start = this.#at + opening;
    if (this.#text[close] !== quote) {
      this.#giveUp();
      return { text: this.#text.slice(start), literal: false };
    }
    this.#at = close + 1;
    return { text: this.#text.slice(start, close), literal: true };
  }

  /** Where the quote is that no backslash escapes; the end of the text, or beyond, where there is none. */
  #closing(quote: string, from: number): number {
    let at = from;
    while (at < this.#text.length && this.#text[at] !== quote) at += this.#text[at] === '\\' ? 2 : 1;
    return at;
  }

  #match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #giveUp(): void {
    this.understood = false;
    this.#at = this.#text.length;
  }
}

function emptyCommand(): SimpleCommand {
  return { words: [], assigns: false, redirects: false, background: false };
}
