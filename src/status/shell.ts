/**
 * Parses shell text into simple commands: enough grammar to know which programs a line starts, with quotes,
 * substitutions, redirections, pipes and here-documents. It runs nothing, expands nothing and never fails: what it does
 * not understand is flagged.
 */

interface ShellWord {
  /** Without quotes, expansions unchanged. */
  readonly text: string;
  /** False if a variable, substitution or arithmetic determines the word. */
  readonly literal: boolean;
}

export class SimpleCommand {
  readonly words: ShellWord[] = [];
  assigns = false;
  redirects = false;
  /** Ended by `&`. */
  background = false;
}

type HereDocument = Readonly<{ delimiter: string; quoted: boolean; tabs: boolean }>;

const MAX_DEPTH = 30;
const OPENER = /^(?:if|then|else|elif|while|until|do|\{|\}|fi|done|esac|coproc)$/;
const OPAQUE = /^(?:for|case|select|function|\[\[)$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;

const SKIPPED = /(?:[ \t\r]+|\\\r?\n|#[^\n]*)+/y;
const OPERATOR = /\n|;|\|[|&]?|&&|&(?!>)|[()]/y;
/** `<(` and `>(` are substitutions, which are words. */
const REDIRECTION = /(?:&>>?|\d*(?:<<<|<<-|<<|<&|<>|>>|>&|>\||[<>](?!\()))/y;
const PARAMETER = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y;
/** Literal characters in a word, in double quotes and in `${...}`. */
const PLAIN = { word: /[^'"\\$`\s;&|()<>]+/y, '"': /[^"\\$`]+/y, '}': /[^'"\\$`}]+/y } as const;

/** In single quotes a backslash escapes nothing. */
const QUOTED = /'[^']*'/y;
const ESCAPED = /\$'[^'\\]*(?:\\.[^'\\]*)*'/sy;
const BACKQUOTED = /`[^`\\]*(?:\\.[^`\\]*)*`/sy;

export function parseShell(text: string): Script {
  return new Script(text);
}

/** The parser of a text and its result. */
class Script {
  /** Including those inside substitutions. */
  readonly commands: SimpleCommand[] = [];
  substitution = false;
  redirection = false;
  /** Loops, conditions, functions, subshells: the commands are known, but not when or how often they run. */
  compound = false;
  /** False if a quote or bracket is not closed, or the nesting is too deep: then nothing is certain. */
  understood = true;
  readonly #text: string;
  #at = 0;

  constructor(text: string, depth = 0) {
    this.#text = text;
    this.#list(depth, false);
  }

  /** Parses commands up to the end, or past the `)` that closes a substitution. */
  #list(depth: number, closes: boolean): void {
    const hereDocuments: HereDocument[] = [];
    let brackets = 0;
    let command = new SimpleCommand();
    while (this.#at < this.#text.length) {
      if (this.#match(SKIPPED) !== undefined) continue;
      const operator = this.#match(OPERATOR);
      if (operator === undefined) {
        if (!this.#redirection(command, hereDocuments, depth)) this.#commandWord(command, depth);
        continue;
      }
      this.#end(command, operator === '&');
      command = new SimpleCommand();
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
      // A character that starts neither a word nor an operator.
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
    for (const { delimiter, quoted, tabs } of waiting.splice(0)) {
      let isOpen = true;
      while (isOpen && this.#at < this.#text.length) {
        const line = this.#match(/[^\n]*\n?/y)?.replace(/\r?\n?$/, '') ?? '';
        isOpen = (tabs ? line.replace(/^\t+/, '') : line) !== delimiter;
        if (isOpen && !quoted && /\$\(|`/.test(line)) this.substitution = true;
      }
      if (isOpen) this.understood = false;
    }
  }

  /** Parses one word up to white space or an operator, or the content of double quotes or `${...}` past their end. */
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
      } else if (character === "'" && end !== '"') add(this.#quoted(QUOTED, 1));
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

  /** Parses what a `$` or a backquote starts; if it is not literal, its text is unchanged. */
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
    } else if (next === "'" && !quoted) return this.#quoted(ESCAPED, 2);
    else if (this.#match(PARAMETER) === undefined) {
      this.#at++;
      // In a translated string, `$"..."`, the quotes follow.
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
    else this.#list(depth + 1, true);
    return { text: this.#text.slice(start, this.#at), literal: false };
  }

  #backquoted(depth: number): void {
    const inside = this.#quoted(BACKQUOTED, 1);
    this.substitution = true;
    if (!inside.literal || depth >= MAX_DEPTH) {
      this.understood = false;
      return;
    }
    const inner = new Script(inside.text.replace(/\\([`\\$])/g, '$1'), depth + 1);
    for (const command of inner.commands) this.commands.push(command);
    if (!inner.understood) this.understood = false;
  }

  /** The content of quotes; all the rest, not literal, if they are not closed. */
  #quoted(quotes: RegExp, opening: number): ShellWord {
    const start = this.#at + opening;
    const found = this.#match(quotes);
    if (found !== undefined) return { text: found.slice(opening, -1), literal: true };
    this.#giveUp();
    return { text: this.#text.slice(start), literal: false };
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
