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
  assignments: number;
  redirections: number;
  /** Ended by `&`. */
  background: boolean;
}

export interface Script {
  /** Those inside substitutions too. */
  readonly commands: SimpleCommand[];
  substitution: boolean;
  redirection: boolean;
  /** Loops, conditions, functions, subshells: the commands are seen, but not when or how often they run. */
  compound: boolean;
  /** False where a quote or bracket does not close, or the nesting is too deep: nothing may be concluded. */
  understood: boolean;
}

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly tabs: boolean;
}

const MAX_DEPTH = 30;
const OPENERS = new Set([
  'if',
  'then',
  'else',
  'elif',
  'while',
  'until',
  'do',
  '{',
  '}',
  'fi',
  'done',
  'esac',
  'coproc',
]);
const TRANSPARENT = new Set(['!', 'time']);
const OPAQUE = new Set(['for', 'case', 'select', 'function', '[[']);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;

const SKIPPED = /(?:[ \t\r]+|\\\r?\n|#[^\n]*)+/y;
const OPERATOR = /\n|;|\|[|&]?|&&|&(?!>)|[()]/y;
/** `<(` and `>(` are substitutions, which are words. */
const REDIRECTION = /(?:&>>?|\d*(?:<<<|<<-|<<|<&|<>|>>|>&|>\||[<>](?!\()))/y;
const PLAIN = /[^'"\\$`\s;&|()<>]+/y;
const PLAIN_IN_QUOTES = /[^"\\$`]+/y;
const PARAMETER = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y;

export function parseShell(text: string, depth = 0): Script {
  const script: Script = { commands: [], substitution: false, redirection: false, compound: false, understood: true };
  new Parser(text, script).list(depth, false);
  return script;
}

class Parser {
  readonly #text: string;
  readonly #script: Script;
  #at = 0;

  constructor(text: string, script: Script) {
    this.#text = text;
    this.#script = script;
  }

  /** Commands up to the end, or to behind the `)` that closes a substitution. */
  list(depth: number, closes: boolean): void {
    if (depth > MAX_DEPTH) {
      this.#giveUp();
      return;
    }
    const script = this.#script;
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
        script.compound = true;
        brackets += operator === '(' ? 1 : -1;
      }
    }
    this.#end(command, false);
    if (closes || hereDocuments.length > 0) script.understood = false;
  }

  #end(command: SimpleCommand, background: boolean): void {
    command.background = background;
    if (command.words.length + command.assignments + command.redirections > 0) this.#script.commands.push(command);
  }

  #redirection(command: SimpleCommand, hereDocuments: HereDocument[], depth: number): boolean {
    const operator = this.#match(REDIRECTION)?.replace(/^\d+/, '');
    if (operator === undefined) return false;
    this.#script.redirection = true;
    command.redirections++;
    this.#match(/[ \t]+/y);
    const start = this.#at;
    const delimiter = this.#word(depth).text;
    const quoted = /['"\\]/.test(this.#text.slice(start, this.#at));
    if (operator === '<<' || operator === '<<-') hereDocuments.push({ delimiter, quoted, tabs: operator === '<<-' });
    return true;
  }

  #commandWord(command: SimpleCommand, depth: number): void {
    const start = this.#at;
    const word = this.#word(depth);
    if (this.#at === start) {
      // A character that starts no word and no operator: nothing is sure any more.
      this.#script.understood = false;
      this.#at++;
      return;
    }
    if (command.words.length === 0) {
      const written = this.#text.slice(start, this.#at);
      if (TRANSPARENT.has(written)) return;
      if (OPENERS.has(written) || OPAQUE.has(written)) this.#script.compound = true;
      if (OPENERS.has(written)) return;
      if (!OPAQUE.has(written) && ASSIGNMENT.test(written)) {
        command.assignments++;
        return;
      }
    }
    command.words.push(word);
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
        if (!isDelimiter && !quoted && (line.includes('$(') || line.includes('`'))) this.#script.substitution = true;
      }
    }
  }

  /** One word, up to white space or an operator. */
  #word(depth: number): ShellWord {
    const text = this.#text;
    const from = this.#at;
    let out = '';
    let literal = true;
    for (;;) {
      const start = this.#at;
      out += this.#match(PLAIN) ?? '';
      const character = text[this.#at];
      if (character === "'") {
        const close = text.indexOf("'", this.#at + 1);
        out += text.slice(this.#at + 1, close < 0 ? undefined : close);
        literal &&= close >= 0;
        this.#at = close + 1;
        if (close < 0) this.#giveUp();
      } else if (character === '"') {
        const inside = this.#doubleQuoted(depth);
        out += inside.text;
        literal &&= inside.literal;
      } else if (character === '\\') {
        const next = text[this.#at + 1] ?? '';
        out += next === '\n' ? '' : next;
        this.#at += 2;
      } else if (character === '$' || character === '`') {
        const expansion = this.#expansion(depth, false);
        out += expansion.text;
        literal &&= expansion.literal;
      } else if ((character === '<' || character === '>') && text[this.#at + 1] === '(' && this.#at === from) {
        this.#script.substitution = true;
        this.#at += 2;
        this.list(depth + 1, true);
        out += text.slice(start, this.#at);
        literal = false;
      } else break;
    }
    this.#at = Math.min(this.#at, text.length);
    return { text: out, literal };
  }

  #doubleQuoted(depth: number): ShellWord {
    const text = this.#text;
    let out = '';
    let literal = true;
    this.#at++;
    while (this.#at < text.length) {
      out += this.#match(PLAIN_IN_QUOTES) ?? '';
      const character = text[this.#at];
      if (character === '"') {
        this.#at++;
        return { text: out, literal };
      }
      if (character === '\\') {
        const next = text[this.#at + 1] ?? '';
        if (next !== '\n') out += '$`"\\'.includes(next) ? next : `\\${next}`;
        this.#at += 2;
      } else if (character !== undefined) {
        const expansion = this.#expansion(depth, true);
        out += expansion.text;
        literal &&= expansion.literal;
      }
    }
    this.#giveUp();
    return { text: out, literal: false };
  }

  /** What a `$` or a backquote begins; as it is written where it is not literal. */
  #expansion(depth: number, quoted: boolean): ShellWord {
    const text = this.#text;
    const start = this.#at;
    const next = text[start + 1];
    if (text[start] === '`') this.#backquoted(depth);
    else if (next === '(') {
      this.#script.substitution = true;
      this.#at += 2;
      this.list(depth + 1, true);
    } else if (next === '{') this.#parameter(depth);
    else if (next === "'" && !quoted) {
      const end = this.#closing("'", start + 2);
      this.#at = end + 1;
      if (end >= text.length) this.#giveUp();
      return { text: text.slice(start + 2, end), literal: true };
    } else if (next === '"' && !quoted) {
      this.#at++;
      return { text: '', literal: true };
    } else if (this.#match(PARAMETER) === undefined) {
      this.#at++;
      return { text: '$', literal: true };
    }
    return { text: text.slice(start, this.#at), literal: false };
  }

  #backquoted(depth: number): void {
    const start = this.#at + 1;
    const end = this.#closing('`', start);
    this.#script.substitution = true;
    this.#at = end + 1;
    if (end >= this.#text.length) {
      this.#giveUp();
      return;
    }
    if (depth >= MAX_DEPTH) this.#script.understood = false;
    else {
      const inner = parseShell(this.#text.slice(start, end).replace(/\\([`\\$])/g, '$1'), depth + 1);
      for (const command of inner.commands) this.#script.commands.push(command);
      if (!inner.understood) this.#script.understood = false;
    }
  }

  /** `${...}`. */
  #parameter(depth: number): void {
    const text = this.#text;
    this.#at += 2;
    if (depth > MAX_DEPTH) {
      this.#giveUp();
      return;
    }
    while (this.#at < text.length) {
      const character = text[this.#at] as string;
      if (character === '"') this.#doubleQuoted(depth + 1);
      else if (character === '$' || character === '`') this.#expansion(depth + 1, true);
      else if (character === "'") {
        const close = text.indexOf("'", this.#at + 1);
        if (close < 0) break;
        this.#at = close + 1;
      } else {
        this.#at += character === '\\' ? 2 : 1;
        if (character === '}') return;
      }
    }
    this.#giveUp();
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
    this.#script.understood = false;
    this.#at = this.#text.length;
  }
}

function emptyCommand(): SimpleCommand {
  return { words: [], assignments: 0, redirections: 0, background: false };
}
