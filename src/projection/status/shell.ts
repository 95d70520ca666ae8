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
  readonly words: readonly ShellWord[];
  readonly assignments: number;
  readonly redirections: number;
  /** Ended by `&`. */
  readonly background: boolean;
  /** Stands inside `$(...)`, backquotes or `<(...)`. */
  readonly nested: boolean;
}

export interface Script {
  readonly commands: readonly SimpleCommand[];
  readonly substitution: boolean;
  readonly redirection: boolean;
  /** Loops, conditions, functions, subshells: the commands are seen, but not when or how often they run. */
  readonly compound: boolean;
  /** False where a quote or bracket does not close, or the nesting is too deep: nothing may be concluded. */
  readonly understood: boolean;
}

const MAX_DEPTH = 30;
const OPENERS = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '{', '}', 'fi', 'done', 'esac', 'coproc']);
const TRANSPARENT = new Set(['!', 'time']);
const OPAQUE = new Set(['for', 'case', 'select', 'function', '[[']);

export function parseShell(text: string): Script {
  const parser = new Parser(text);
  parser.list(0, 0, false);
  return parser.script();
}

class Parser {
  readonly #text: string;
  readonly #commands: SimpleCommand[] = [];
  #substitution = false;
  #redirection = false;
  #compound = false;
  #understood = true;

  constructor(text: string) {
    this.#text = text;
  }

  script(): Script {
    return {
      commands: this.#commands,
      substitution: this.#substitution,
      redirection: this.#redirection,
      compound: this.#compound,
      understood: this.#understood,
    };
  }

  /** Commands from `from` to the end, or to the `)` that closes a substitution; gives the place behind it. */
  list(from: number, depth: number, closes: boolean): number {
    if (depth > MAX_DEPTH) {
      this.#understood = false;
      return this.#text.length;
    }
    const text = this.#text;
    let at = from;
    let brackets = 0;
    let words: ShellWord[] = [];
    let assignments = 0;
    let redirections = 0;
    let opaque = false;
    const hereDocuments: { delimiter: string; quoted: boolean; tabs: boolean }[] = [];

    const end = (background: boolean): void => {
      if (words.length > 0 || assignments > 0 || redirections > 0) {
        this.#commands.push({ words, assignments, redirections, background, nested: closes });
      }
      words = [];
      assignments = 0;
      redirections = 0;
      opaque = false;
    };

    while (at < text.length) {
      const character = text[at] as string;
      if (character === ' ' || character === '\t' || character === '\r') {
        at++;
        continue;
      }
      if (character === '\\' && (text[at + 1] === '\n' || text.startsWith('\r\n', at + 1))) {
        at += text[at + 1] === '\n' ? 2 : 3;
        continue;
      }
      if (character === '#') {
        const newline = text.indexOf('\n', at);
        at = newline < 0 ? text.length : newline;
        continue;
      }
      if (character === '\n') {
        end(false);
        at = this.#skipHereDocuments(at + 1, hereDocuments);
        continue;
      }
      if (character === ';') {
        end(false);
        at++;
        continue;
      }
      if (character === '|') {
        end(false);
        at += text[at + 1] === '|' || text[at + 1] === '&' ? 2 : 1;
        continue;
      }
      if (character === '&' && text[at + 1] !== '>') {
        const and = text[at + 1] === '&';
        end(!and);
        at += and ? 2 : 1;
        continue;
      }
      if (character === '(') {
        this.#compound = true;
        brackets++;
        end(false);
        at++;
        continue;
      }
      if (character === ')') {
        end(false);
        at++;
        if (closes && brackets === 0) return at;
        brackets--;
        this.#compound = true;
        continue;
      }
      const redirect = this.#redirectAt(at);
      if (redirect) {
        this.#redirection = true;
        redirections++;
        at = redirect.end;
        while (text[at] === ' ' || text[at] === '\t') at++;
        const target = this.#word(at, depth);
        if (redirect.hereDocument) {
          hereDocuments.push({ delimiter: target.word.text, quoted: /['"\\]/.test(text.slice(at, target.end)), tabs: redirect.tabs });
        }
        at = Math.max(target.end, at);
        continue;
      }
      const { word, end: behind } = this.#word(at, depth);
      const written = text.slice(at, behind);
      if (behind === at) {
        // A character that starts no word and no operator: nothing is sure any more.
        this.#understood = false;
        at++;
        continue;
      }
      at = behind;
      if (words.length === 0 && !opaque) {
        if (TRANSPARENT.has(written)) continue;
        if (OPENERS.has(written)) {
          this.#compound = true;
          continue;
        }
        if (OPAQUE.has(written)) {
          this.#compound = true;
          opaque = true;
        } else if (/^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/.test(written)) {
          assignments++;
          continue;
        }
      }
      words.push(word);
    }
    end(false);
    if (closes) this.#understood = false;
    if (hereDocuments.length > 0) this.#understood = false;
    return at;
  }

  #redirectAt(at: number): { end: number; hereDocument: boolean; tabs: boolean } | undefined {
    const text = this.#text;
    let start = at;
    while (/\d/.test(text[start] ?? '')) start++;
    if (text[start] === '&' && text[start + 1] === '>' && start === at) {
      return { end: text[start + 2] === '>' ? start + 3 : start + 2, hereDocument: false, tabs: false };
    }
    const operator = text[start];
    if (operator !== '<' && operator !== '>') return undefined;
    // <( and >( are substitutions, which are words.
    if (text[start + 1] === '(') return undefined;
    for (const longer of ['<<<', '<<-', '<<', '<&', '<>', '>>', '>&', '>|']) {
      if (text.startsWith(longer, start)) {
        return { end: start + longer.length, hereDocument: longer === '<<' || longer === '<<-', tabs: longer === '<<-' };
      }
    }
    return { end: start + 1, hereDocument: false, tabs: false };
  }

  #skipHereDocuments(from: number, waiting: { delimiter: string; quoted: boolean; tabs: boolean }[]): number {
    const text = this.#text;
    let at = from;
    for (const { delimiter, quoted, tabs } of waiting) {
      for (;;) {
        if (at >= text.length) {
          this.#understood = false;
          break;
        }
        const newline = text.indexOf('\n', at);
        const stop = newline < 0 ? text.length : newline;
        const line = text.slice(at, stop).replace(/\r$/, '');
        at = newline < 0 ? text.length : newline + 1;
        if ((tabs ? line.replace(/^\t+/, '') : line) === delimiter) break;
        if (!quoted && (line.includes('$(') || line.includes('`'))) this.#substitution = true;
      }
    }
    waiting.length = 0;
    return at;
  }

  /** One word from `from` on, up to white space or an operator. */
  #word(from: number, depth: number): { word: ShellWord; end: number } {
    const text = this.#text;
    let at = from;
    let literal = true;
    let out = '';
    while (at < text.length) {
      const character = text[at] as string;
      if (character === "'") {
        const close = text.indexOf("'", at + 1);
        if (close < 0) return this.#broken(out + text.slice(at + 1));
        out += text.slice(at + 1, close);
        at = close + 1;
      } else if (character === '"') {
        const inside = this.#doubleQuoted(at + 1, depth);
        out += inside.text;
        literal &&= inside.literal;
        at = inside.end;
      } else if (character === '\\') {
        if (text[at + 1] === '\n') at += 2;
        else {
          out += text[at + 1] ?? '';
          at += 2;
        }
      } else if (character === '$' || character === '`') {
        const expansion = this.#expansion(at, depth, false);
        out += expansion.literal ? expansion.text : text.slice(at, expansion.end);
        literal &&= expansion.literal;
        at = expansion.end;
      } else if ((character === '<' || character === '>') && text[at + 1] === '(' && at === from) {
        this.#substitution = true;
        const end = this.list(at + 2, depth + 1, true);
        out += text.slice(at, end);
        literal = false;
        at = end;
      } else if (/[\s;&|()<>]/.test(character)) {
        break;
      } else {
        out += character;
        at++;
      }
    }
    return { word: { text: out, literal }, end: Math.min(at, text.length) };
  }

  #broken(rest: string): { word: ShellWord; end: number } {
    this.#understood = false;
    return { word: { text: rest, literal: false }, end: this.#text.length };
  }

  #doubleQuoted(from: number, depth: number): { text: string; literal: boolean; end: number } {
    const text = this.#text;
    let at = from;
    let literal = true;
    let out = '';
    while (at < text.length) {
      const character = text[at] as string;
      if (character === '"') return { text: out, literal, end: at + 1 };
      if (character === '\\') {
        const next = text[at + 1] ?? '';
        if (next === '\n') out += '';
        else out += '$`"\\'.includes(next) ? next : `\\${next}`;
        at += 2;
      } else if (character === '$' || character === '`') {
        const expansion = this.#expansion(at, depth, true);
        out += expansion.literal ? expansion.text : text.slice(at, expansion.end);
        literal &&= expansion.literal;
        at = expansion.end;
      } else {
        out += character;
        at++;
      }
    }
    this.#understood = false;
    return { text: out, literal: false, end: text.length };
  }

  /** What a `$` or a backquote begins. */
  #expansion(at: number, depth: number, quoted: boolean): { text: string; literal: boolean; end: number } {
    const text = this.#text;
    if (text[at] === '`') {
      this.#substitution = true;
      let end = at + 1;
      while (end < text.length && text[end] !== '`') end += text[end] === '\\' ? 2 : 1;
      if (end >= text.length) {
        this.#understood = false;
        return { text: '', literal: false, end: text.length };
      }
      this.#inner(text.slice(at + 1, end).replace(/\\([`\\$])/g, '$1'), depth);
      return { text: '', literal: false, end: end + 1 };
    }
    const next = text[at + 1];
    if (next === '(') {
      this.#substitution = true;
      return { text: '', literal: false, end: this.list(at + 2, depth + 1, true) };
    }
    if (next === '{') return { text: '', literal: false, end: this.#parameter(at + 2, depth) };
    if (next === "'" && !quoted) {
      let end = at + 2;
      while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1;
      if (end >= text.length) this.#understood = false;
      return { text: text.slice(at + 2, end), literal: true, end: Math.min(end + 1, text.length) };
    }
    if (next === '"' && !quoted) return { text: '', literal: true, end: at + 1 };
    const name = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/.exec(text.slice(at + 1, at + 200))?.[0];
    if (name === undefined) return { text: '$', literal: true, end: at + 1 };
    return { text: '', literal: false, end: at + 1 + name.length };
  }

  /** Inside `${`: to behind the closing brace. */
  #parameter(from: number, depth: number): number {
    const text = this.#text;
    let at = from;
    if (depth > MAX_DEPTH) {
      this.#understood = false;
      return text.length;
    }
    while (at < text.length) {
      const character = text[at] as string;
      if (character === '}') return at + 1;
      if (character === '\\') at += 2;
      else if (character === "'") {
        const close = text.indexOf("'", at + 1);
        if (close < 0) break;
        at = close + 1;
      } else if (character === '"') at = this.#doubleQuoted(at + 1, depth + 1).end;
      else if (character === '$' || character === '`') at = Math.max(at + 1, this.#expansion(at, depth + 1, true).end);
      else at++;
    }
    this.#understood = false;
    return text.length;
  }

  #inner(text: string, depth: number): void {
    if (depth >= MAX_DEPTH) {
      this.#understood = false;
      return;
    }
    const parser = new Parser(text);
    parser.list(0, depth + 1, false);
    const script = parser.script();
    for (const command of script.commands) this.#commands.push({ ...command, nested: true });
    if (!script.understood) this.#understood = false;
  }
}
